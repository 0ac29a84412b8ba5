package syntax_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/internal/syntax"
	"github.com/dsh-go/dsh-workflow/vm"
)

// resolved lists what the names x of a script mean, as the line of the
// declaration, 0 for none.
func resolved(t *testing.T, source string) string {
	t.Helper()
	root, err := vm.Parse(vm.Script{Body: source})
	if err != nil {
		t.Fatal(err)
	}
	scopes := syntax.Resolve(root)
	line := func(at int) int { return 1 + strings.Count(source[:at], "\n") }
	var out []string
	root.Walk(func(n *syntax.Node) bool {
		if n.Kind == syntax.Name && n.Text == "x" {
			to := 0
			if b := scopes.Of(n); b != nil {
				to = line(b.Decl.Start)
			}
			out = append(out, fmt.Sprintf("%d:%d", line(n.Start), to))
		}
		return true
	})
	return strings.Join(out, " ")
}

func TestResolve(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"free", "x", "1:0"},
		{"before the declaration", "x\nconst x = 1", "1:2"},
		{"hoisted function behind a return", "return x()\nfunction x() {}", "1:2"},
		{"block", "const x = 1\n{\nconst x = 2; x\n}\nx", "3:3 5:1"},
		{"var leaves the block", "{ x\nvar x }\nx", "1:2 3:2"},
		{"parameter", "const x = 1\nconst f = (x) => x\nx", "2:2 3:1"},
		{"parameter pattern", "const f = ({ a: [x] }, ...r) =>\nx", "2:1"},
		{"default sees parameters", "const f = (x, y = x) => 1", "1:1"},
		{"loop", "for (const x of x) x\nx", "1:1 1:1 2:0"},
		{"catch", "try {} catch (x) { x }\nx", "1:1 2:0"},
		{"name of an expression", "const y = function x() { x }\nx", "1:1 2:0"},
		{"class", "class x {}\nx", "2:1"},
		{"switch", "switch (1) { case 1: let x; x }\nx", "1:1 2:0"},
		{"keys are no names", "const o = { x: 1 }; o.x", ""},
		{"short keys are", "const x = 1\nconst o = { x }", "2:1"},
	} {
		if got := resolved(t, c.source); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestWrites(t *testing.T) {
	source := "let a, b, c, d, e, f; a = 1; ({ k: b, ...c } = o); [d = f] = o; e++; for (f of o) f"
	root, err := vm.Parse(vm.Script{Body: source})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, b := range syntax.Resolve(root).Bindings {
		got[b.Name] = len(b.Writes)
	}
	if d := cmp.Diff(map[string]int{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1}, got); d != "" {
		t.Error(d)
	}
}
