package lint

import (
	"slices"

	"github.com/dsh-go/dsh-workflow/internal/syntax"
)

// unreachable looks for statements behind one that leaves.
func (l *linter) unreachable(n *syntax.Node) {
	left := false
	for i, s := range n.Kids {
		if n.Kind == syntax.Case && i == 0 {
			continue
		}
		if left && !declares(s) {
			l.say("unreachable-code", s, "move it up, or leave it out", "this is never reached: the statement before it leaves")
			return
		}
		left = left || exits(s)
	}
}

// declares reports whether a statement has its effect before it is reached.
func declares(s *syntax.Node) bool {
	switch s.Kind {
	case syntax.Function, syntax.Empty:
		return true
	case syntax.Declaration:
		return s.Text == "var" && !slices.ContainsFunc(s.Kids, func(d *syntax.Node) bool { return d.Kids[1].Kind != syntax.Missing })
	}
	return false
}

// result looks at what the script returns.
func (l *linter) result() {
	all := returnsOf(l.root)
	returned := false
	for _, r := range all {
		if r.Kids[0].Kind != syntax.Missing {
			returned = true
			l.returnedValue(r.Kids[0], maxAlias)
		}
	}
	body := l.root.Body()
	if returned || !l.asksAgents(l.root) || len(body.Kids) == 0 {
		return
	}
	last := body.Kids[len(body.Kids)-1]
	if last.Kind == syntax.Throw {
		return
	}
	if last.Kind == syntax.While && last.Kids[0].Kind == syntax.Keyword && !wayOut(last.Kids[1]) {
		return // endless-loop says the graver thing
	}
	l.say("no-result", last, "return what was found", "the script runs agents and returns nothing, so its result is null")
}

// returnedValue looks for parts that are no JSON data.
func (l *linter) returnedValue(n *syntax.Node, more int) {
	if more == 0 {
		return
	}
	outermost := n.Parent.Kind == syntax.Return
	switch v := l.valueOf(n); {
	case v.kind == object && v.what != "":
		l.say("unserializable-result", n, unpack(v.what), "a %s is no JSON data: the run fails when it is returned", v.what)
	case v.kind == callable:
		l.say("unserializable-result", n, "call it, or leave it out", "a function is no JSON data: the run fails when it is returned")
	case v.kind == promise && !outermost:
		l.say("unserializable-result", n, "put await before it", "a promise is no JSON data: the run fails when it is returned")
	}
	switch n.Kind {
	case syntax.Object:
		for _, p := range n.Kids {
			if p.Kind == syntax.Property && !p.Method {
				l.returnedValue(p.Kids[1], more-1)
			}
		}
	case syntax.Array:
		for _, k := range n.Kids {
			l.returnedValue(k, more-1)
		}
	}
}

func unpack(class string) string {
	switch class {
	case "Set":
		return "write [...set]"
	case "Map":
		return "write Object.fromEntries(map)"
	case "Date":
		return "write date.toISOString()"
	case "Error":
		return "write error.message"
	}
	return "return its text, or the parts that matter"
}
