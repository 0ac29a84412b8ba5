package vm

import (
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"

	"github.com/dsh-go/dsh-workflow/internal/syntax"
)

// Parse gives the tree of a script without running it. Its root is the async
// function that the body is, and the offsets in it are those of the body. The
// error is that of [Check].
func Parse(s Script) (*syntax.Node, error) {
	body := plainStart(s.Body)
	tree, err := treeOf(body, fileName(s), Options{}.withDefaults())
	if err != nil {
		return nil, err
	}
	o := &outline{text: s.Body, size: len(s.Body), cut: len(s.Body) - len(body)}
	fn := tree.Body[0].(*ast.ExpressionStatement).Expression.(*ast.ArrowFunctionLiteral)
	block := &syntax.Node{Kind: syntax.Block, End: o.size, Kids: o.statements(fn.Body.(*ast.BlockStatement).List)}
	root := &syntax.Node{Kind: syntax.Function, Async: true, Arrow: true, End: o.size, Kids: []*syntax.Node{block}}
	adopt(root)
	return root, nil
}

// adopt sets the parents.
func adopt(n *syntax.Node) {
	for _, k := range n.Kids {
		k.Parent = n
		adopt(k)
	}
}

// outline turns the parser's tree into ours.
type outline struct {
	text string
	size int // of the text
	cut  int // bytes that the parser did not see at its start
}

func (o *outline) offset(at file.Idx) int { return min(max(int(at)-1+o.cut, 0), o.size) }

// node makes a node that begins at start and ends behind its last child, or at
// end if that is later.
func (o *outline) node(kind syntax.Kind, text string, start, end file.Idx, kids ...*syntax.Node) *syntax.Node {
	n := &syntax.Node{Kind: kind, Text: text, Start: o.offset(start), Kids: kids}
	n.End = max(o.offset(end), n.Start)
	for _, k := range kids {
		n.End = max(n.End, k.End)
	}
	for _, k := range kids {
		if k.Kind == syntax.Missing { // it stands where nothing is
			k.Start, k.End = n.End, n.End
		}
	}
	return n
}

// span is a node that begins where its first child begins.
func (o *outline) span(kind syntax.Kind, text string, kids ...*syntax.Node) *syntax.Node {
	n := o.node(kind, text, 0, 0, kids...)
	for _, k := range kids {
		if k.Kind != syntax.Missing {
			n.Start = k.Start
			break
		}
	}
	return n
}

// or gives the tree of an expression that may be left out.
func (o *outline) or(x ast.Expression) *syntax.Node {
	if x == nil {
		return missing()
	}
	return o.expression(x)
}

func missing() *syntax.Node { return &syntax.Node{Kind: syntax.Missing} }

// word is a leaf.
func (o *outline) word(kind syntax.Kind, text string, at file.Idx, length int) *syntax.Node {
	return o.node(kind, text, at, at+file.Idx(length))
}

func (o *outline) expressions(list []ast.Expression) []*syntax.Node {
	out := make([]*syntax.Node, 0, len(list))
	for _, x := range list {
		out = append(out, o.expression(x))
	}
	return out
}

// target is what a declaration, an assignment or a parameter gives a value to.
// declares says whether names in it come into being here.
func (o *outline) target(x ast.Expression, declares bool) *syntax.Node {
	switch x := x.(type) {
	case nil:
		return missing()
	case *ast.Identifier:
		if declares {
			return o.word(syntax.Bind, x.Name.String(), x.Idx, len(x.Name.String()))
		}
	case *ast.AssignExpression:
		return o.span(syntax.Default, "", o.target(x.Left, declares), o.expression(x.Right))
	case *ast.Binding:
		return o.binding(x, declares)
	case *ast.ArrayPattern:
		kids := make([]*syntax.Node, 0, len(x.Elements))
		for _, e := range x.Elements {
			kids = append(kids, o.target(e, declares))
		}
		return o.node(syntax.ArrayShape, "", x.LeftBracket, x.RightBracket+1, o.withRest(kids, x.Rest, declares)...)
	case *ast.ObjectPattern:
		kids := make([]*syntax.Node, 0, len(x.Properties))
		for _, p := range x.Properties {
			kids = append(kids, o.part(p, declares))
		}
		return o.node(syntax.ObjectShape, "", x.LeftBrace, x.RightBrace+1, o.withRest(kids, x.Rest, declares)...)
	}
	return o.expression(x)
}

func (o *outline) withRest(kids []*syntax.Node, rest ast.Expression, declares bool) []*syntax.Node {
	if rest == nil {
		return kids
	}
	return append(kids, o.span(syntax.Rest, "", o.target(rest, declares)))
}

// binding is a target with or without a default.
func (o *outline) binding(b *ast.Binding, declares bool) *syntax.Node {
	to := o.target(b.Target, declares)
	if b.Initializer == nil {
		return to
	}
	return o.span(syntax.Default, "", to, o.expression(b.Initializer))
}

// part is one property of an object pattern.
func (o *outline) part(p ast.Property, declares bool) *syntax.Node {
	switch p := p.(type) {
	case *ast.PropertyShort:
		to := o.target(&p.Name, declares)
		if p.Initializer != nil {
			to = o.span(syntax.Default, "", to, o.expression(p.Initializer))
		}
		return o.span(syntax.Property, p.Name.Name.String(), missing(), to)
	case *ast.PropertyKeyed:
		return o.keyed(p, o.target(p.Value, declares))
	}
	return missing()
}

// keyed is a property with its key.
func (o *outline) keyed(p *ast.PropertyKeyed, value *syntax.Node) *syntax.Node {
	key := o.expression(p.Key)
	n := o.node(syntax.Property, "", 0, 0, key, value)
	n.Start = min(key.Start, value.Start)
	n.Method = p.Kind != ast.PropertyKindValue
	if !p.Computed {
		n.Text = plainKey(key)
		n.Kids[0] = &syntax.Node{Kind: syntax.Missing, Start: key.Start, End: key.End}
	}
	return n
}

// plainKey is the text of a key that is not computed.
func plainKey(key *syntax.Node) string { return strings.TrimPrefix(key.Text, "#") }
