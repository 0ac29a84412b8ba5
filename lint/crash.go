package lint

import "github.com/dsh-go/dsh-workflow/internal/syntax"

// verdict says whether a throw in a function ends the run.
type verdict uint8

const (
	asking verdict = iota + 1
	contained
	crashes
)

// ends reports whether a throw at a node ends the run. Where that is not certain
// it does not.
func (l *linter) ends(n *syntax.Node) bool {
	for at, p := n, n.Parent; p != nil; at, p = p, p.Parent {
		switch p.Kind {
		case syntax.Try:
			if p.Kids[0] == at && p.Kids[1].Kind != syntax.Missing {
				return false
			}
		case syntax.Call:
			if c := p.Kids[0]; c == at && c.Kind == syntax.Member && c.Text == "catch" {
				return false
			}
		case syntax.Function:
			if p.Parent == nil {
				return true
			}
			return l.functionEnds(p)
		}
	}
	return true
}

func (l *linter) functionEnds(f *syntax.Node) bool {
	v, ok := l.known.crashing[f]
	if !ok {
		l.known.crashing[f] = asking
		v = contained
		if l.judge(f) {
			v = crashes
		}
		l.known.crashing[f] = v
	}
	return v == crashes
}

// judge decides by who calls the function.
func (l *linter) judge(f *syntax.Node) bool {
	p := f.Parent
	if p.Kind == syntax.Call {
		return (p.Kids[0] == f || l.callsBack(p, f)) && l.ends(p)
	}
	b := l.named(f)
	if b == nil || len(b.Refs) == 0 {
		return false
	}
	for _, r := range b.Refs[:min(len(b.Refs), maxBack)] {
		if r.Parent.Kind != syntax.Call || r.Parent.Kids[0] != r || !l.ends(r.Parent) {
			return false
		}
	}
	return true
}

// named is the constant name of a function, or nil.
func (l *linter) named(f *syntax.Node) *syntax.Binding {
	b := l.scopes.Declared(f)
	if b == nil && f.Parent.Kind == syntax.Declarator {
		b = l.scopes.Declared(f.Parent.Kids[0])
	}
	if b == nil || !b.Steady() {
		return nil
	}
	return b
}

// callsBack reports whether a call runs the function that it is given before it
// gives its own value.
func (l *linter) callsBack(call, f *syntax.Node) bool {
	callee := call.Kids[0]
	if l.path(callee) == "Array.from" {
		return true
	}
	if callee.Kind != syntax.Member {
		return false
	}
	switch callee.Text {
	case "map", "filter", "forEach", "flatMap", "some", "every", "find", "findIndex", "findLast", "reduce", "sort", "toSorted", "then":
		return call.Args()[0] == f
	}
	return false
}
