package lint

import (
	"slices"

	"github.com/dsh-go/dsh-workflow/internal/syntax"
)

// callValue is what a call gives.
func (l *linter) callValue(n *syntax.Node) value {
	switch l.path(n.Kids[0]) {
	case "agent":
		return promiseOf(l.answerOf(n))
	case "agent.settled":
		return promiseOf(value{kind: settled})
	case "parallel":
		return promiseOf(l.slots(n))
	case "pipeline":
		return promiseOf(l.items(n))
	case "workflow":
		return promiseOf(value{})
	case "Promise.all":
		if from := l.valueOf(n.Kid(1)); from.kind == list {
			return promiseOf(listOf(awaited(from.elements())))
		}
		return promiseOf(value{})
	case "Promise.race", "Promise.any", "Promise.allSettled", "Promise.resolve":
		return promiseOf(value{})
	case "JSON.stringify", "String":
		return value{kind: str}
	case "Boolean":
		return value{kind: boolean}
	}
	if callee := n.Kids[0]; callee.Kind == syntax.Member {
		return l.methodValue(n, callee)
	}
	if f := l.function(n.Kids[0]); f != nil {
		return l.gives(f)
	}
	return value{}
}

// answerOf is what an agent gives.
func (l *linter) answerOf(call *syntax.Node) value {
	o := l.optionsOf(call)
	v := value{kind: answer, nullable: true}
	switch s := o.get("schema"); {
	case s != nil && l.valueOf(s).kind != nothing:
		v.kind = data
		if shape := l.constant(s); o.whole && shape.Kind == syntax.Object && (s.Kind != syntax.Name || !l.changed(s)) {
			v.shape = shape
		}
	case o.whole:
		v.kind = prose
	}
	return v
}

// gives is what a call of a function of the script gives.
func (l *linter) gives(f *syntax.Node) value {
	if f.Generator {
		return value{}
	}
	if v, ok := l.known.given[f]; ok {
		return v
	}
	l.known.given[f] = value{}
	v := l.returned(f)
	if f.Async {
		v = promiseOf(v)
	}
	l.known.given[f] = v
	return v
}

// returned joins what the return statements of a function give.
func (l *linter) returned(f *syntax.Node) value {
	body := f.Body()
	if body.Kind != syntax.Block {
		return l.valueOf(body)
	}
	all := returnsOf(f)
	if len(all) == 0 {
		return value{kind: nothing}
	}
	v := l.valueOf(all[0].Kids[0])
	for _, r := range all[1:] {
		v = join(v, l.valueOf(r.Kids[0]))
	}
	return v
}

// returnsOf lists the return statements of a function itself.
func returnsOf(f *syntax.Node) []*syntax.Node {
	var all []*syntax.Node
	f.Body().Inside(func(n *syntax.Node) bool {
		if n.Kind == syntax.Return {
			all = append(all, n)
		}
		return true
	})
	return all
}

// slots is what parallel() gives: the outcomes of its thunks, or null.
func (l *linter) slots(call *syntax.Node) value {
	thunks := l.valueOf(call.Kid(1))
	out := value{kind: list}
	arg := l.constant(call.Kid(1))
	switch {
	case arg.Kind == syntax.Array && len(arg.Kids) > 0:
		for i, k := range arg.Kids {
			v := l.thunk(k)
			if i > 0 {
				v = join(out.elements(), v)
			}
			out.of = &v
		}
	case thunks.kind == list:
		if f := l.mapped(arg); f != nil {
			v := l.thunk(f)
			out.of = &v
		}
	}
	if out.of != nil {
		out.of.slot = true
	}
	return out
}

// thunk is what one element of the list of parallel() comes to.
func (l *linter) thunk(n *syntax.Node) value {
	if n.Kind == syntax.Spread {
		if f := l.mapped(l.constant(n.Kids[0])); f != nil {
			return l.thunk(f)
		}
		return value{}
	}
	f := l.function(n)
	if f == nil {
		return value{}
	}
	return awaited(l.gives(f))
}

// mapped is the function that the callback of list.map() or Array.from() makes
// for each element, or nil.
func (l *linter) mapped(n *syntax.Node) *syntax.Node {
	callback := l.mapper(n)
	if callback == nil {
		return nil
	}
	body := callback.Body()
	if body.Kind == syntax.Block {
		all := returnsOf(callback)
		if len(all) != 1 {
			return nil
		}
		body = all[0].Kids[0]
	}
	return l.function(body)
}

// mapper is the callback of list.map() or Array.from().
func (l *linter) mapper(n *syntax.Node) *syntax.Node {
	if n.Kind != syntax.Call {
		return nil
	}
	switch callee := n.Kids[0]; {
	case l.path(callee) == "Array.from":
		return l.function(n.Kid(2))
	case callee.Kind == syntax.Member && callee.Text == "map":
		return l.function(n.Kid(1))
	}
	return nil
}

// items is what pipeline() gives. It can be null where any stage gives an
// agent's answer.
func (l *linter) items(call *syntax.Node) value {
	var v value
	nullable := false
	for _, stage := range call.Args()[min(1, len(call.Args())):] {
		v = value{}
		if f := l.function(stage); f != nil {
			v = awaited(l.gives(f))
			nullable = nullable || v.nullable
		}
	}
	v.nullable, v.slot = nullable, true
	return listOf(v)
}

// methodValue is what a method of a value gives.
func (l *linter) methodValue(n, callee *syntax.Node) value {
	from := l.valueOf(callee.Kids[0])
	switch from.kind {
	case promise:
		switch callee.Text {
		case "then", "catch":
			return promiseOf(value{})
		case "finally":
			return from
		}
	case list:
		return l.listMethod(n, callee.Text, from)
	case str, prose:
		if !slices.Contains([]string{"split", "match", "matchAll", "indexOf", "lastIndexOf", "search", "charCodeAt", "codePointAt"}, callee.Text) {
			return value{}
		}
	}
	switch callee.Text {
	case "join", "toString", "trim", "toLowerCase", "toUpperCase", "padStart", "padEnd", "repeat":
		return value{kind: str}
	case "map":
		return l.mapValue(n)
	}
	return value{}
}

func (l *linter) listMethod(n *syntax.Node, method string, from value) value {
	switch method {
	case "slice", "sort", "reverse", "toSorted", "toReversed":
		return from
	case "filter":
		return l.filtered(n, from)
	case "map":
		return l.mapValue(n)
	case "flatMap", "flat", "concat":
		return listOf(value{})
	case "join":
		return value{kind: str}
	case "at":
		return from.elements()
	}
	return value{}
}

func (l *linter) mapValue(n *syntax.Node) value {
	if f := l.function(n.Kid(1)); f != nil {
		return listOf(l.gives(f))
	}
	return listOf(value{})
}

// filtered is the list that passed a test. A test that looks at the element takes
// null away: either it asks for it, or it throws.
func (l *linter) filtered(n *syntax.Node, from value) value {
	if f := l.function(n.Kid(1)); f != nil && !l.looks(f) {
		return from
	}
	return listOf(from.elements().sure())
}

// looks reports whether a function uses its first parameter.
func (l *linter) looks(f *syntax.Node) bool {
	if len(f.Params()) == 0 {
		return false
	}
	b := l.scopes.Declared(f.Params()[0])
	return b == nil || len(b.Refs) > 0
}
