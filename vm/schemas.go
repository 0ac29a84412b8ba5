package vm

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// LiteralSchema is the value of one schema option that stands in the source.
type LiteralSchema struct {
	Pos  Position // of the value in the call
	JSON json.RawMessage
}

// Schemas finds the schema options of the calls of agent() and agent.settled()
// without running the script. A value counts that is a literal, or is made of
// literals and of constants of the outermost level that nothing changes; the
// others are only counted, in skipped. The error is that of [Check].
func Schemas(s Script) (found []LiteralSchema, skipped int, err error) {
	body := plainStart(s.Body)
	tree, err := treeOf(body, fileName(s), Options{}.withDefaults())
	if err != nil {
		return nil, 0, err
	}
	n := &names{declared: map[string]int{}, changed: map[string]bool{}}
	walkTree(tree.Program, 0, n.note)
	if n.declared["agent"] > 0 {
		return nil, 0, nil // it is not the hook
	}
	e := &statics{constants: n.constants(tree.Program), values: map[string]*static{}, busy: map[string]bool{}}
	for _, call := range n.calls {
		x, ok := e.schemaOf(call)
		if !ok {
			continue
		}
		text := json.RawMessage(nil)
		v := e.value(x)
		if spread, ok := x.(*ast.SpreadElement); ok {
			v = e.value(spread.Expression).member("schema")
		}
		if v != nil {
			if v.kind == 'u' {
				continue // as good as absent
			}
			text = e.json(v)
		}
		if text == nil {
			skipped++
			continue
		}
		p := bytePosition(body, min(max(int(x.Idx0())-1, 0), len(body)))
		found = append(found, LiteralSchema{Pos: parseErrorAt(body, p, "").Pos, JSON: text})
	}
	slices.SortFunc(found, func(a, b LiteralSchema) int {
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Column - b.Pos.Column
	})
	return found, skipped, nil
}

// schemaOf is the expression of the schema option of a call. Options that come
// after it from elsewhere may replace it, and then it is none of the source.
func (e *statics) schemaOf(call *ast.CallExpression) (ast.Expression, bool) {
	if len(call.ArgumentList) < 2 {
		return nil, false
	}
	options, ok := call.ArgumentList[1].(*ast.ObjectLiteral)
	if id, is := call.ArgumentList[1].(*ast.Identifier); is {
		options, ok = e.constants[id.Name.String()].(*ast.ObjectLiteral)
	}
	if !ok {
		return nil, false
	}
	var found ast.Expression
	for _, p := range options.Value {
		switch p := p.(type) {
		case *ast.PropertyShort:
			if p.Name.Name == "schema" {
				found = &p.Name
			}
		case *ast.PropertyKeyed:
			if key := e.value(p.Key); key != nil && key.text == "schema" {
				found = p.Value
			}
		case *ast.SpreadElement:
			from := e.value(p.Expression)
			if from != nil && from.member("schema") != nil || from == nil && found != nil {
				found = p
			}
		}
	}
	return found, found != nil
}

// names collects which names a script declares, changes and calls.
type names struct {
	declared map[string]int
	changed  map[string]bool // names whose value something may write into
	calls    []*ast.CallExpression
}

func (n *names) note(node any) {
	switch x := node.(type) {
	case *ast.Binding:
		n.declare(x.Target)
	case *ast.ForDeclaration:
		n.declare(x.Target)
	case *ast.ParameterList:
		n.declare(x.Rest)
	case *ast.CatchStatement:
		n.declare(x.Parameter)
	case *ast.FunctionLiteral:
		if x.Name != nil {
			n.declare(x.Name)
		}
	case *ast.ClassLiteral:
		if x.Name != nil {
			n.declare(x.Name)
		}
	case *ast.AssignExpression:
		n.change(x.Left)
	case *ast.UnaryExpression:
		if x.Operator == token.INCREMENT || x.Operator == token.DECREMENT || x.Operator == token.DELETE {
			n.change(x.Operand)
		}
	case *ast.CallExpression:
		n.call(x)
	}
}

// readOnly are methods that change nothing.
const readOnly = " freeze keys values entries fromEntries map flatMap filter find join includes indexOf concat slice some every forEach reduce at toString settled "

// call notes calls of the hook, and calls that may change what they are called on
// or given.
func (n *names) call(x *ast.CallExpression) {
	callee := x.Callee
	if dot, ok := callee.(*ast.DotExpression); ok {
		root := rootOf(dot.Left)
		switch {
		case strings.Contains(readOnly, " "+dot.Identifier.Name.String()+" "):
		case root != "Object" && root != "Reflect":
			n.changed[root] = true
		case len(x.ArgumentList) > 0:
			n.change(x.ArgumentList[0])
		}
		if dot.Identifier.Name == "settled" {
			callee = dot.Left
		}
	}
	if id, ok := callee.(*ast.Identifier); ok && id.Name == "agent" {
		n.calls = append(n.calls, x)
	}
}

func (n *names) change(x ast.Expression) {
	if root := rootOf(x); root != "" {
		n.changed[root] = true
	}
}

// rootOf is the name at the start of a chain of members, or "".
func rootOf(x ast.Expression) string {
	for {
		switch n := x.(type) {
		case *ast.Identifier:
			return n.Name.String()
		case *ast.DotExpression:
			x = n.Left
		case *ast.BracketExpression:
			x = n.Left
		case *ast.OptionalChain:
			x = n.Expression
		case *ast.Optional:
			x = n.Expression
		default:
			return ""
		}
	}
}

// declare counts the names in a target, which may be a pattern.
func (n *names) declare(target ast.Expression) {
	switch t := target.(type) {
	case *ast.Identifier:
		n.declared[t.Name.String()]++
	case *ast.AssignExpression: // a default
		n.declare(t.Left)
	case *ast.ArrayPattern:
		for _, x := range t.Elements {
			n.declare(x)
		}
		n.declare(t.Rest)
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				n.declared[p.Name.Name.String()]++
			case *ast.PropertyKeyed:
				n.declare(p.Value)
			}
		}
		n.declare(t.Rest)
	}
}

// constants are the names of the outermost level that are declared once, by const,
// and whose values nothing changes: neither by that name nor by another one for a
// part of it.
func (n *names) constants(tree *ast.Program) map[string]ast.Expression {
	all := map[string]ast.Expression{}
	fn := tree.Body[0].(*ast.ExpressionStatement).Expression.(*ast.ArrowFunctionLiteral)
	for _, stmt := range fn.Body.(*ast.BlockStatement).List {
		decl, ok := stmt.(*ast.LexicalDeclaration)
		if !ok || decl.Token != token.CONST {
			continue
		}
		for _, b := range decl.List {
			if id, ok := b.Target.(*ast.Identifier); ok && n.declared[id.Name.String()] == 1 {
				all[id.Name.String()] = b.Initializer
			}
		}
	}
	for more := true; more; {
		more = false
		for name, x := range all {
			if root := rootOf(x); n.changed[name] && root != "" && !n.changed[root] {
				n.changed[root], more = true, true
			}
		}
	}
	maps.DeleteFunc(all, func(name string, _ ast.Expression) bool { return n.changed[name] })
	return all
}
