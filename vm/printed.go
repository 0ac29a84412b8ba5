package vm

import (
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

const intermediate = "(intermediate value)"

// printed shows an expression as V8 does in messages: what has no name is an
// intermediate value, and the arguments of calls are left out.
func printed(x ast.Expression) string {
	switch n := x.(type) {
	case *ast.Identifier:
		return n.Name.String()
	case *ast.ThisExpression:
		return "this"
	case *ast.NullLiteral:
		return "null"
	case *ast.BooleanLiteral:
		return n.Literal
	case *ast.NumberLiteral:
		return n.Literal
	case *ast.StringLiteral:
		return `"` + n.Value.String() + `"`
	case *ast.DotExpression:
		return printedOwner(n.Left) + n.Identifier.Name.String()
	case *ast.PrivateDotExpression:
		return printed(n.Left) + ".#" + n.Identifier.Name.String()
	case *ast.BracketExpression:
		if key, ok := n.Member.(*ast.StringLiteral); ok {
			return printed(n.Left) + "." + key.Value.String()
		}
		return printed(n.Left) + "[" + printed(n.Member) + "]"
	case *ast.Optional:
		return printed(n.Expression)
	case *ast.OptionalChain:
		return printed(n.Expression)
	case *ast.CallExpression:
		return printed(n.Callee) + "(...)"
	case *ast.NewExpression:
		return "new " + printed(n.Callee)
	case *ast.SequenceExpression:
		return "(" + printedList(n.Sequence, " , ") + ")"
	case *ast.ArrayLiteral:
		return "[" + printedList(n.Value, ",") + "]"
	case *ast.ObjectLiteral:
		return "{" + strings.Repeat(intermediate, len(n.Value)) + "}"
	case *ast.UnaryExpression:
		if !n.Postfix && n.Operator != token.AWAIT {
			return "(" + n.Operator.String() + printed(n.Operand) + ")"
		}
	}
	return intermediate
}

// printedOwner shows what stands in front of a member, with the dot.
func printedOwner(x ast.Expression) string {
	if o, ok := x.(*ast.Optional); ok {
		return printed(o.Expression) + "?."
	}
	return printed(x) + "."
}

func printedList(list []ast.Expression, between string) string {
	parts := make([]string, len(list))
	for i, x := range list {
		if x != nil {
			parts[i] = printed(x)
		}
	}
	return strings.Join(parts, between)
}
