package lint

import "github.com/dsh-go/dsh-workflow/internal/syntax"

// floating looks for calls of hooks that nobody waits for.
func (l *linter) floating(n *syntax.Node, path string) {
	if n.Kind != syntax.Call || !isStatementOf(n) {
		return
	}
	what := path + "()"
	if !startsAgents(path) {
		f := l.function(n.Kids[0])
		if f == nil || l.valueOf(n).kind != promise || !l.asksAgents(f) || l.keeps(f) {
			return
		}
		what = n.Kids[0].Text + "(), which starts agents,"
	}
	l.say("floating-promise", n, "put await before it; agents that nobody waits for are ended when the script returns",
		"nobody waits for %s", what)
}

// keeps reports whether a function puts a promise away, where somebody may wait
// for it later.
func (l *linter) keeps(f *syntax.Node) bool {
	found, known := l.known.keeping[f]
	if known {
		return found
	}
	f.Walk(func(n *syntax.Node) bool {
		switch {
		case n.Kind == syntax.Assign && n.Kids[0].Is(syntax.Index, syntax.Member):
			found = found || l.valueOf(n.Kids[1]).kind == promise
		case n.Kind == syntax.Call && n.Kids[0].Kind == syntax.Member && (n.Kids[0].Text == "set" || n.Kids[0].Text == "push"):
			found = found || len(n.Args()) > 0 && l.valueOf(n.Args()[len(n.Args())-1]).kind == promise
		}
		return !found
	})
	l.known.keeping[f] = found
	return found
}

// called is the function that an arrow function does nothing but call, or the
// function itself.
func (l *linter) called(f *syntax.Node) *syntax.Node {
	if f.Body().Kind == syntax.Call {
		if inner := l.function(f.Body().Kids[0]); inner != nil {
			return inner
		}
	}
	return f
}

// isStatementOf reports whether the value of an expression goes nowhere.
func isStatementOf(n *syntax.Node) bool {
	for p := n.Parent; p != nil; n, p = p, p.Parent {
		switch p.Kind {
		case syntax.Expression:
			return true
		case syntax.Logical:
			if p.Kids[1] != n {
				return false
			}
		case syntax.Choice:
			if p.Kids[0] == n {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// methods looks at callbacks of list methods.
func (l *linter) methods(n *syntax.Node) {
	callee := n.Kids[0]
	if n.Kind != syntax.Call || callee.Kind != syntax.Member || len(n.Args()) == 0 {
		return
	}
	f := l.function(n.Args()[0])
	if f == nil {
		return
	}
	switch callee.Text {
	case "forEach":
		l.forEach(n, f)
	case "map", "flatMap":
		l.mapCall(n, f)
	}
}

func (l *linter) forEach(n, f *syntax.Node) {
	if l.gives(f).kind != promise || !l.asksAgents(f) || l.keeps(l.called(f)) {
		return
	}
	l.say("async-foreach", n, "write await parallel(list.map((x) => () => agent(…))), or a for loop with await",
		"forEach() does not wait for what its function starts")
}

// mapCall looks for lists of promises that are waited for as if they were one.
func (l *linter) mapCall(n, f *syntax.Node) {
	v := l.valueOf(n)
	promises := v.kind == list && v.elements().kind == promise && l.asksAgents(f)
	if l.givesNothing(f) && l.used(n) && (!promises || n.Parent.Kind == syntax.Call) {
		l.say("missing-return", f, "return the answer", "this function returns nothing, so every element is undefined")
	}
	if !promises {
		return
	}
	const hint = "write await parallel(list.map((x) => () => agent(…)))"
	p := n.Parent
	switch p.Kind {
	case syntax.Await:
		l.say("unawaited-list", p, hint, "await of a list does not wait for the promises in it")
	case syntax.Expression:
		l.say("unawaited-list", n, hint, "nobody waits for these calls")
	case syntax.Return:
		if p.Around(syntax.Function) == l.root {
			l.say("unawaited-list", n, hint, "the script returns promises, which are no JSON data")
		}
	case syntax.Declarator:
		if b := l.scopes.Declared(p.Kids[0]); b != nil && len(b.Refs) == 0 {
			l.say("unawaited-list", n, hint, "nobody waits for these calls")
		}
	}
}

// usePromise looks for a promise in a place where only its value makes sense.
func (l *linter) usePromise(n *syntax.Node) {
	p := n.Parent
	what := ""
	switch p.Kind {
	case syntax.Member:
		if p.Text != "then" && p.Text != "catch" && p.Text != "finally" {
			what = "a promise has no " + p.Text
		}
	case syntax.Template:
		what = "a promise goes into a text as [object Promise]"
	case syntax.Binary:
		if p.Text == "+" && l.isText(p) {
			what = "a promise goes into a text as [object Promise]"
		}
	case syntax.Unary:
		if p.Text == "!" && l.certain(n) {
			what = "a promise is always true"
		}
	case syntax.If, syntax.Choice, syntax.While:
		if p.Kids[0] == n && l.certain(n) {
			what = "a promise is always true"
		}
	case syntax.Spread:
		what = "a promise cannot be spread"
	case syntax.ForEach:
		if p.Kids[1] == n {
			what = "a promise is no list"
		}
	case syntax.Declarator:
		if p.Kids[1] == n && p.Kids[0].Is(syntax.ObjectShape, syntax.ArrayShape) {
			what = "a promise has no such parts"
		}
	case syntax.Call:
		if path := l.path(p.Kids[0]); p.Kids[0] != n && (path == "JSON.stringify" || path == "String" || path == "log") {
			what = path + "() is given a promise"
		}
	}
	if what != "" {
		l.say("promise-as-value", n, "put await before the call", "%s: the call was not waited for", what)
	}
}

// certain reports whether an expression surely is what its value says: a call, or
// a name that nothing else was assigned to.
func (l *linter) certain(n *syntax.Node) bool {
	if n.Kind == syntax.Call {
		return true
	}
	b := l.scopes.Of(n)
	return n.Kind == syntax.Name && b != nil && b.Steady()
}

// isText reports whether an addition joins texts.
func (l *linter) isText(sum *syntax.Node) bool {
	for n := sum; n.Kind == syntax.Binary && n.Text == "+"; n = n.Kids[0] {
		if l.valueOf(n.Kids[1]).kind == str || l.valueOf(n.Kids[0]).kind == str {
			return true
		}
	}
	return false
}
