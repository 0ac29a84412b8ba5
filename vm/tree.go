package vm

import (
	"reflect"
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// settleTree walks the whole tree once. It moves every position from the wrapped
// text to the author's, so that stack frames and compile errors need no
// correction, and collects what the tree shows.
func settleTree(tree *ast.Program) *review { return reviewTree(tree, file.Idx(len(opener))) }

func reviewTree(tree *ast.Program, shift file.Idx) *review {
	r := &review{declared: map[string]bool{}, bodies: map[*ast.BlockStatement]bool{}, helpers: map[helper]bool{}}
	walkTree(tree, shift, r.note)
	r.found = slices.DeleteFunc(r.found, func(f finding) bool { return r.declared[f.family] })
	slices.SortStableFunc(r.found, func(a, b finding) int { return a.offset - b.offset })
	return r
}

// walkTree shows every node once, the inner ones before the outer, with all
// positions in them moved back by shift.
func walkTree(tree *ast.Program, shift file.Idx, note func(node any)) {
	w := &treeWalk{move: func(at file.Idx) file.Idx { return at - shift }, note: note, seen: map[any]bool{}, plans: map[reflect.Type][]int{}}
	w.walk(reflect.ValueOf(tree.Body))
	w.walk(reflect.ValueOf(tree.DeclarationList))
}

type treeWalk struct {
	move  func(file.Idx) file.Idx
	note  func(node any)
	swap  func(node any) any // what takes the place of a node, nil to leave it
	seen  map[any]bool       // declarations hang in the tree twice
	plans map[reflect.Type][]int
}

var (
	idxType = reflect.TypeFor[file.Idx]()
	astPkg  = reflect.TypeFor[ast.Program]().PkgPath()
)

func (w *treeWalk) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		w.walk(v.Elem())
		if w.swap == nil {
			return
		}
		if other := w.swap(v.Interface()); other != nil {
			v.Set(reflect.ValueOf(other))
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
					f.SetInt(int64(w.move(file.Idx(f.Int()))))
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
