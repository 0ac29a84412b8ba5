package vm

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"

	"github.com/dsh-go/dsh-workflow/internal/language"
)

// review collects what a tree shows of things that scripts must not do, or that
// the engine cannot do.
type review struct {
	found    []finding
	declared map[string]bool // names that the script declares; require may be one
	lower    bool            // there is syntax that must be rewritten
	foreign  bool            // there is an expression of our own matcher
	helpers  map[helper]bool // that a rewritten tree calls

	bodies map[*ast.BlockStatement]bool // of functions
	blocks []*ast.BlockStatement        // that declare functions
	strict bool

	catches []*ast.CatchStatement // with a parameter
}

// lacking tells whether the engine lacks something that the tree has.
func (r *review) lacking() bool {
	for _, b := range r.blocks {
		// Outside of strict code a function in a block is known around it, too.
		if !r.bodies[b] && !r.strict {
			return true
		}
	}
	return r.lower
}

// note looks at a node whose positions are settled.
func (r *review) note(node any) {
	switch n := node.(type) {
	case *ast.CallExpression:
		if id, ok := n.Callee.(*ast.Identifier); ok && id.Name == "require" {
			r.find(id.Idx, finding{family: "require", reason: "require() is not available in workflow scripts: they have no modules"})
		}
	case *ast.RegExpLiteral:
		r.expression(n.Idx, n.Pattern, n.Flags)
	case *ast.Identifier:
		if n.Name == "await" {
			r.find(n.Idx, finding{family: "await", reason: awaitReason, hint: awaitHint})
		}
		if strings.HasPrefix(n.Name.String(), "%") {
			r.helpers[helper(n.Name.String())] = true
		}
	case *ast.Binding:
		r.declare(n.Target)
	case *ast.FunctionLiteral:
		if n.Name != nil {
			r.declare(n.Name)
		}
		r.lower = r.lower || n.Async && n.Generator
		r.bodies[n.Body] = true
	case *ast.ArrowFunctionLiteral:
		if block, ok := n.Body.(*ast.BlockStatement); ok {
			r.bodies[block] = true
			r.strict = isStrict(block) // the outermost comes last
		}
	case *ast.BlockStatement:
		if slices.ContainsFunc(n.List, isFunction) {
			r.blocks = append(r.blocks, n)
		}
	case *ast.CatchStatement:
		if n.Parameter != nil {
			r.catches = append(r.catches, n)
		}
	case *ast.CaseStatement:
		r.lower = r.lower || slices.ContainsFunc(n.Consequent, isFunction)
	case *ast.IfStatement:
		r.lower = r.lower || isFunction(n.Consequent) || isFunction(n.Alternate)
	}
}

func isFunction(s ast.Statement) bool {
	_, ok := s.(*ast.FunctionDeclaration)
	return ok
}

func isStrict(b *ast.BlockStatement) bool {
	return len(b.List) > 0 && isText(b.List[0], "use strict")
}

func (r *review) declare(target any) {
	if id, ok := target.(*ast.Identifier); ok {
		r.declared[id.Name.String()] = true
	}
}

func (r *review) find(at file.Idx, f finding) {
	f.offset = max(int(at)-1, 0)
	r.found = append(r.found, f)
}

// expression looks at a regular expression that stands in the source.
func (r *review) expression(at file.Idx, pattern, flags string) {
	foreign, err := language.Foreign(pattern, flags)
	r.foreign = r.foreign || foreign
	switch {
	case err == nil:
	case modifiers.MatchString(pattern):
		r.find(at, finding{family: "modifier", reason: "modifiers such as (?i:…) in regular expressions are not supported by this version",
			hint: "put the flag on the whole expression"})
	default:
		r.find(at, finding{family: "expression", reason: "invalid regular expression: " + lowerFirst(err.Error())})
	}
}

var modifiers = regexp.MustCompile(`^(?:[^\\]|\\.)*?\(\?[ims]*-?[ims]+:`)
