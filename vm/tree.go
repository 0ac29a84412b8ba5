package vm

import (
	"reflect"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// settleTree walks the whole tree once. It moves every position from the wrapped
// text to the author's, so that stack frames and compile errors need no
// correction, and it refuses calls of require.
func settleTree(tree *ast.Program, body string) error {
	w := &treeWalk{shift: file.Idx(len(opener)), seen: map[any]bool{}, plans: map[reflect.Type][]int{}}
	w.walk(reflect.ValueOf(tree.Body))
	w.walk(reflect.ValueOf(tree.DeclarationList))
	if w.requires == nil || w.declaresRequire {
		return nil
	}
	p := tree.File.Position(int(w.requires.Idx0()) - 1)
	return parseErrorAt(body, Position{Line: p.Line, Column: p.Column},
		"require() is not available in workflow scripts: they have no modules")
}

type treeWalk struct {
	shift           file.Idx
	seen            map[any]bool // declarations hang in the tree twice
	plans           map[reflect.Type][]int
	requires        *ast.Identifier // callee of the first require()
	declaresRequire bool
}

var (
	idxType = reflect.TypeFor[file.Idx]()
	astPkg  = reflect.TypeFor[ast.Program]().PkgPath()
)

func (w *treeWalk) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			w.walk(v.Elem())
		}
	case reflect.Pointer:
		w.walkNode(v)
	case reflect.Slice:
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	case reflect.Struct:
		if v.Type().PkgPath() != astPkg {
			return
		}
		for _, i := range w.plan(v.Type()) {
			if f := v.Field(i); f.Type() == idxType {
				if f.CanSet() && f.Int() > 0 { // zero means no position
					f.SetInt(f.Int() - int64(w.shift))
				}
			} else {
				w.walk(f)
			}
		}
	}
}

func (w *treeWalk) walkNode(v reflect.Value) {
	if v.IsNil() || v.Type().Elem().PkgPath() != astPkg {
		return
	}
	node := v.Interface()
	if w.seen[node] {
		return
	}
	w.seen[node] = true
	w.walk(v.Elem())
	w.note(node)
}

// note looks for require: a call of the bare name, and anything that declares
// it, which makes the call the script's own affair.
func (w *treeWalk) note(node any) {
	switch n := node.(type) {
	case *ast.CallExpression:
		if id, ok := n.Callee.(*ast.Identifier); ok && id.Name == "require" && w.requires == nil {
			w.requires = id
		}
	case *ast.Binding:
		if id, ok := n.Target.(*ast.Identifier); ok && id.Name == "require" {
			w.declaresRequire = true
		}
	case *ast.FunctionLiteral:
		if n.Name != nil && n.Name.Name == "require" {
			w.declaresRequire = true
		}
	}
}

// plan lists the fields of a node that hold positions or more nodes.
func (w *treeWalk) plan(t reflect.Type) []int {
	if p, ok := w.plans[t]; ok {
		return p
	}
	p := []int{}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		switch f.Type.Kind() {
		case reflect.Interface, reflect.Pointer, reflect.Slice, reflect.Struct:
			p = append(p, i)
		default:
			if f.Type == idxType {
				p = append(p, i)
			}
		}
	}
	w.plans[t] = p
	return p
}
