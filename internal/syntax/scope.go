package syntax

// Binding is one name that a script declares.
type Binding struct {
	Name string
	// Kind is var, let, const, function, class, param or catch.
	Kind string
	Decl *Node // the Bind, or the Function or Class that bears the name
	// Value is what the declaration gives the name: the initializer, the function
	// or the class; nil when there is none, or when only a part of it goes there.
	Value  *Node
	Refs   []*Node // Names that mean it, in source order
	Writes []*Node // those of Refs that assign to it
	scope  *scope
}

// Steady reports whether nothing but the declaration gives the name a value.
func (b *Binding) Steady() bool { return len(b.Writes) == 0 }

// Scopes tells which declaration each name of a tree means.
type Scopes struct {
	Bindings []*Binding
	// Free are Names that nothing in the script declares, in source order.
	Free  []*Node
	meant map[*Node]*Binding
	owned map[*Node]*Binding
}

// Of is the declaration that a Name means, or nil if it is declared nowhere.
func (s *Scopes) Of(name *Node) *Binding { return s.meant[name] }

// Declared is the binding whose declaration is n, or nil.
func (s *Scopes) Declared(n *Node) *Binding { return s.owned[n] }

// scope is one region of names. function is set where var declarations go.
type scope struct {
	outer    *scope
	names    map[string]*Binding
	function bool
}

// Resolve finds the declarations of a tree and what its names mean.
func Resolve(root *Node) *Scopes {
	r := &resolver{out: &Scopes{meant: map[*Node]*Binding{}, owned: map[*Node]*Binding{}}, scopes: map[*Node]*scope{}}
	r.declare(root, nil)
	r.resolve(root, nil)
	return r.out
}

type resolver struct {
	out    *Scopes
	scopes map[*Node]*scope
}

func (s *scope) home() *scope {
	for !s.function && s.outer != nil {
		s = s.outer
	}
	return s
}

// open makes the scope that n brings, if it brings one.
func (r *resolver) open(n *Node, s *scope) *scope {
	switch n.Kind {
	case Function:
		s = &scope{outer: s, names: map[string]*Binding{}, function: true}
	case Block:
		if n.Parent != nil && n.Parent.Kind == Function {
			return s // shares the scope of the parameters
		}
		s = &scope{outer: s, names: map[string]*Binding{}}
	case For, ForEach, Switch, Catch, Class:
		s = &scope{outer: s, names: map[string]*Binding{}}
	default:
		return s
	}
	r.scopes[n] = s
	return s
}

// declare collects all declarations, because names may be used before them.
func (r *resolver) declare(n *Node, s *scope) {
	inner := r.open(n, s)
	switch n.Kind {
	case Function:
		r.function(n, s, inner)
	case Class:
		if n.Text != "" {
			to := inner
			if isStatement(n) {
				to = s
			}
			r.add(to, &Binding{Name: n.Text, Kind: "class", Decl: n, Value: n})
		}
	case Declaration:
		for _, d := range n.Kids {
			r.targets(d.Kids[0], n.Text, valueOf(d), inner)
		}
	case Catch:
		r.targets(n.Kids[0], "catch", nil, inner)
	}
	for _, k := range n.Kids {
		r.declare(k, inner)
	}
}

func (r *resolver) function(n *Node, outer, inner *scope) {
	if n.Text != "" && outer != nil && !n.Arrow {
		to := inner
		if isStatement(n) {
			to = outer
		}
		r.add(to, &Binding{Name: n.Text, Kind: "function", Decl: n, Value: n})
	}
	for _, p := range n.Params() {
		r.targets(p, "param", nil, inner)
	}
}

// isStatement reports whether a function or class is a declaration.
func isStatement(n *Node) bool {
	return n.Parent != nil && n.Parent.Is(Block, Case, Labelled)
}

func valueOf(declarator *Node) *Node {
	if declarator.Kids[0].Kind == Bind && declarator.Kids[1].Kind != Missing {
		return declarator.Kids[1]
	}
	return nil
}

func (r *resolver) targets(n *Node, kind string, value *Node, s *scope) {
	switch n.Kind {
	case Bind:
		to := s
		if kind == "var" {
			to = s.home()
		}
		r.add(to, &Binding{Name: n.Text, Kind: kind, Decl: n, Value: value})
	case Property:
		r.targets(n.Kids[1], kind, nil, s)
	case Default, Rest:
		r.targets(n.Kids[0], kind, nil, s)
	case ArrayShape, ObjectShape:
		for _, k := range n.Kids {
			r.targets(k, kind, nil, s)
		}
	}
}

// add keeps the first of equal names; a further one counts as an assignment.
func (r *resolver) add(s *scope, b *Binding) {
	if first, ok := s.names[b.Name]; ok {
		first.Writes = append(first.Writes, b.Decl)
		r.out.owned[b.Decl] = first
		return
	}
	b.scope = s
	s.names[b.Name] = b
	r.out.owned[b.Decl] = b
	r.out.Bindings = append(r.out.Bindings, b)
}

func (r *resolver) resolve(n *Node, s *scope) {
	if inner, ok := r.scopes[n]; ok {
		s = inner
	}
	if n.Kind == Name {
		r.name(n, s)
	}
	for _, k := range n.Kids {
		r.resolve(k, s)
	}
}

func (r *resolver) name(n *Node, s *scope) {
	for ; s != nil; s = s.outer {
		b, ok := s.names[n.Text]
		if !ok {
			continue
		}
		r.out.meant[n] = b
		b.Refs = append(b.Refs, n)
		if n.Written() {
			b.Writes = append(b.Writes, n)
		}
		return
	}
	r.out.Free = append(r.out.Free, n)
}

// Written reports whether a Name is the target of an assignment, of ++, or of a
// loop.
func (n *Node) Written() bool {
	at, p := n, n.Parent
	for p != nil {
		switch p.Kind {
		case Assign, ForEach:
			return p.Kids[0] == at
		case Unary:
			return p.Text == "++" || p.Text == "--"
		case ArrayShape, ObjectShape, Rest:
		case Default:
			if p.Kids[0] != at {
				return false
			}
		case Property:
			if p.Kids[1] != at || p.Parent.Kind != ObjectShape {
				return false
			}
		default:
			return false
		}
		at, p = p, p.Parent
	}
	return false
}
