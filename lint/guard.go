package lint

import (
	"strings"

	"github.com/dsh-go/dsh-workflow/internal/syntax"
)

// region is a part of a script in which a name was tested: node, from an offset
// on.
type region struct {
	node *syntax.Node
	from int
}

// Bounds of the search for a test. Beyond them a name counts as tested: nothing
// is said without certainty, and the time stays proportional to the script.
const (
	maxBack    = 200
	maxRegions = 8
)

// tested reports whether a test of a name must have been passed on the way to
// the place of at.
func (l *linter) tested(b *syntax.Binding, at *syntax.Node) bool {
	known := l.known.guards[b]
	for i := len(known) - 1; i >= max(0, len(known)-maxRegions); i-- {
		if r := known[i]; r.node.Holds(at) && at.Start >= r.from {
			return true
		}
	}
	before := refsBefore(b, at)
	for i := len(before) - 1; i >= 0; i-- {
		if len(before)-i > maxBack {
			return true
		}
		if r := l.guardedBy(before[i], at); r != nil {
			l.known.guards[b] = append(known, r)
			return true
		}
	}
	return false
}

// refsBefore are the uses of a name in front of a place.
func refsBefore(b *syntax.Binding, at *syntax.Node) []*syntax.Node {
	low, high := 0, len(b.Refs)
	for low < high {
		if mid := (low + high) / 2; b.Refs[mid].Start < at.Start {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return b.Refs[:low]
}

// guardedBy is the region that a use of the name opens by testing it, when at
// stands in it.
func (l *linter) guardedBy(ref, at *syntax.Node) *region {
	inner := ref
	outer := ref.Parent
	for outer != nil && !outer.Holds(at) {
		inner, outer = outer, outer.Parent
	}
	if outer == nil || inner == ref && outer.Kind != syntax.Logical && !outer.Is(syntax.If, syntax.Choice, syntax.While, syntax.For, syntax.Switch) {
		return nil
	}
	for i, k := range childrenFrom(outer, inner) {
		if i > 0 && k.Holds(at) {
			if l.opens(outer, inner, k, ref) {
				return &region{node: k}
			}
			return nil
		}
		if isList(outer) && i > 0 {
			break
		}
	}
	if isList(outer) && leaves(inner, ref) {
		return &region{node: outer, from: inner.End}
	}
	return nil
}

func isList(n *syntax.Node) bool { return n.Is(syntax.Block, syntax.Case) }

// childrenFrom are the children of a node from one of them on.
func childrenFrom(n, child *syntax.Node) []*syntax.Node {
	if isList(n) {
		return nil // they are many, and order says enough
	}
	for i, k := range n.Kids {
		if k == child {
			return n.Kids[i:]
		}
	}
	return nil
}

// opens reports whether the way from the child test of a node to its child to
// says that the name is not null.
func (l *linter) opens(n, test, to, ref *syntax.Node) bool {
	switch n.Kind {
	case syntax.If, syntax.Choice:
		return n.Kids[0] == test && implies(test, ref, to == n.Kids[1])
	case syntax.Logical:
		return implies(test, ref, n.Text != "||")
	case syntax.While:
		return implies(test, ref, true)
	case syntax.For:
		return n.Kids[1] == test && implies(test, ref, true)
	case syntax.Switch:
		return true
	}
	return false
}

// implies reports whether the name at ref cannot be null once the test around it
// came out as outcome says. What is not understood counts as a test.
func implies(test, ref *syntax.Node, outcome bool) bool {
	if test == ref {
		return outcome
	}
	switch test.Kind {
	case syntax.Unary:
		if test.Text == "!" {
			return implies(test.Kids[0], ref, !outcome)
		}
	case syntax.Logical:
		// The parts are decided only where all of them had to come out the same.
		if (test.Text == "&&") == outcome && test.Text != "??" {
			return implies(part(test, ref), ref, outcome)
		}
		return false
	case syntax.Binary:
		return compares(test, ref, outcome)
	case syntax.Member, syntax.Index:
		return outcome || !optionalTo(test, ref)
	}
	return true
}

// part is the child that a node stands in.
func part(n, inside *syntax.Node) *syntax.Node {
	for _, k := range n.Kids {
		if k.Holds(inside) {
			return k
		}
	}
	return n.Kids[0]
}

func compares(test, ref *syntax.Node, outcome bool) bool {
	other := test.Kids[1]
	if other.Holds(ref) {
		other = test.Kids[0]
	}
	null := other.IsNull() || other.Kind == syntax.Name && other.Text == "undefined" || other.Kind == syntax.String && other.Text == "undefined"
	if !null {
		return true
	}
	switch test.Text {
	case "==", "===":
		return !outcome
	case "!=", "!==":
		return outcome
	}
	return true
}

// optionalTo reports whether a chain of members goes over ?. from the name.
func optionalTo(n, ref *syntax.Node) bool {
	for ; n != ref && n.Is(syntax.Member, syntax.Index, syntax.Call); n = n.Kids[0] {
		if n.Optional {
			return true
		}
	}
	return false
}

// leaves reports whether the statement that ref stands in is passed only when
// the name is not null.
func leaves(statement, ref *syntax.Node) bool {
	switch statement.Kind {
	case syntax.If:
		then, otherwise := statement.Kids[1], statement.Kids[2]
		if !statement.Kids[0].Holds(ref) {
			return ref.Written() && ref.Parent.Kind == syntax.Assign
		}
		return exits(then) && implies(statement.Kids[0], ref, false) || exits(otherwise) && implies(statement.Kids[0], ref, true) ||
			implies(statement.Kids[0], ref, false) && assigns(then, ref.Text)
	case syntax.While, syntax.DoWhile, syntax.Switch:
		return true
	case syntax.Expression:
		return asserts(statement.Kids[0], ref)
	case syntax.Declaration: // const missing = r === null, which an if may ask for
		p := ref.Parent
		return p.Kind == syntax.Unary && p.Text == "!" || p.Kind == syntax.Binary && strings.HasPrefix(strings.TrimLeft(p.Text, "!"), "=")
	}
	return false
}

// exits reports whether a statement never comes to its end.
func exits(n *syntax.Node) bool {
	switch n.Kind {
	case syntax.Return, syntax.Throw, syntax.Break, syntax.Continue:
		return true
	case syntax.Block:
		return len(n.Kids) > 0 && exits(n.Kids[len(n.Kids)-1])
	case syntax.If:
		return exits(n.Kids[1]) && exits(n.Kids[2])
	}
	return false
}

func assigns(n *syntax.Node, name string) bool {
	found := false
	n.Inside(func(k *syntax.Node) bool {
		found = found || k.Kind == syntax.Name && k.Text == name && k.Written()
		return !found
	})
	return found
}

// asserts reports whether a statement is an assignment to the name, or gives it
// to a function of the script, which may throw.
func asserts(n, ref *syntax.Node) bool {
	if n.Kind == syntax.Await {
		n = n.Kids[0]
	}
	switch {
	case n.Kind == syntax.Assign:
		return n.Kids[0] == ref
	case n.Kind == syntax.Call && n.Kids[0].Kind == syntax.Name:
		return ref.Parent == n && n.Kids[0].Text != "log" && n.Kids[0].Text != "agent"
	}
	return false
}
