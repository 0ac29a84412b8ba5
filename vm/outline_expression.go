package vm

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/dsh-go/dsh-workflow/internal/syntax"
)

func (o *outline) expression(x ast.Expression) *syntax.Node {
	switch x := x.(type) {
	case nil:
		return missing()
	case *ast.Identifier:
		return o.word(syntax.Name, x.Name.String(), x.Idx, len(x.Name.String()))
	case *ast.ArrayLiteral:
		return o.node(syntax.Array, "", x.LeftBracket, x.RightBracket+1, o.expressions(x.Value)...)
	case *ast.ObjectLiteral:
		return o.object(x)
	case *ast.SpreadElement:
		inner := o.expression(x.Expression)
		n := o.span(syntax.Spread, "", inner)
		n.Start = max(inner.Start-len("..."), 0)
		return n
	case *ast.TemplateLiteral:
		return o.template(x)
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral:
		return o.closed(x)
	case *ast.DotExpression, *ast.PrivateDotExpression, *ast.BracketExpression, *ast.CallExpression, *ast.NewExpression,
		*ast.OptionalChain, *ast.Optional:
		return o.chain(x)
	case *ast.UnaryExpression:
		n := o.node(syntax.Unary, x.Operator.String(), x.Idx, 0, o.expression(x.Operand))
		if n.Postfix = x.Postfix; x.Postfix {
			n.Start, n.End = n.Kids[0].Start, o.offset(x.Idx)+len("++")
		}
		return n
	case *ast.AwaitExpression:
		return o.node(syntax.Await, "", x.Await, 0, o.expression(x.Argument))
	case *ast.YieldExpression:
		return o.node(syntax.Yield, "", x.Yield, x.Yield+5, o.or(x.Argument))
	}
	return o.joined(x)
}

// joined is an expression of several parts, or a plain word.
func (o *outline) joined(x ast.Expression) *syntax.Node {
	switch x := x.(type) {
	case *ast.BinaryExpression:
		kind := syntax.Binary
		switch x.Operator {
		case token.LOGICAL_AND, token.LOGICAL_OR, token.COALESCE:
			kind = syntax.Logical
		}
		return o.span(kind, x.Operator.String(), o.expression(x.Left), o.expression(x.Right))
	case *ast.AssignExpression:
		text := "="
		if x.Operator != token.ASSIGN {
			text = x.Operator.String() + "="
		}
		return o.span(syntax.Assign, text, o.target(x.Left, false), o.expression(x.Right))
	case *ast.ConditionalExpression:
		return o.span(syntax.Choice, "", o.expression(x.Test), o.expression(x.Consequent), o.expression(x.Alternate))
	case *ast.SequenceExpression:
		return o.span(syntax.Sequence, "", o.expressions(x.Sequence)...)
	case *ast.ArrayPattern, *ast.ObjectPattern:
		return o.target(x, false)
	}
	return o.literal(x)
}

func (o *outline) literal(x ast.Expression) *syntax.Node {
	switch x := x.(type) {
	case *ast.StringLiteral:
		return o.word(syntax.String, x.Value.String(), x.Idx, len(x.Literal))
	case *ast.NumberLiteral:
		return o.word(syntax.Number, x.Literal, x.Idx, len(x.Literal))
	case *ast.BooleanLiteral:
		return o.word(syntax.Keyword, x.Literal, x.Idx, len(x.Literal))
	case *ast.NullLiteral:
		return o.word(syntax.Keyword, "null", x.Idx, len("null"))
	case *ast.ThisExpression:
		return o.word(syntax.Keyword, "this", x.Idx, len("this"))
	case *ast.SuperExpression:
		return o.word(syntax.Keyword, "super", x.Idx, len("super"))
	case *ast.MetaProperty:
		return o.word(syntax.Keyword, "new.target", x.Idx, len("new.target"))
	case *ast.RegExpLiteral:
		return o.word(syntax.Regexp, x.Literal, x.Idx, len(x.Literal))
	case *ast.PrivateIdentifier:
		return o.word(syntax.String, "#"+x.Name.String(), x.Idx, len(x.Name.String()))
	}
	return missing()
}

// chain is a member, a call, or several of them with ?. among them.
func (o *outline) chain(x ast.Expression) *syntax.Node {
	switch x := x.(type) {
	case *ast.OptionalChain:
		return o.expression(x.Expression)
	case *ast.Optional: // its parent says that it is optional
		return o.expression(x.Expression)
	case *ast.DotExpression:
		n := o.span(syntax.Member, x.Identifier.Name.String(), o.expression(x.Left))
		n.End, n.Optional = o.offset(x.Identifier.Idx)+len(x.Identifier.Name.String()), optional(x.Left)
		return n
	case *ast.PrivateDotExpression:
		n := o.span(syntax.Member, "#"+x.Identifier.Name.String(), o.expression(x.Left))
		n.End, n.Optional = o.offset(x.Identifier.Idx)+len(x.Identifier.Name.String()), optional(x.Left)
		return n
	case *ast.BracketExpression:
		n := o.span(syntax.Index, "", o.expression(x.Left), o.expression(x.Member))
		n.End, n.Optional = max(n.End, o.offset(x.RightBracket)+1), optional(x.Left)
		return n
	case *ast.NewExpression:
		kids := append([]*syntax.Node{o.expression(x.Callee)}, o.expressions(x.ArgumentList)...)
		return o.node(syntax.New, "", x.New, x.RightParenthesis+1, kids...)
	case *ast.CallExpression:
		n := o.span(syntax.Call, "", append([]*syntax.Node{o.expression(x.Callee)}, o.expressions(x.ArgumentList)...)...)
		n.End, n.Optional = max(n.End, o.offset(x.RightParenthesis)+1), optional(x.Callee)
		return n
	}
	return missing()
}

func optional(x ast.Expression) bool {
	_, ok := x.(*ast.Optional)
	return ok
}

func (o *outline) object(x *ast.ObjectLiteral) *syntax.Node {
	kids := make([]*syntax.Node, 0, len(x.Value))
	for _, p := range x.Value {
		switch p := p.(type) {
		case *ast.PropertyShort:
			kids = append(kids, o.span(syntax.Property, p.Name.Name.String(), missing(), o.expression(&p.Name)))
		case *ast.PropertyKeyed:
			kids = append(kids, o.keyed(p, o.expression(p.Value)))
		case *ast.SpreadElement:
			kids = append(kids, o.expression(p))
		}
	}
	return o.node(syntax.Object, "", x.LeftBrace, x.RightBrace+1, kids...)
}

func (o *outline) template(x *ast.TemplateLiteral) *syntax.Node {
	kids := make([]*syntax.Node, 0, 2*len(x.Elements))
	for i, e := range x.Elements {
		kids = append(kids, o.word(syntax.String, e.Parsed.String(), e.Idx, len(e.Literal)))
		if i < len(x.Expressions) {
			kids = append(kids, o.expression(x.Expressions[i]))
		}
	}
	n := o.node(syntax.Template, "", x.OpenQuote, x.CloseQuote+1, kids...)
	if x.Tag == nil {
		return n
	}
	return o.span(syntax.Tagged, "", o.expression(x.Tag), n)
}

// closed is what brings a scope of its own.
func (o *outline) closed(x ast.Expression) *syntax.Node {
	switch x := x.(type) {
	case *ast.FunctionLiteral:
		name := ""
		if x.Name != nil {
			name = x.Name.Name.String()
		}
		kids := append(o.params(x.ParameterList), o.block(x.Body))
		n := o.node(syntax.Function, name, x.Function, 0, kids...)
		n.Async, n.Generator = x.Async, x.Generator
		return n
	case *ast.ArrowFunctionLiteral:
		n := o.node(syntax.Function, "", x.Start, 0, append(o.params(x.ParameterList), o.concise(x.Body))...)
		n.Async, n.Arrow = x.Async, true
		return n
	case *ast.ClassLiteral:
		return o.class(x)
	}
	return missing()
}

func (o *outline) concise(body ast.ConciseBody) *syntax.Node {
	switch body := body.(type) {
	case *ast.BlockStatement:
		return o.block(body)
	case *ast.ExpressionBody:
		return o.expression(body.Expression)
	}
	return missing()
}

func (o *outline) params(list *ast.ParameterList) []*syntax.Node {
	if list == nil {
		return nil
	}
	kids := make([]*syntax.Node, 0, len(list.List)+1)
	for _, b := range list.List {
		kids = append(kids, o.binding(b, true))
	}
	return o.withRest(kids, list.Rest, true)
}

func (o *outline) class(x *ast.ClassLiteral) *syntax.Node {
	name := ""
	if x.Name != nil {
		name = x.Name.Name.String()
	}
	kids := []*syntax.Node{o.or(x.SuperClass)}
	for _, e := range x.Body {
		switch e := e.(type) {
		case *ast.FieldDefinition:
			kids = append(kids, o.keyed(&ast.PropertyKeyed{Key: e.Key, Kind: ast.PropertyKindValue, Computed: e.Computed}, o.or(e.Initializer)))
		case *ast.MethodDefinition:
			kids = append(kids, o.keyed(&ast.PropertyKeyed{Key: e.Key, Kind: e.Kind, Computed: e.Computed}, o.expression(e.Body)))
		case *ast.ClassStaticBlock:
			kids = append(kids, o.block(e.Block))
		}
	}
	return o.node(syntax.Class, name, x.Class, x.RightBrace+1, kids...)
}
