package vm

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/internal/syntax"
)

// places checks that children lie inside of their parents, in which they are
// told apart, and that names stand where the tree says.
func places(t *testing.T, source string, root *syntax.Node) {
	t.Helper()
	root.Walk(func(n *syntax.Node) bool {
		if n.Start > n.End || n.End > len(source) {
			t.Errorf("%v %q: from %d to %d of %d", n.Kind, n.Text, n.Start, n.End, len(source))
			return false
		}
		if n.Is(syntax.Name, syntax.Bind) && source[n.Start:n.End] != n.Text && !strings.Contains(source[n.Start:n.End], `\`) {
			t.Errorf("the name %s stands at %q", n.Text, source[n.Start:n.End])
		}
		for _, k := range n.Kids {
			if k.Parent != n || !n.Holds(k) {
				t.Errorf("%v at %d is no child of %v, from %d to %d", k.Kind, k.Start, n.Kind, n.Start, n.End)
			}
		}
		return true
	})
}

func TestParse(t *testing.T) {
	for source, want := range map[string]string{
		"const [a, {b: c = 1, ...d}] = await agent(`x ${y} z`, {...o, k: 1, m() {}})": "(d const (v [a (p b (= c 1)) (... d)] (await (call agent `\"x \" y \" z\"` (spread o) (p k 1) (p m (fn ()))))))",
		"a?.b[c]?.(d); x ??= y || -1; i++":                                            "((call? (idx (mem? a b) c) d)) ((??= x (|| y (- 1)))) ((i ++))",
		"for (const f of xs) { if (f) continue; else break } while (1) ;":             "(for of (d const (v f _)) xs (if f continue break)) (while 1 empty)",
	} {
		root, err := Parse(Script{Body: source})
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		places(t, source, root)
		if got := shape(root.Body().Kids); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", source, got, want)
		}
	}
}

func shape(nodes []*syntax.Node) string {
	parts := make([]string, len(nodes))
	for i, n := range nodes {
		parts[i] = shapeOf(n)
	}
	return strings.Join(parts, " ")
}

func shapeOf(n *syntax.Node) string {
	heads := map[syntax.Kind]string{
		syntax.Declaration: "d " + n.Text, syntax.Declarator: "v", syntax.Property: "p " + n.Text, syntax.Default: "=", syntax.Rest: "...",
		syntax.Await: "await", syntax.Call: "call", syntax.Spread: "spread", syntax.Expression: "", syntax.Index: "idx", syntax.If: "if",
		syntax.While: "while", syntax.ForEach: "for " + n.Text, syntax.Function: "fn", syntax.Logical: n.Text, syntax.Assign: n.Text, syntax.Unary: n.Text,
	}
	kids := n.Kids
	switch n.Kind {
	case syntax.Name, syntax.Bind, syntax.Number:
		return n.Text
	case syntax.String:
		return fmt.Sprintf("%q", n.Text)
	case syntax.Missing:
		return "_"
	case syntax.Break:
		return "break"
	case syntax.Continue:
		return "continue"
	case syntax.Empty:
		return "empty"
	case syntax.Template:
		return "`" + shape(kids) + "`"
	case syntax.ArrayShape:
		return "[" + shape(kids) + "]"
	case syntax.ObjectShape, syntax.Object, syntax.Block:
		if n.Kind == syntax.Block && len(kids) == 0 {
			return "()"
		}
		return shape(kids)
	case syntax.Member:
		return "(mem" + map[bool]string{true: "?"}[n.Optional] + " " + shape(kids) + " " + n.Text + ")"
	case syntax.Property:
		kids = kids[1:]
	case syntax.Unary:
		if n.Postfix {
			return "(" + shape(kids) + " " + n.Text + ")"
		}
	case syntax.If, syntax.Function:
		if kids[len(kids)-1].Kind == syntax.Missing {
			kids = kids[:len(kids)-1]
		}
	}
	return strings.TrimSuffix("("+strings.TrimSpace(heads[n.Kind]+map[bool]string{true: "?"}[n.Optional]+" "+shape(kids)), " ") + ")"
}

// Every script of ours parses into a tree whose places are right, a byte order
// mark and text outside of ASCII included.
func TestParsePlaces(t *testing.T) {
	paths, err := filepath.Glob("../examples/*.js")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	sources := []string{
		"\ufeff#!/usr/bin/env x\nconst größe = 'ä€😀'; return größe.länge",
		"class A extends B { #p = 1; static { q() } get x() { return this.#p } static *y() { yield } }",
		"switch (a) { case 1: default: } try { } catch { } finally { } l: for (;;) break l",
	}
	for _, p := range paths {
		raw, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, strings.Replace(string(raw), "export const", "const", 1))
	}
	for _, source := range sources {
		root, err := Parse(Script{Body: source})
		if err != nil {
			t.Errorf("%.60s: %v", source, err)
			continue
		}
		places(t, source, root)
	}
}
