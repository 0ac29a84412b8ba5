package vm

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

const (
	opener = "(async () => {"
	// The newline keeps a trailing line comment from eating the closer.
	closer = "\n})"
)

// Check parses a script without running it. It answers what [InProcess.Run]
// would refuse before the first statement: a *ParseError.
func Check(s Script) error {
	_, err := compile(s, Options{}.withDefaults())
	return err
}

// fileName is how the script reads in stack frames.
func fileName(s Script) string { return "workflow:" + s.Name }

// program is a compiled body. Its value is one async function, or, where it needs
// help, a function that takes the helpers and gives that.
type program struct {
	code  *goja.Program
	needs []helper
}

// compile turns a body into a program whose positions are the author's.
func compile(s Script, opts Options) (prog *program, err error) {
	body := plainStart(s.Body)
	tree, err := treeOf(body, fileName(s), opts)
	if err != nil {
		return nil, err
	}
	defer func() {
		// The compiler has panicked on malformed input before.
		if x := recover(); x != nil {
			prog, err = nil, &ParseError{Reason: fmt.Sprintf("the compiler gave up: %v", x)}
		}
	}()
	needs := equip(tree)
	code, err := goja.CompileAST(tree.Program, false)
	if err != nil {
		return nil, compileFault(body, err)
	}
	return &program{code: code, needs: needs}, nil
}

// parsed is the tree of a body, and what a look at it showed.
type parsed struct {
	*ast.Program
	review *review
}

// treeOf parses a body, and refuses what is no body or what this version cannot
// run. Positions in the tree are the author's.
func treeOf(body, name string, opts Options) (*parsed, error) {
	if err := scan(body, opts); err != nil {
		return nil, err
	}
	if fence(body) != nil { // it may read as two templates
		return nil, diagnose(body, opts, nil, nil)
	}
	p := &parsed{}
	tree, err := parseBody(body, name)
	switch {
	case err == nil:
		if err := oneFunction(tree, len(opener)+len(body)+len(closer)); err != nil {
			if f := strayCloser(body); f != nil {
				return nil, refuse(body, *f)
			}
			return nil, err
		}
		p.Program, p.review = tree, settleTree(tree)
	case !lacks(body):
		return nil, diagnose(body, opts, err, nil)
	}
	if p.Program == nil || p.review.lacking() && len(p.review.found) == 0 {
		tree, fault := lowerTree(body, name)
		switch {
		case fault != nil && err == nil:
			return nil, lowerFault(body, fault)
		case fault != nil:
			return nil, diagnose(body, opts, err, lowerFault(body, fault))
		}
		p.Program, p.review = tree, reviewTree(tree, 0)
	}
	p.File = file.NewFile(name, body, 1)
	if len(p.review.found) > 0 {
		return nil, refuse(body, placedAwaits(body, p.review.found)...)
	}
	return p, nil
}

// placedAwaits says more about an await that no async function is around.
func placedAwaits(body string, found []finding) []finding {
	for i, f := range found {
		if f.family == "await" {
			src := tokenize(body)
			found[i] = src.awaitFinding(src.at(f.offset))
		}
	}
	return found
}

// plainStart makes a byte order mark and a hashbang harmless without moving
// anything on the lines below.
func plainStart(body string) string {
	if rest, ok := strings.CutPrefix(body, "\ufeff"); ok {
		body = rest
	}
	if rest, ok := strings.CutPrefix(body, "#!"); ok {
		body = "//" + rest
	}
	return body
}

// oneFunction refuses a body that closes the function around it.
func oneFunction(tree *ast.Program, size int) error {
	broken := &ParseError{Reason: "unbalanced brackets: the body closes the function that it is the body of"}
	if len(tree.Body) != 1 {
		return broken
	}
	stmt, ok := tree.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return broken
	}
	fn, ok := stmt.Expression.(*ast.ArrowFunctionLiteral)
	if !ok || !fn.Async {
		return broken
	}
	block, ok := fn.Body.(*ast.BlockStatement)
	if !ok || int(block.LeftBrace) != len(opener) || int(block.RightBrace) != size-1 {
		return broken
	}
	return nil
}

func compileFault(body string, err error) *ParseError {
	var syntax *goja.CompilerSyntaxError
	if !errors.As(err, &syntax) || syntax.File == nil {
		return &ParseError{Reason: err.Error()}
	}
	reason := lowerFirst(syntax.Message)
	if strings.Contains(reason, "PrivateIdentifier") {
		reason = "a private name can only be used inside the class that declares it"
	}
	return parseErrorAt(body, bytePosition(body, min(max(syntax.Offset, 0), len(body))), reason)
}

// parseErrorAt builds the excerpt. The position comes in bytes and leaves in
// characters.
func parseErrorAt(body string, pos Position, reason string) *ParseError {
	line := lineOf(body, pos.Line)
	before := line[:min(max(pos.Column-1, 0), len(line))]
	pos.Column = utf8.RuneCountInString(before) + 1
	return &ParseError{Reason: reason, Pos: pos, Excerpt: excerpt(line, before, pos.Line)}
}

const excerptWidth = 100

// excerpt prints a window of the line with a caret under the fault.
func excerpt(line, before string, number int) string {
	runes := []rune(strings.ReplaceAll(line, "\t", " "))
	caret := utf8.RuneCountInString(before)
	if start := max(0, caret-excerptWidth/2); start > 0 {
		runes, caret = runes[start:], caret-start
	}
	if len(runes) > excerptWidth {
		runes = runes[:excerptWidth]
	}
	gutter := fmt.Sprintf("%5d | ", number)
	return gutter + string(runes) + "\n" +
		strings.Repeat(" ", len(gutter)-2) + "| " + strings.Repeat(" ", caret) + "^"
}

func lineOf(body string, number int) string {
	for ; number > 1; number-- {
		_, rest, found := strings.Cut(body, "\n")
		if !found {
			return ""
		}
		body = rest
	}
	line, _, _ := strings.Cut(body, "\n")
	return strings.TrimSuffix(line, "\r")
}

func lowerFirst(s string) string {
	if s == "" || (len(s) > 1 && s[1] >= 'A' && s[1] <= 'Z') {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
