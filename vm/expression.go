package vm

import (
	"reflect"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/unistring"

	"github.com/dsh-go/dsh-workflow/internal/language"
)

// literals turns regular expressions that the engine would match otherwise, or
// not at all, into calls of the helper that makes them.
func literals(tree *ast.Program) {
	w := &treeWalk{note: func(any) {}, move: func(at file.Idx) file.Idx { return at }, seen: map[any]bool{}, plans: map[reflect.Type][]int{}}
	w.swap = func(node any) any {
		n, ok := node.(*ast.RegExpLiteral)
		if !ok {
			return nil
		}
		if foreign, err := language.Foreign(n.Pattern, n.Flags); !foreign || err != nil {
			return nil
		}
		return &ast.CallExpression{
			Callee: &ast.Identifier{Name: unistring.String(helperRegExp), Idx: n.Idx}, LeftParenthesis: n.Idx, RightParenthesis: n.Idx,
			ArgumentList: []ast.Expression{
				&ast.StringLiteral{Idx: n.Idx, Value: unistring.NewFromString(n.Pattern)},
				&ast.StringLiteral{Idx: n.Idx, Value: unistring.NewFromString(n.Flags)},
			},
		}
	}
	w.walk(reflect.ValueOf(tree.Body))
}

// regExp makes the constructor of regular expressions, once.
func (r *realm) regExp(native *goja.Object) goja.Value {
	if r.js.regExp == nil {
		var err error
		if r.js.regExp, r.js.literal, err = r.js.lib.RegExp(native); err != nil {
			panic(err)
		}
	}
	return r.js.regExp
}

// literal is the helper that makes an expression.
func (r *realm) literal() goja.Value {
	if r.js.literal == nil {
		r.rt.Get("RegExp") // makes it
	}
	return r.js.literal
}
