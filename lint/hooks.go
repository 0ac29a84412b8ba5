package lint

import (
	"slices"

	"github.com/dsh-go/dsh-workflow/internal/syntax"
)

// maxAlias bounds how many constants are followed to what they stand for.
const maxAlias = 8

// path is the dotted name of a global, such as agent, agent.settled or
// Math.random; empty for anything else. Constants that stand for one are
// followed.
func (l *linter) path(n *syntax.Node) string { return l.pathWithin(n, maxAlias) }

func (l *linter) pathWithin(n *syntax.Node, more int) string {
	if more == 0 {
		return ""
	}
	switch n.Kind {
	case syntax.Name:
		b := l.scopes.Of(n)
		switch {
		case b == nil:
			return n.Text
		case b.Steady() && b.Value != nil && b.Value.Is(syntax.Name, syntax.Member):
			return l.pathWithin(b.Value, more-1)
		}
	case syntax.Member:
		switch left := l.pathWithin(n.Kids[0], more); left {
		case "":
		case "globalThis":
			return n.Text
		default:
			return left + "." + n.Text
		}
	}
	return ""
}

// constant is the node that an expression stands for: itself, or the value of a
// constant.
func (l *linter) constant(n *syntax.Node) *syntax.Node {
	for range maxAlias {
		if n.Kind != syntax.Name {
			break
		}
		b := l.scopes.Of(n)
		if b == nil || !b.Steady() || b.Value == nil {
			break
		}
		n = b.Value
	}
	return n
}

// function is the function of the script that an expression means, or nil.
func (l *linter) function(n *syntax.Node) *syntax.Node {
	if f := l.constant(n); f.Kind == syntax.Function {
		return f
	}
	return nil
}

// option is one member of an options object.
type option struct {
	name  string
	at    *syntax.Node // the property
	value *syntax.Node
}

// options are the options of a call as far as the source tells.
type options struct {
	list []option
	// whole says that there are no others.
	whole bool
}

// get is the value of an option, or nil. The last one counts.
func (o options) get(name string) *syntax.Node {
	for _, p := range slices.Backward(o.list) {
		if p.name == name {
			return p.value
		}
	}
	return nil
}

// optionsOf reads the options of a call of agent().
func (l *linter) optionsOf(call *syntax.Node) options {
	o := options{whole: true}
	if slices.ContainsFunc(call.Args(), func(a *syntax.Node) bool { return a.Kind == syntax.Spread }) {
		return options{}
	}
	if len(call.Args()) > 1 {
		l.collect(&o, call.Args()[1], maxAlias)
	}
	return o
}

// collect adds the members that an expression brings.
func (l *linter) collect(o *options, n *syntax.Node, more int) {
	if n.Kind == syntax.Name && n.Text != "undefined" && l.changed(n) {
		o.whole = false
	}
	switch n = l.constant(n); {
	case more == 0:
		o.whole = false
	case n.Kind == syntax.Object:
		for _, p := range n.Kids {
			switch {
			case p.Kind == syntax.Spread:
				l.collect(o, p.Kids[0], more-1)
			case p.Kids[0].Kind != syntax.Missing && p.Text == "":
				o.whole = false
			default:
				o.list = append(o.list, option{p.Text, p, p.Kids[1]})
			}
		}
	case n.Kind == syntax.Call && l.path(n.Kids[0]) == "Object.freeze":
		l.collect(o, n.Kid(1), more-1)
	case n.Kind == syntax.Choice:
		l.collect(o, n.Kids[1], more-1)
		l.collect(o, n.Kids[2], more-1)
		o.whole = false
	case n.Kind == syntax.Logical:
		l.collect(o, n.Kids[1], more-1)
		o.whole = false
	case n.Kind == syntax.Missing, n.Kind == syntax.Name && n.Text == "undefined":
	default:
		o.whole = false
	}
}

// changed reports whether something may write into the object that a name
// stands for.
func (l *linter) changed(n *syntax.Node) bool {
	b := l.scopes.Of(n)
	if b == nil || !b.Steady() {
		return true
	}
	known, ok := l.known.mutable[b]
	if !ok {
		known = slices.ContainsFunc(b.Refs, l.writesInto)
		l.known.mutable[b] = known
	}
	return known
}

// writesInto reports whether a name is used to change what it stands for.
func (l *linter) writesInto(name *syntax.Node) bool {
	p := name.Parent
	if p.Is(syntax.Member, syntax.Index) && p.Kids[0] == name {
		if p.Parent.Is(syntax.Assign, syntax.Unary) && p.Parent.Kids[0] == p {
			return p.Parent.Kind == syntax.Assign || p.Parent.Text != "-" && p.Parent.Text != "!" && p.Parent.Text != "typeof"
		}
	}
	return p.Kind == syntax.Call && p.Kids[0] != name && p.Args()[0] == name && l.path(p.Kids[0]) == "Object.assign"
}
