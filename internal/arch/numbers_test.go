package arch

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// The numbers of the house.
const (
	maxFile       = 600
	maxTestFile   = 900
	maxFuncLines  = 80
	maxStatements = 60
	maxFields     = 15
	maxMethods    = 5
	maxParams     = 5
	maxExported   = 40
	maxInterfaces = 20
)

// wide lists the structs that may have more fields: what goes over a wire or
// into a file as it is, and configuration.
var wide = []string{"Request", "Resume", "Config"} // of workflow: the configuration of a run; of dsh: that of a harness

// manyNames lists the rooms with more exported names, each with its reason.
var manyNames = map[string]string{
	"internal/syntax": "one constant for each kind of node",
	"llm":             "the vocabulary of messages, chunks and failure codes",
	"session":         "one type for each kind of event in the log",
	"vm":              "one type for each way in which a script ends, and the codes",
	"workflow":        "one type for each kind of record, and the codes",
}

func TestSizes(t *testing.T) {
	files, fset := readModule(t)
	interfaces := 0
	for _, f := range files {
		most := maxFile
		if f.Test {
			most = maxTestFile
		}
		if f.Lines > most {
			t.Errorf("%s has %d lines, over %d", f.Path, f.Lines, most)
		}
		if f.Test {
			continue
		}
		for _, d := range f.AST.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				checkFunc(t, fset, d)
			case *ast.GenDecl:
				interfaces += checkTypes(t, fset, d)
			}
		}
	}
	if interfaces > maxInterfaces {
		t.Errorf("%d exported interfaces, over %d", interfaces, maxInterfaces)
	}
}

func checkFunc(t *testing.T, fset *token.FileSet, d *ast.FuncDecl) {
	t.Helper()
	at := fset.Position(d.Pos())
	if lines := fset.Position(d.End()).Line - at.Line + 1; lines > maxFuncLines {
		t.Errorf("%s: %s has %d lines, over %d", at, d.Name.Name, lines, maxFuncLines)
	}
	if n := statements(d.Body); n > maxStatements {
		t.Errorf("%s: %s has %d statements, over %d", at, d.Name.Name, n, maxStatements)
	}
	if n := d.Type.Params.NumFields(); n > maxParams {
		t.Errorf("%s: %s has %d parameters, over %d", at, d.Name.Name, n, maxParams)
	}
	if d.Recv == nil && d.Name.Name == "init" {
		t.Errorf("%s: no init: pass values", at)
	}
	if d.Recv == nil && strings.HasPrefix(d.Name.Name, "With") && returnsFunc(d) {
		t.Errorf("%s: %s is a functional option: use one options struct", at, d.Name.Name)
	}
}

func returnsFunc(d *ast.FuncDecl) bool {
	if d.Type.Results.NumFields() != 1 {
		return false
	}
	_, ok := d.Type.Results.List[0].Type.(*ast.FuncType)
	return ok
}

func statements(body *ast.BlockStmt) int {
	n := 0
	if body == nil {
		return n
	}
	ast.Inspect(body, func(node ast.Node) bool {
		if s, ok := node.(ast.Stmt); ok {
			if _, block := s.(*ast.BlockStmt); !block {
				n++
			}
		}
		return true
	})
	return n
}

// checkTypes measures structs and interfaces and counts the exported interfaces.
func checkTypes(t *testing.T, fset *token.FileSet, d *ast.GenDecl) (interfaces int) {
	t.Helper()
	for _, spec := range d.Specs {
		ts, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		at := fset.Position(ts.Pos())
		switch typ := ts.Type.(type) {
		case *ast.StructType:
			if n := typ.Fields.NumFields(); n > maxFields && !slices.Contains(wide, ts.Name.Name) && !wireStruct(typ) {
				t.Errorf("%s: %s has %d fields, over %d", at, ts.Name.Name, n, maxFields)
			}
		case *ast.InterfaceType:
			if n := typ.Methods.NumFields(); n > maxMethods {
				t.Errorf("%s: %s has %d methods, over %d", at, ts.Name.Name, n, maxMethods)
			}
			if ts.Name.IsExported() && !sealed(typ) {
				interfaces++
			}
		}
	}
	return interfaces
}

// wireStruct tells a struct of which every field has a JSON tag.
func wireStruct(s *ast.StructType) bool {
	for _, f := range s.Fields.List {
		if f.Tag == nil || !strings.Contains(f.Tag.Value, `json:"`) {
			return false
		}
	}
	return true
}

// sealed tells a sum type: one unexported method without parameters.
func sealed(i *ast.InterfaceType) bool {
	return i.Methods.NumFields() == 1 && len(i.Methods.List[0].Names) == 1 && !i.Methods.List[0].Names[0].IsExported()
}

// TestDocumented asks for a comment on every exported name and every package.
func TestDocumented(t *testing.T) {
	files, fset := readModule(t)
	packages := map[string]bool{}
	names := map[string]int{}
	for _, f := range files {
		if f.Test {
			continue
		}
		packages[f.Room] = packages[f.Room] || f.AST.Doc != nil
		for _, d := range f.AST.Decls {
			names[f.Room] += checkDoc(t, fset, d)
		}
	}
	for room, documented := range packages {
		if !documented {
			t.Errorf("%s has no package comment", room)
		}
		if n := names[room]; n > maxExported && manyNames[room] == "" {
			t.Errorf("%s exports %d names, over %d", room, n, maxExported)
		}
	}
}

// checkDoc asks for comments and counts the exported names of a declaration.
func checkDoc(t *testing.T, fset *token.FileSet, d ast.Decl) (names int) {
	t.Helper()
	missing := func(n *ast.Ident) {
		t.Errorf("%s: %s has no comment", fset.Position(n.Pos()), n.Name)
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() || d.Recv != nil && !receiverExported(d) {
			return 0
		}
		if d.Doc == nil && !wellKnown(d) {
			missing(d.Name)
		}
		if d.Recv == nil {
			names++
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					names++
					if d.Doc == nil && s.Doc == nil {
						missing(s.Name)
					}
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() {
						names++
						if d.Doc == nil && s.Doc == nil && s.Comment == nil {
							missing(n)
						}
					}
				}
			}
		}
	}
	return names
}

// wellKnown are methods whose contract is that of an interface everybody knows.
func wellKnown(d *ast.FuncDecl) bool {
	return d.Recv != nil && slices.Contains([]string{"Error", "String", "Unwrap", "Is", "As", "MarshalJSON", "UnmarshalJSON", "Write", "Read", "Close"}, d.Name.Name)
}

func receiverExported(d *ast.FuncDecl) bool {
	typ := d.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return false
		}
	}
}
