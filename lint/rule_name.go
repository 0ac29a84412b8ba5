package lint

import (
	"slices"
	"strings"

	"github.com/dsh-go/dsh-workflow/internal/similar"
	"github.com/dsh-go/dsh-workflow/internal/syntax"
	"github.com/dsh-go/dsh-workflow/vm"
)

// clock looks for what throws because a run must be repeatable.
func (l *linter) clock(n *syntax.Node, path string) {
	hint := "pass the time in through args, or stamp the result after the run"
	switch {
	case path == "Date.now" && n.Kind == syntax.Call:
	case path == "Date" && (n.Kind == syntax.Call || len(n.Args()) == 0):
		if n.Kind == syntax.New {
			path = "new Date"
		}
	case path == "Math.random" && n.Kind == syntax.Call:
		hint = "vary prompts by an index instead"
	default:
		return
	}
	l.say("nondeterministic", n, hint, "%s() throws in a workflow, because a run must be repeatable", path)
}

// missingGlobals are names that other hosts have, and what serves here.
func missingGlobals() map[string]string {
	const reads = "let an agent do it: scripts have no files, network or processes"
	return map[string]string{
		"process": reads, "fetch": reads, "fs": reads, "bash": reads, "exec": reads, "Buffer": reads, "XMLHttpRequest": reads, "Deno": reads, "Bun": reads,
		"require": "scripts have no modules", "module": "scripts have no modules: return the result", "exports": "scripts have no modules: return the result",
		"setInterval": "use setTimeout in a loop", "setImmediate": "use setTimeout(f, 0)", "crypto": "use an index or args instead of chance",
		"performance": "a run must be repeatable: pass the time in through args", "cwd": "pass it in through args",
		"window": "scripts run in no browser", "document": "scripts run in no browser",
	}
}

// names looks at names that nothing declares, and at constants.
func (l *linter) names() {
	l.undefined()
	for _, b := range l.scopes.Bindings {
		if b.Kind == "const" {
			for _, w := range b.Writes {
				l.say("const-assign", w, "declare it with let", "%s is a constant: this throws", b.Name)
			}
		}
		if b.Kind == "const" || b.Kind == "let" || b.Kind == "class" {
			l.early(b)
		}
	}
}

func (l *linter) undefined() {
	known := vm.Globals()
	assigned := map[string]bool{}
	for _, n := range l.scopes.Free {
		if n.Written() {
			assigned[n.Text] = true // which makes it a global
		}
	}
	for _, n := range l.scopes.Free {
		name := n.Text
		if name == "undefined" || name == "arguments" || assigned[name] || l.known.typeofs[name] || l.told[name] || slices.Contains(known, name) {
			continue
		}
		l.told[name] = true
		if try := n.Around(syntax.Try); try != nil && try.Kids[0].Holds(n) && try.Kids[1].Kind != syntax.Missing {
			continue
		}
		hint, foreign := missingGlobals()[name]
		if !foreign {
			hint = l.meant(name, known)
		}
		l.say("undefined-name", n, hint, "nothing is called %s: this line throws", name)
	}
}

// meant is the name that was probably meant.
func (l *linter) meant(name string, known []string) string {
	all := slices.Clone(known)
	for _, b := range l.scopes.Bindings {
		all = append(all, b.Name)
	}
	limit := min(2, len(name)/3)
	if found, ok := similar.Closest(name, all[:min(len(all), 2000)], limit); ok {
		return "write " + found
	}
	return "declare it, or pass it in through args"
}

// early looks for uses in front of the declaration, in the same function.
func (l *linter) early(b *syntax.Binding) {
	if len(b.Refs) == 0 || b.Refs[0].Start >= b.Decl.Start {
		return
	}
	home := b.Decl.Around(syntax.Function)
	for _, r := range refsBefore(b, b.Decl)[:min(maxBack, len(refsBefore(b, b.Decl)))] {
		if r.Around(syntax.Function) != home || loopHead(b.Decl, r) {
			continue
		}
		l.say("use-before-declaration", r, "move the declaration up", "%s is declared further down: this throws", b.Name)
		return
	}
}

// loopHead reports whether a name is used where the head of its loop declares
// it.
func loopHead(decl, ref *syntax.Node) bool {
	loop := decl.Around(syntax.For, syntax.ForEach)
	return loop != nil && loop.Holds(ref)
}

// hookNames are the names of hooks that are functions.
func hookNames() []string {
	return []string{"agent", "parallel", "pipeline", "phase", "log", "workflow"}
}

// shadowed looks for calls of a local value that hides a hook.
func (l *linter) shadowed(call *syntax.Node) {
	callee := call.Kids[0]
	if callee.Kind != syntax.Name || !slices.Contains(hookNames(), callee.Text) || l.scopes.Of(callee) == nil {
		return
	}
	switch l.valueOf(callee).kind {
	case unknown, callable, promise:
		return
	}
	l.say("shadowed-hook", callee, "give the local name another one", "%s is a local name here that is no function, and hides the hook", callee.Text)
}

// member looks at members of budget.
func (l *linter) member(n *syntax.Node) {
	path := l.path(n)
	name, ok := strings.CutPrefix(path, "budget.")
	if !ok || strings.Contains(name, ".") {
		return
	}
	called := n.Parent.Kind == syntax.Call && n.Parent.Kids[0] == n
	switch {
	case name != "total" && name != "spent" && name != "remaining":
		l.say("budget-member", n, "its members are total, spent() and remaining()", "budget has no %s", name)
	case name == "total" && called:
		l.sayError("budget-member", n, "write budget.total", "budget.total is no function")
	case name != "total" && !called && n.Parent.Kind != syntax.Unary && l.path(n.Parent) == "" && n.Parent.Kind != syntax.Declarator:
		l.say("budget-member", n, "write budget."+name+"()", "budget.%s is a function", name)
	}
}
