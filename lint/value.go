package lint

import "github.com/dsh-go/dsh-workflow/internal/syntax"

// kind is what an expression gives.
type kind uint8

const (
	unknown kind = iota
	nothing      // null or undefined
	answer       // of an agent: text or data, nobody can tell
	prose        // the text of an agent
	data         // an object that fits a schema
	settled      // what agent.settled() gives
	list         // an array
	promise
	str
	number
	boolean
	object // a literal or an instance; more in what
	callable
)

// value is what is known of what an expression gives.
type value struct {
	kind     kind
	nullable bool
	slot     bool         // it comes out of parallel() or pipeline()
	of       *value       // the elements of a list, the outcome of a promise
	shape    *syntax.Node // the schema of data, when it stands in the source
	what     string       // of an object: the class of an instance, or ""
}

func (v value) elements() value {
	if v.of == nil {
		return value{}
	}
	return *v.of
}

// sure is the value after a test for null.
func (v value) sure() value {
	v.nullable = false
	return v
}

// missing reports whether an agent that failed may have made it null.
func (v value) missing() bool {
	return v.nullable && (v.slot || v.kind == answer || v.kind == prose || v.kind == data)
}

func promiseOf(v value) value {
	if v.kind == promise { // they do not nest
		return v
	}
	return value{kind: promise, of: &v}
}

func listOf(v value) value { return value{kind: list, of: &v} }

// awaited is what await gives.
func awaited(v value) value {
	if v.kind == promise {
		return v.elements()
	}
	return v
}

// join is a value that is one or the other.
func join(a, b value) value {
	switch {
	case a.kind == nothing && b.kind == nothing:
		return a
	case a.kind == nothing:
		b.nullable = b.kind != unknown && b.kind != promise
		return b
	case b.kind == nothing:
		a.nullable = a.kind != unknown && a.kind != promise
		return a
	case a.kind != b.kind || a.what != b.what:
		return value{}
	}
	a.nullable = a.nullable || b.nullable
	a.slot = a.slot && b.slot
	if a.shape != b.shape {
		a.shape = nil
	}
	if a.of != nil && b.of != nil {
		of := join(*a.of, *b.of)
		a.of = &of
	} else {
		a.of = nil
	}
	return a
}

// valueOf is what an expression gives. A node that is asked for while it is being
// worked out is unknown.
func (l *linter) valueOf(n *syntax.Node) value {
	if v, ok := l.known.values[n]; ok {
		return v
	}
	l.known.values[n] = value{}
	v := l.work(n)
	l.known.values[n] = v
	return v
}

func (l *linter) work(n *syntax.Node) value {
	switch n.Kind {
	case syntax.Name:
		return l.nameValue(n)
	case syntax.Await:
		return awaited(l.valueOf(n.Kids[0]))
	case syntax.Call:
		return l.callValue(n)
	case syntax.New:
		return l.instance(n)
	case syntax.Index:
		return l.element(n)
	case syntax.Member:
		return l.memberValue(n)
	case syntax.Choice:
		return join(l.valueOf(n.Kids[1]), l.valueOf(n.Kids[2]))
	case syntax.Logical:
		return l.either(n)
	case syntax.Assign:
		if n.Text == "=" {
			return l.valueOf(n.Kids[1])
		}
	case syntax.Sequence:
		return l.valueOf(n.Kids[len(n.Kids)-1])
	case syntax.Array:
		return l.array(n)
	}
	return plain(n)
}

// plain is the value of a node that tells its kind.
func plain(n *syntax.Node) value {
	switch n.Kind {
	case syntax.String, syntax.Template:
		return value{kind: str}
	case syntax.Number:
		return value{kind: number}
	case syntax.Object:
		return value{kind: object}
	case syntax.Function, syntax.Class:
		return value{kind: callable}
	case syntax.Regexp:
		return value{kind: object, what: "RegExp"}
	case syntax.Keyword:
		switch n.Text {
		case "null":
			return value{kind: nothing}
		case "true", "false":
			return value{kind: boolean}
		}
	case syntax.Unary:
		switch n.Text {
		case "!":
			return value{kind: boolean}
		case "void":
			return value{kind: nothing}
		case "typeof":
			return value{kind: str}
		}
	}
	return value{}
}

// either is the value of a || b, a ?? b and a && b.
func (l *linter) either(n *syntax.Node) value {
	if n.Text == "&&" {
		return value{}
	}
	left := l.valueOf(n.Kids[0])
	if left.kind == nothing {
		return l.valueOf(n.Kids[1])
	}
	return join(left.sure(), l.valueOf(n.Kids[1]))
}

func (l *linter) array(n *syntax.Node) value {
	if len(n.Kids) == 0 {
		return value{kind: list}
	}
	var of value
	for i, k := range n.Kids {
		v := value{}
		switch k.Kind {
		case syntax.Missing:
		case syntax.Spread:
			if from := l.valueOf(k.Kids[0]); from.kind == list {
				v = from.elements()
			}
		default:
			v = l.valueOf(k)
		}
		if i == 0 {
			of = v
		} else {
			of = join(of, v)
		}
	}
	return listOf(of)
}

// element is list[i].
func (l *linter) element(n *syntax.Node) value {
	from := l.valueOf(n.Kids[0])
	if from.kind != list || l.valueOf(n.Kids[1]).kind == str {
		return value{}
	}
	return from.elements()
}

// memberValue is what object.name gives.
func (l *linter) memberValue(n *syntax.Node) value {
	switch from := l.valueOf(n.Kids[0]); from.kind {
	case data, settled:
		return l.fieldValue(from, n.Text)
	case list, str:
		if n.Text == "length" {
			return value{kind: number}
		}
	}
	return value{}
}

// instance is what new gives.
func (l *linter) instance(n *syntax.Node) value {
	switch path := l.path(n.Kids[0]); path {
	case "Map", "Set", "Date", "Error", "WeakMap", "WeakSet", "URL":
		return value{kind: object, what: path}
	}
	return value{}
}

// nameValue is what a name stands for where it is read.
func (l *linter) nameValue(n *syntax.Node) value {
	b := l.scopes.Of(n)
	if b == nil {
		if n.Text == "undefined" {
			return value{kind: nothing}
		}
		return value{}
	}
	v := l.declared(b)
	if v.nullable && l.tested(b, n) {
		return v.sure()
	}
	return v
}

// declared is what a binding holds, whatever was assigned to it.
func (l *linter) declared(b *syntax.Binding) value {
	if v, ok := l.known.values[b.Decl]; ok {
		return v
	}
	l.known.values[b.Decl] = value{}
	v := l.bound(b)
	l.known.values[b.Decl] = v
	return v
}

// maxWrites bounds the assignments that are looked at for one name.
const maxWrites = 50

func (l *linter) bound(b *syntax.Binding) value {
	var v value
	switch {
	case len(b.Writes) > maxWrites:
		return value{}
	case b.Value != nil:
		v = l.valueOf(b.Value)
	case b.Kind == "let" && b.Decl.Parent.Kind == syntax.Declarator && b.Decl.Parent.Parent.Parent.Kind != syntax.ForEach:
		v = value{kind: nothing} // no initializer
	default:
		v = l.passed(b.Decl)
	}
	for _, w := range b.Writes {
		p := w.Parent
		if p.Kind != syntax.Assign || p.Text != "=" || p.Kids[0] != w {
			return value{}
		}
		v = join(v, l.valueOf(p.Kids[1]))
	}
	return v
}

// passed is what a loop, a pattern or a caller gives to a declared name.
func (l *linter) passed(decl *syntax.Node) value {
	p := decl.Parent
	switch p.Kind {
	case syntax.Declarator:
		if loop := p.Parent.Parent; loop.Kind == syntax.ForEach && loop.Text == "of" {
			return l.valueOf(loop.Kids[1]).elements()
		}
	case syntax.ArrayShape:
		if p.Parent.Kind == syntax.Declarator && p.Parent.Kids[1].Kind != syntax.Missing {
			if from := l.valueOf(p.Parent.Kids[1]); from.kind == list {
				return from.elements()
			}
		}
	case syntax.Function:
		return l.argument(p, decl)
	}
	return value{}
}

// argument is what the caller of a function that is given to a method, or to
// pipeline(), puts into a parameter of it.
func (l *linter) argument(fn, param *syntax.Node) value {
	call := fn.Parent
	if call.Kind != syntax.Call || call.Kids[0] == fn || fn.Params()[0] != param {
		return value{}
	}
	if l.path(call.Kids[0]) == "pipeline" {
		return l.stageInput(call, fn)
	}
	callee := call.Kids[0]
	if callee.Kind != syntax.Member || call.Args()[0] != fn {
		return value{}
	}
	from := l.valueOf(callee.Kids[0])
	switch callee.Text {
	case "map", "filter", "forEach", "flatMap", "some", "every", "find", "findIndex", "findLast":
		if from.kind == list {
			return from.elements()
		}
	case "then":
		if from.kind == promise {
			return from.elements()
		}
	}
	return value{}
}

// stageInput is the first argument of a stage.
func (l *linter) stageInput(call, stage *syntax.Node) value {
	for i, a := range call.Args() {
		if a != stage {
			continue
		}
		switch i {
		case 1:
			return awaited(l.valueOf(call.Args()[0]).elements())
		default:
			if before := l.function(call.Args()[i-1]); before != nil {
				return awaited(l.gives(before)).sure() // null ends the item
			}
		}
	}
	return value{}
}
