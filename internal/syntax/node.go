package syntax

import "strconv"

// Kind says what a node is. The comment beside each names its text and its
// children. A child that the source leaves out is a node of kind [Missing], so
// that every role has its place.
type Kind uint8

// Kinds of nodes.
const (
	Missing Kind = iota

	Name       // text: a name that is read or assigned to
	String     // text: its value
	Number     // text: as it is written
	Keyword    // text: true, false, null, this, super, new.target
	Regexp     // text: as it is written
	Template   // children: String and expression in turn, a String first and last
	Tagged     // children: tag, Template
	Array      // children: elements, Spread, Missing for a hole
	Object     // children: Property, Spread
	Property   // text: key, unless computed; children: computed key or Missing, value
	Spread     // children: expression
	Function   // text: name; children: parameters, then the body: Block or expression
	Class      // text: name; children: super class or Missing, Property and Block
	Member     // text: name; children: object
	Index      // children: object, key
	Call       // children: callee, arguments
	New        // children: callee, arguments
	Unary      // text: operator; children: operand
	Binary     // text: operator; children: left, right
	Logical    // text: && || ??; children: left, right
	Assign     // text: operator; children: target, value
	Choice     // children: test, then, else
	Sequence   // children: expressions
	Await      // children: expression
	Yield      // children: expression or Missing
	Bind       // text: a name that is declared here
	ArrayShape // a pattern; children: targets, Missing for a hole
	ObjectShape
	Default // children: target, value
	Rest    // children: target

	Block       // children: statements
	Declaration // text: var, let or const; children: Declarator
	Declarator  // children: target, value or Missing
	Expression  // a statement; children: expression
	If          // children: test, then, else or Missing
	For         // children: init, test, update, body; the first three may be Missing
	ForEach     // text: of or in; children: target, source, body
	While       // children: test, body
	DoWhile     // children: body, test
	Return      // children: value or Missing
	Throw       // children: value
	Break       // text: label
	Continue    // text: label
	Switch      // children: value, Case
	Case        // children: test or Missing, statements
	Try         // children: Block, Catch or Missing, Block or Missing
	Catch       // children: target or Missing, Block
	Labelled    // text: label; children: statement
	Empty
)

// Node is one node of a tree. Start and End are byte offsets in the source.
type Node struct {
	Kind       Kind
	Text       string
	Start, End int
	Kids       []*Node
	Parent     *Node // nil for the root

	Async, Generator, Arrow bool // of a Function
	Method                  bool // a Property that is a method, getter or setter
	Optional                bool // a Member, Index or Call behind ?.
	Postfix                 bool // a Unary behind its operand
}

// Is reports whether the node is of one of the kinds.
func (n *Node) Is(kinds ...Kind) bool {
	for _, k := range kinds {
		if n.Kind == k {
			return true
		}
	}
	return false
}

// Kid is child i, or a Missing node when there is none.
func (n *Node) Kid(i int) *Node {
	if i < 0 || i >= len(n.Kids) {
		return &Node{Kind: Missing, Start: n.End, End: n.End, Parent: n}
	}
	return n.Kids[i]
}

// Slot is the place of n among the children of its parent, -1 for the root.
func (n *Node) Slot() int {
	if n.Parent != nil {
		for i, k := range n.Parent.Kids {
			if k == n {
				return i
			}
		}
	}
	return -1
}

// Holds reports whether other is n or stands inside of it.
func (n *Node) Holds(other *Node) bool {
	return n.Start <= other.Start && other.End <= n.End
}

// Args are the arguments of a Call or New.
func (n *Node) Args() []*Node { return n.Kids[1:] }

// Body is the last child of a Function: a Block, or the expression that an arrow
// function gives.
func (n *Node) Body() *Node { return n.Kids[len(n.Kids)-1] }

// Params are the parameters of a Function.
func (n *Node) Params() []*Node { return n.Kids[:len(n.Kids)-1] }

// IsNull reports whether the node is the word null.
func (n *Node) IsNull() bool { return n.Kind == Keyword && n.Text == "null" }

// Walk shows n and all that stands below it in source order of the children,
// the outer nodes first. When enter gives false the children are left out.
func (n *Node) Walk(enter func(*Node) bool) {
	if !enter(n) {
		return
	}
	for _, k := range n.Kids {
		k.Walk(enter)
	}
}

// Inside shows the nodes below n that run when n runs: not those of functions
// that n only makes.
func (n *Node) Inside(enter func(*Node) bool) {
	n.Walk(func(k *Node) bool {
		if k != n && k.Kind == Function {
			return false
		}
		return enter(k)
	})
}

// Around is the nearest node around n that is of one of the kinds, or nil.
func (n *Node) Around(kinds ...Kind) *Node {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Is(kinds...) {
			return p
		}
	}
	return nil
}

// Static is the text of a String, or of a Template without expressions.
func (n *Node) Static() (string, bool) {
	switch {
	case n.Kind == String:
		return n.Text, true
	case n.Kind == Template && len(n.Kids) == 1:
		return n.Kids[0].Text, true
	case n.Kind == Binary && n.Text == "+":
		left, ok := n.Kids[0].Static()
		right, also := n.Kids[1].Static()
		return left + right, ok && also
	}
	return "", false
}

// Value is the value of a Number.
func (n *Node) Value() (float64, bool) {
	if n.Kind == Unary && n.Text == "-" && !n.Postfix {
		v, ok := n.Kids[0].Value()
		return -v, ok
	}
	if n.Kind != Number {
		return 0, false
	}
	v, err := strconv.ParseFloat(n.Text, 64)
	if err != nil {
		i, err := strconv.ParseInt(n.Text, 0, 64)
		return float64(i), err == nil
	}
	return v, true
}

// Get is the value of the last property of an Object with that plain key, or nil.
func (n *Node) Get(key string) *Node {
	for i := len(n.Kids) - 1; i >= 0 && n.Kind == Object; i-- {
		if p := n.Kids[i]; p.Kind == Property && p.Text == key && p.Kids[0].Kind == Missing {
			return p.Kids[1]
		}
	}
	return nil
}
