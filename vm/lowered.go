package vm

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/unistring"

	"github.com/dsh-go/dsh-workflow/internal/lower"
)

// lowering keeps rewritten bodies: batches run the same script again and again.
var lowering lower.Cache

// lacks tells whether a body that the parser refused has syntax that is lowered:
// for await, or the star of an async generator.
func lacks(body string) bool {
	if !strings.Contains(body, "await") && !strings.Contains(body, "async") {
		return false
	}
	src := tokenize(body)
	for i := range src.tokens {
		switch {
		case src.is(i, "await") && src.is(i-1, "for"):
			return true
		case src.is(i, "*") && (src.is(i-1, "async") || src.is(i-1, "function") && src.is(i-2, "async")):
			return true
		}
	}
	return false
}

// lowerTree parses what esbuild makes of a body. All positions in the tree are the
// author's.
func lowerTree(body, name string) (*ast.Program, error) {
	out, err := lowering.Body(body)
	if err != nil {
		return nil, err
	}
	tree, err := parseText(out.Code, name)
	if err != nil {
		return nil, fmt.Errorf("the rewritten script does not parse: %w", err)
	}
	fn, helpers, err := unwrap(tree)
	if err != nil {
		return nil, err
	}
	tree.Body = []ast.Statement{&ast.ExpressionStatement{Expression: fn}}
	tree.DeclarationList = nil
	w := &treeWalk{seen: map[any]bool{}, plans: map[reflect.Type][]int{}}
	w.move = func(at file.Idx) file.Idx { return file.Idx(out.Origin(int(at)-1) + 1) }
	w.note = func(node any) {
		if id, ok := node.(*ast.Identifier); ok && helpers[id.Name.String()] {
			id.Name = unistring.String("%" + strings.TrimRight(id.Name.String()[2:], "0123456789"))
		}
	}
	w.walk(reflect.ValueOf(tree.Body))
	return tree, nil
}

// parseText parses a text that needs no wrapper.
func parseText(text, name string) (tree *ast.Program, err error) {
	defer func() {
		if x := recover(); x != nil {
			tree, err = nil, fmt.Errorf("the parser gave up: %v", x)
		}
	}()
	return parser.ParseFile(nil, name, text, 0, parser.WithDisableSourceMaps)
}

var helperName = regexp.MustCompile(`^__(await|asyncGenerator|yieldStar|forAwait|knownSymbol|typeError)\d*$`)

// unwrap finds the body's function in the rewritten text, and the names of the
// helpers that are declared before it. Ours take their place.
func unwrap(tree *ast.Program) (*ast.ArrowFunctionLiteral, map[string]bool, error) {
	broken := errors.New("unbalanced brackets: the body closes the function that it is the body of")
	if len(tree.Body) != 1 {
		return nil, nil, broken
	}
	stmt, _ := tree.Body[0].(*ast.ExpressionStatement)
	if stmt == nil {
		return nil, nil, broken
	}
	outer, ok := stmt.Expression.(*ast.FunctionLiteral)
	if !ok {
		return nil, nil, broken
	}
	list := outer.Body.List
	helpers := map[string]bool{}
	for len(list) > 1 {
		decl, ok := list[0].(*ast.VariableStatement)
		if !ok || len(decl.List) != 1 {
			return nil, nil, broken
		}
		id, ok := decl.List[0].Target.(*ast.Identifier)
		if !ok || !helperName.MatchString(id.Name.String()) {
			return nil, nil, broken
		}
		helpers[id.Name.String()] = true
		list = list[1:]
	}
	ret, ok := list[0].(*ast.ReturnStatement)
	if !ok {
		return nil, nil, broken
	}
	fn, ok := ret.Argument.(*ast.ArrowFunctionLiteral)
	if !ok || !fn.Async || !marked(fn) {
		return nil, nil, broken
	}
	return fn, helpers, nil
}

// marked tells whether both markers stand in the function itself, and takes them
// off.
func marked(fn *ast.ArrowFunctionLiteral) bool {
	block, ok := fn.Body.(*ast.BlockStatement)
	if !ok || len(block.List) < 2 {
		return false
	}
	n := len(block.List) - 1
	if !isText(block.List[0], lower.First) || !isText(block.List[n], lower.Last) {
		return false
	}
	block.List = block.List[1:n]
	return true
}

func isText(s ast.Statement, want string) bool {
	stmt, ok := s.(*ast.ExpressionStatement)
	if !ok {
		return false
	}
	text, ok := stmt.Expression.(*ast.StringLiteral)
	return ok && text.Value.String() == want
}

// lowerFault puts a fault that esbuild found into our words.
func lowerFault(body string, err error) *ParseError {
	var fault *lower.Error
	if !errors.As(err, &fault) {
		return &ParseError{Reason: err.Error()}
	}
	return parseErrorAt(body, bytePosition(body, fault.Offset), lowerFirst(fault.Reason))
}
