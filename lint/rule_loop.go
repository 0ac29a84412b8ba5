package lint

import (
	"regexp"

	"github.com/dsh-go/dsh-workflow/internal/syntax"
)

// loop runs the rules about loops.
func (l *linter) loop(n *syntax.Node) {
	if !l.asksAgents(n) {
		return
	}
	switch n.Kind {
	case syntax.ForEach:
		l.sequential(n, n.Kids[2])
	case syntax.For:
		l.endless(n, n.Kids[1], n.Kids[3])
		if counts(n) {
			l.sequential(n, n.Kids[3])
		}
	case syntax.While:
		l.endless(n, n.Kids[0], n.Kids[1])
	case syntax.DoWhile:
		l.endless(n, n.Kids[1], n.Kids[0])
	}
}

// endless looks for loops without a way out.
func (l *linter) endless(n, test, body *syntax.Node) {
	if wayOut(body) {
		return
	}
	value, number := test.Value()
	switch {
	case test.Kind == syntax.Missing || test.Kind == syntax.Keyword && test.Text == "true" || number && value != 0:
		l.sayAs(l.severities["endless-loop"], "endless-loop", span{n.Start, n.Start + len("while")}, "count the turns, and leave with break when nothing is new",
			"this loop starts agents and has no way out: it ends at the cap on agents")
	case l.onlyBudget(test):
		l.say("endless-budget-loop", test, "write while (budget.total !== null && budget.remaining() > …), or count the turns too",
			"without a budget remaining() is Infinity, and this loop has no end")
	}
}

// onlyBudget reports whether a test asks for the rest of the budget and for
// nothing that changes without one.
func (l *linter) onlyBudget(test *syntax.Node) bool {
	if l.targeted() {
		return false
	}
	asks, other := false, false
	test.Walk(func(n *syntax.Node) bool {
		switch {
		case n.Kind == syntax.Call && l.path(n.Kids[0]) == "budget.remaining":
			asks = true
			return false
		case n.Is(syntax.Name, syntax.Call, syntax.Member, syntax.Assign, syntax.Await):
			b := l.scopes.Of(n)
			other = other || n.Kind != syntax.Name || b == nil || !b.Steady()
		}
		return true
	})
	return asks && !other
}

// targeted reports whether a condition of the script asks for budget.total.
func (l *linter) targeted() bool {
	found := false
	for _, n := range l.scopes.Free {
		if n.Text == "budget" && n.Parent.Kind == syntax.Member && n.Parent.Text == "total" {
			found = found || n.Around(syntax.If, syntax.Choice, syntax.Logical, syntax.While, syntax.Unary, syntax.Binary) != nil
		}
	}
	return found
}

// wayOut reports whether the body of a loop can leave it.
func wayOut(body *syntax.Node) bool {
	out := false
	body.Inside(func(n *syntax.Node) bool {
		switch n.Kind {
		case syntax.Return, syntax.Throw:
			out = true
		case syntax.Break:
			around := n.Around(syntax.For, syntax.ForEach, syntax.While, syntax.DoWhile, syntax.Switch)
			out = out || n.Text != "" || around == body.Parent
		}
		return !out
	})
	return out
}

// counts reports whether a for loop goes over an index.
func counts(n *syntax.Node) bool {
	test := n.Kids[1]
	return n.Kids[0].Kind == syntax.Declaration && test.Kind == syntax.Binary && test.Kids[1].Kind == syntax.Member && test.Kids[1].Text == "length" &&
		n.Kids[2].Kind == syntax.Unary
}

// changing tells prompts whose agents change something: those often have a
// reason to work one after another.
var changing = regexp.MustCompile(`(?i)\b(fix|apply|commit|edit|implement|write|merge|rebase|refactor|migrate|update|create|delete|remove|rename|push|add|change|mend|repair|install|run|execute|generate|port|convert|build|deploy|move)\b`)

// sequential looks for a loop that waits for one agent after another, although
// no turn needs what another one found.
func (l *linter) sequential(n, body *syntax.Node) {
	var calls []*syntax.Node
	free := true
	body.Inside(func(k *syntax.Node) bool {
		switch k.Kind {
		case syntax.For, syntax.ForEach, syntax.While, syntax.DoWhile, syntax.Return, syntax.Break, syntax.Throw, syntax.Try:
			free = false
		case syntax.Await:
			if c := k.Kids[0]; c.Kind == syntax.Call && l.reader(c) {
				calls = append(calls, c)
			} else {
				free = false // it waits for something else on purpose
			}
		case syntax.Name:
			free = free && !l.carries(n, k) && l.path(k) != "budget" && l.path(k) != "phase"
		}
		return free
	})
	if !free || len(calls) == 0 {
		return
	}
	what := "parallel(list.map((x) => () => agent(…)))"
	if len(calls) > 1 {
		what = "pipeline(list, (x) => agent(…), (previous, x) => agent(…))"
	}
	l.say("sequential-loop", calls[0].Parent, "write await "+what, "the agents of this loop work one after another, and none needs what another one found")
}

// reader reports whether a call asks an agent that changes nothing, as far as
// its prompt tells.
func (l *linter) reader(call *syntax.Node) bool {
	switch l.path(call.Kids[0]) {
	case "agent", "agent.settled":
		words := l.words(call.Kid(1))
		return words != "…" && words != "" && !changing.MatchString(words)
	}
	return false
}

// carries reports whether a name brings something from one turn of a loop to the
// next: it is declared outside, changed inside, and read.
func (l *linter) carries(loop, name *syntax.Node) bool {
	b := l.scopes.Of(name)
	if b == nil || loop.Holds(b.Decl) || collects(name) {
		return false
	}
	if len(b.Refs) > maxBack {
		return true
	}
	for _, r := range b.Refs {
		if loop.Holds(r) && (r.Written() || collects(r) || l.writesInto(r)) {
			return true
		}
	}
	return false
}

// collects reports whether a name is only added to here.
func collects(name *syntax.Node) bool {
	p := name.Parent
	switch p.Kind {
	case syntax.Assign:
		return p.Kids[0] == name && p.Text != "="
	case syntax.Unary:
		return p.Text == "++" || p.Text == "--"
	case syntax.Index:
		return p.Kids[0] == name && p.Parent.Kind == syntax.Assign && p.Parent.Kids[0] == p
	case syntax.Member:
		if p.Parent.Kind != syntax.Call || p.Parent.Kids[0] != p {
			return false
		}
		switch p.Text {
		case "push", "unshift", "add", "set":
			return true
		}
	}
	return false
}
