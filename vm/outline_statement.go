package vm

import (
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"

	"github.com/dsh-go/dsh-workflow/internal/syntax"
)

func (o *outline) statements(list []ast.Statement) []*syntax.Node {
	out := make([]*syntax.Node, 0, len(list))
	for _, s := range list {
		out = append(out, o.statement(s))
	}
	return out
}

func (o *outline) block(b *ast.BlockStatement) *syntax.Node {
	if b == nil {
		return missing()
	}
	return o.node(syntax.Block, "", b.LeftBrace, b.RightBrace+1, o.statements(b.List)...)
}

func (o *outline) statement(s ast.Statement) *syntax.Node {
	switch s := s.(type) {
	case *ast.BlockStatement:
		return o.block(s)
	case *ast.ExpressionStatement:
		return o.span(syntax.Expression, "", o.expression(s.Expression))
	case *ast.VariableStatement:
		return o.declaration("var", s.Var, s.List)
	case *ast.LexicalDeclaration:
		return o.declaration(s.Token.String(), s.Idx, s.List)
	case *ast.FunctionDeclaration:
		return o.expression(s.Function)
	case *ast.ClassDeclaration:
		return o.expression(s.Class)
	case *ast.IfStatement:
		n := o.span(syntax.If, "", o.expression(s.Test), o.statement(s.Consequent), o.perhaps(s.Alternate))
		n.Start = max(strings.LastIndex(o.text[:n.Start], "if"), 0) // the parser does not say
		return n
	case *ast.ReturnStatement:
		return o.node(syntax.Return, "", s.Return, s.Return+6, o.or(s.Argument))
	case *ast.ThrowStatement:
		return o.node(syntax.Throw, "", s.Throw, s.Throw+5, o.expression(s.Argument))
	case *ast.BranchStatement:
		return o.branch(s)
	case *ast.LabelledStatement:
		return o.node(syntax.Labelled, s.Label.Name.String(), s.Label.Idx, 0, o.statement(s.Statement))
	case *ast.EmptyStatement:
		return o.word(syntax.Empty, "", s.Semicolon, 1)
	case *ast.TryStatement:
		return o.try(s)
	case *ast.SwitchStatement:
		return o.choose(s)
	}
	return o.loop(s)
}

func (o *outline) perhaps(s ast.Statement) *syntax.Node {
	if s == nil {
		return missing()
	}
	return o.statement(s)
}

func (o *outline) branch(s *ast.BranchStatement) *syntax.Node {
	kind := syntax.Break
	if s.Token == token.CONTINUE {
		kind = syntax.Continue
	}
	label := ""
	if s.Label != nil {
		label = s.Label.Name.String()
	}
	return o.node(kind, label, s.Idx, s.Idx+file.Idx(len(s.Token.String())))
}

func (o *outline) declaration(word string, at file.Idx, list []*ast.Binding) *syntax.Node {
	kids := make([]*syntax.Node, 0, len(list))
	for _, b := range list {
		kids = append(kids, o.span(syntax.Declarator, "", o.target(b.Target, true), o.or(b.Initializer)))
	}
	return o.node(syntax.Declaration, word, at, 0, kids...)
}

func (o *outline) try(s *ast.TryStatement) *syntax.Node {
	caught, last := missing(), missing()
	if s.Catch != nil {
		caught = o.node(syntax.Catch, "", s.Catch.Catch, 0, o.target(s.Catch.Parameter, true), o.block(s.Catch.Body))
	}
	if s.Finally != nil {
		last = o.block(s.Finally)
	}
	return o.node(syntax.Try, "", s.Try, 0, o.block(s.Body), caught, last)
}

func (o *outline) choose(s *ast.SwitchStatement) *syntax.Node {
	kids := []*syntax.Node{o.expression(s.Discriminant)}
	for _, c := range s.Body {
		kids = append(kids, o.node(syntax.Case, "", c.Case, c.Case+4, append([]*syntax.Node{o.or(c.Test)}, o.statements(c.Consequent)...)...))
	}
	return o.node(syntax.Switch, "", s.Switch, s.RightBrace+1, kids...)
}

func (o *outline) loop(s ast.Statement) *syntax.Node {
	switch s := s.(type) {
	case *ast.ForStatement:
		return o.node(syntax.For, "", s.For, 0, o.initializer(s.Initializer), o.or(s.Test), o.or(s.Update), o.statement(s.Body))
	case *ast.ForInStatement:
		return o.node(syntax.ForEach, "in", s.For, 0, o.into(s.Into), o.expression(s.Source), o.statement(s.Body))
	case *ast.ForOfStatement:
		return o.node(syntax.ForEach, "of", s.For, 0, o.into(s.Into), o.expression(s.Source), o.statement(s.Body))
	case *ast.WhileStatement:
		return o.node(syntax.While, "", s.While, 0, o.expression(s.Test), o.statement(s.Body))
	case *ast.DoWhileStatement:
		return o.node(syntax.DoWhile, "", s.Do, s.RightParenthesis+1, o.statement(s.Body), o.expression(s.Test))
	case *ast.WithStatement:
		return o.node(syntax.Block, "", s.With, 0, o.span(syntax.Expression, "", o.expression(s.Object)), o.statement(s.Body))
	}
	return &syntax.Node{Kind: syntax.Empty}
}

func (o *outline) initializer(init ast.ForLoopInitializer) *syntax.Node {
	switch init := init.(type) {
	case *ast.ForLoopInitializerExpression:
		return o.expression(init.Expression)
	case *ast.ForLoopInitializerVarDeclList:
		return o.declaration("var", init.Var, init.List)
	case *ast.ForLoopInitializerLexicalDecl:
		return o.declaration(init.LexicalDeclaration.Token.String(), init.LexicalDeclaration.Idx, init.LexicalDeclaration.List)
	}
	return missing()
}

// into is what a loop over a list gives each value to.
func (o *outline) into(into ast.ForInto) *syntax.Node {
	declare := func(word string, at file.Idx, target *syntax.Node) *syntax.Node {
		return o.node(syntax.Declaration, word, at, 0, o.span(syntax.Declarator, "", target, missing()))
	}
	switch into := into.(type) {
	case *ast.ForIntoVar:
		return declare("var", into.Binding.Idx0(), o.binding(into.Binding, true))
	case *ast.ForDeclaration:
		word := "let"
		if into.IsConst {
			word = "const"
		}
		return declare(word, into.Idx, o.target(into.Target, true))
	case *ast.ForIntoExpression:
		return o.target(into.Expression, false)
	}
	return missing()
}
