package vm

import (
	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/unistring"
)

// helper is a function of ours that a compiled body calls by a name that no
// script can spell.
type helper string

const helperRegExp helper = "%regexp" // an expression of our own matcher: (source, flags)

// equip rewrites a tree that is about to be compiled where the engine lacks
// something, and names the helpers that it then needs.
func equip(tree *ast.Program) []helper {
	e := &equipment{}
	e.literals(tree)
	if len(e.needs) == 0 {
		return nil
	}
	stmt := tree.Body[0].(*ast.ExpressionStatement)
	params := &ast.ParameterList{Opening: 1, Closing: 1}
	for _, name := range e.needs {
		params.List = append(params.List, &ast.Binding{Target: &ast.Identifier{Name: unistring.String(name), Idx: 1}})
	}
	stmt.Expression = &ast.ArrowFunctionLiteral{Start: 1, ParameterList: params, Body: &ast.ExpressionBody{Expression: stmt.Expression}}
	return e.needs
}

type equipment struct{ needs []helper }

func (e *equipment) need(name helper) {
	for _, known := range e.needs {
		if known == name {
			return
		}
	}
	e.needs = append(e.needs, name)
}

// help gives a compiled body its helpers.
func (r *realm) help(fn goja.Value, needs []helper) (goja.Value, error) {
	take, _ := goja.AssertFunction(fn)
	values := make([]goja.Value, len(needs))
	for i, name := range needs {
		switch name {
		case helperRegExp:
			values[i] = r.literal()
		}
	}
	return take(goja.Undefined(), values...)
}
