package lint

import "github.com/dsh-go/dsh-workflow/internal/syntax"

// order looks for prompts that show a collection whose order depends on which
// agent ended first.
func (l *linter) order(call *syntax.Node) {
	prompt := call.Kid(1)
	prompt.Walk(func(n *syntax.Node) bool {
		if n.Kind == syntax.Name {
			if b := l.scopes.Of(n); b != nil && !l.told[b] && showsOrder(n) && l.raced(b, call) {
				l.told[b] = true
				l.say("unstable-order", n, "sort it, or take the results of parallel(), which stand in the order of the list",
					"the order of %s depends on which agent ended first, so the prompt differs from run to run", n.Text)
			}
		}
		return n.Kind != syntax.Function
	})
}

// showsOrder reports whether the order of a collection can be seen where its
// name is used.
func showsOrder(n *syntax.Node) bool {
	if n.Parent.Kind != syntax.Member {
		return true
	}
	switch n.Parent.Text {
	case "length", "size", "has", "includes", "get", "sort", "toSorted":
		return false
	}
	return true
}

// raced reports whether a collection grows inside of functions that run at the
// same time, behind an await, and is never sorted.
func (l *linter) raced(b *syntax.Binding, call *syntax.Node) bool {
	if b.Value == nil || len(b.Refs) > maxBack || !l.collection(b.Value) {
		return false
	}
	grows := false
	for _, r := range b.Refs {
		p := r.Parent
		if p.Kind == syntax.Member && (p.Text == "sort" || p.Text == "toSorted") {
			return false
		}
		if !collects(r) || p.Kind == syntax.Index && b.Value.Kind == syntax.Array {
			continue
		}
		f := r.Around(syntax.Function)
		grows = grows || f != nil && !f.Holds(b.Decl) && !f.Holds(call) && l.concurrent(f) && waitsBefore(f, r)
	}
	return grows
}

func (l *linter) collection(n *syntax.Node) bool {
	switch v := l.valueOf(n); {
	case n.Kind == syntax.Array, n.Kind == syntax.Object:
		return true
	default:
		return v.kind == object && (v.what == "Set" || v.what == "Map")
	}
}

// concurrent reports whether a function runs beside others of its kind.
func (l *linter) concurrent(f *syntax.Node) bool {
	for p := f.Parent; p != nil; p = p.Parent {
		if p.Kind != syntax.Call {
			continue
		}
		switch l.path(p.Kids[0]) {
		case "parallel", "pipeline", "Promise.all", "Promise.allSettled":
			return true
		}
	}
	return false
}

// waitsBefore reports whether a function has waited for something before it
// comes to a place.
func waitsBefore(f, at *syntax.Node) bool {
	if c := f.Parent; c.Kind == syntax.Call && c.Kids[0].Kind == syntax.Member && c.Kids[0].Text == "then" {
		return true
	}
	found := false
	f.Body().Inside(func(n *syntax.Node) bool {
		found = found || n.Kind == syntax.Await && n.End <= at.Start || n.Kind == syntax.Await && n.Parent.Holds(at)
		return !found
	})
	return found
}
