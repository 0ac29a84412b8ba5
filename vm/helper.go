package vm

import (
	"slices"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// helper is a function of ours that a compiled body calls by a name that no
// script can spell.
type helper string

// helperRegExp makes an expression of our own matcher: (source, flags). The others
// are what lowered syntax calls; the library has them under the same names.
const helperRegExp helper = "%regexp"

// helperSeen is told of each error that is caught, before the script sees it.
const helperSeen helper = "%seen"

// caught is the name of what is caught where the script takes it apart.
const caught = "%caught"

// equip rewrites a tree that is about to be compiled where the engine lacks
// something, and names the helpers that it then needs.
func equip(p *parsed) []helper {
	var needs []helper
	if p.review.foreign {
		literals(p.Program)
		needs = append(needs, helperRegExp)
	}
	for _, c := range p.review.catches {
		tellSeen(c)
	}
	if len(p.review.catches) > 0 {
		needs = append(needs, helperSeen)
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

// tellSeen puts a call of the helper in front of the body of a catch.
func tellSeen(c *ast.CatchStatement) {
	at := c.Body.LeftBrace
	call := func(name unistring.String) ast.Expression {
		return &ast.CallExpression{Callee: &ast.Identifier{Name: unistring.String(helperSeen), Idx: at}, LeftParenthesis: at,
			ArgumentList: []ast.Expression{&ast.Identifier{Name: name, Idx: at}}, RightParenthesis: at}
	}
	var first ast.Statement
	if id, ok := c.Parameter.(*ast.Identifier); ok {
		first = &ast.ExpressionStatement{Expression: call(id.Name)}
	} else {
		first = &ast.LexicalDeclaration{Idx: at, Token: token.LET, List: []*ast.Binding{{Target: c.Parameter, Initializer: call(caught)}}}
		c.Parameter = &ast.Identifier{Name: caught, Idx: at}
	}
	c.Body.List = append([]ast.Statement{first}, c.Body.List...)
}

// help gives a compiled body its helpers.
func (r *realm) help(fn goja.Value, needs []helper) (goja.Value, error) {
	take, _ := goja.AssertFunction(fn)
	values := make([]goja.Value, len(needs))
	for i, name := range needs {
		switch name {
		case helperRegExp:
			values[i] = r.literal()
			continue
		case helperSeen:
			values[i] = r.rt.ToValue(r.seenValue)
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
