package vm

import (
	"slices"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/unistring"
)

// helper is a function of ours that a compiled body calls by a name that no
// script can spell.
type helper string

// helperRegExp makes an expression of our own matcher: (source, flags). The others
// are what lowered syntax calls; the library has them under the same names.
const helperRegExp helper = "%regexp"

// equip rewrites a tree that is about to be compiled where the engine lacks
// something, and names the helpers that it then needs.
func equip(p *parsed) []helper {
	var needs []helper
	if p.review.foreign {
		literals(p.Program)
		needs = append(needs, helperRegExp)
	}
	for name := range p.review.helpers {
		needs = append(needs, name)
	}
	if len(needs) == 0 {
		return nil
	}
	slices.Sort(needs)
	stmt := p.Body[0].(*ast.ExpressionStatement)
	params := &ast.ParameterList{Opening: 1, Closing: 1}
	for _, name := range needs {
		params.List = append(params.List, &ast.Binding{Target: &ast.Identifier{Name: unistring.String(name), Idx: 1}})
	}
	stmt.Expression = &ast.ArrowFunctionLiteral{Start: 1, ParameterList: params, Body: &ast.ExpressionBody{Expression: stmt.Expression}}
	return needs
}

// help gives a compiled body its helpers.
func (r *realm) help(fn goja.Value, needs []helper) (goja.Value, error) {
	take, _ := goja.AssertFunction(fn)
	values := make([]goja.Value, len(needs))
	for i, name := range needs {
		if name == helperRegExp {
			values[i] = r.literal()
			continue
		}
		made, err := r.js.lib.Async(string(name[1:]))
		if err != nil {
			return nil, err
		}
		values[i] = made
	}
	return take(goja.Undefined(), values...)
}
