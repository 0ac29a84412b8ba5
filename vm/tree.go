package vm

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// settleTree walks the whole tree once. It moves every position from the wrapped
// text to the author's, so that stack frames and compile errors need no
// correction, and lists what scripts must not do and what the engine cannot do,
// in the order of the source.
func settleTree(tree *ast.Program) []finding {
	w := &treeWalk{shift: file.Idx(len(opener)), seen: map[any]bool{}, plans: map[reflect.Type][]int{}, declared: map[string]bool{}}
	w.walk(reflect.ValueOf(tree.Body))
	w.walk(reflect.ValueOf(tree.DeclarationList))
	found := slices.DeleteFunc(w.found, func(f finding) bool { return w.declared[f.family] })
	slices.SortStableFunc(found, func(a, b finding) int { return a.offset - b.offset })
	return found
}

type treeWalk struct {
	shift    file.Idx
	seen     map[any]bool // declarations hang in the tree twice
	plans    map[reflect.Type][]int
	found    []finding
	declared map[string]bool // names that the script declares; require may be one
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

// note looks at a node whose positions are settled.
func (w *treeWalk) note(node any) {
	switch n := node.(type) {
	case *ast.CallExpression:
		if id, ok := n.Callee.(*ast.Identifier); ok && id.Name == "require" {
			w.find(id.Idx, finding{family: "require", reason: "require() is not available in workflow scripts: they have no modules"})
		}
		w.pattern(n.Callee, n.ArgumentList)
	case *ast.NewExpression:
		w.pattern(n.Callee, n.ArgumentList)
	case *ast.RegExpLiteral:
		w.expression(n.Idx, n.Pattern, n.Flags)
	case *ast.Identifier:
		if n.Name == "await" {
			w.find(n.Idx, finding{family: "await", reason: awaitReason, hint: awaitHint})
		}
	case *ast.Binding:
		w.declare(n.Target)
	case *ast.FunctionLiteral:
		if n.Name != nil {
			w.declare(n.Name)
		}
		if n.Async && n.Generator {
			w.find(n.Function, finding{family: "async generator", reason: asyncGeneratorReason, hint: asyncGeneratorHint})
		}
	}
}

func (w *treeWalk) declare(target any) {
	if id, ok := target.(*ast.Identifier); ok {
		w.declared[id.Name.String()] = true
	}
}

func (w *treeWalk) find(at file.Idx, f finding) {
	f.offset = max(int(at)-1, 0)
	w.found = append(w.found, f)
}

// pattern looks at RegExp("...", "u") with literal arguments.
func (w *treeWalk) pattern(callee ast.Expression, args []ast.Expression) {
	id, ok := callee.(*ast.Identifier)
	if !ok || id.Name != "RegExp" || len(args) < 2 {
		return
	}
	source, ok := args[0].(*ast.StringLiteral)
	flags, also := args[1].(*ast.StringLiteral)
	if ok && also {
		w.expression(id.Idx, source.Value.String(), flags.Value.String())
	}
}

// expression looks at a regular expression for what the engine lacks, or, worse,
// reads as something else.
func (w *treeWalk) expression(at file.Idx, pattern, flags string) {
	for _, flag := range []string{"v", "d"} {
		if strings.Contains(flags, flag) {
			w.find(at, finding{family: "flag " + flag, reason: "the flag " + flag + " of regular expressions is not supported by this version"})
			return
		}
	}
	if m := classEscape.FindStringSubmatch(pattern); m != nil && strings.Contains(flags, "u") {
		w.find(at, finding{family: "class", reason: m[1] + "{…} in regular expressions is not supported by this version",
			hint: "list the characters instead, as in [A-Za-zÀ-ÖØ-öø-ÿ]"})
	}
	if modifiers.MatchString(pattern) {
		w.find(at, finding{family: "modifier", reason: "modifiers such as (?i:…) in regular expressions are not supported by this version",
			hint: "put the flag on the whole expression"})
	}
}

var (
	classEscape = regexp.MustCompile(`^(?:[^\\]|\\[^pP])*?(\\[pP])\{`)
	modifiers   = regexp.MustCompile(`^(?:[^\\]|\\.)*?\(\?[ims]*-?[ims]+:`)
)

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
