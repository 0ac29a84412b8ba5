package lint_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh-workflow/lint"
)

// Sources that are long in one way each take a time that nobody minds, and more of
// a kind of finding than anybody reads is cut off.
func TestHostile(t *testing.T) {
	const head = "const r = await agent('x'), xs = []\n"
	for name, unit := range map[string]string{
		"branches":  "if (r) r.x;\n",
		"uses":      "r.x;\n",
		"leaving":   "if (!r) throw 1; r.y;\n",
		"comments":  "// dsh-ignore const-assign, no-result\n",
		"floating":  "f();\n",
		"raced":     "await agent(`${xs}`);\n",
		"else":      "if (r) r.x; else ",
		"sum":       "+ 'a' + r",
		"callbacks": "xs.map((q) => q.map((w) => agent(w)));\n",
		"free":      "nope.x;\n",
	} {
		source := head + "async function f() { return await agent('y') }\n"
		switch name {
		case "sum":
			source += "log(''" + strings.Repeat(unit, 900) + ")"
		case "else":
			source += strings.Repeat(unit, 3000) + ";"
		default:
			source += strings.Repeat(unit, (100<<10)/len(unit))
		}
		start := time.Now()
		r, err := lint.Check(lint.Script{Source: source, Body: source}, lint.Options{})
		if err != nil {
			t.Logf("%s: %.120v", name, err)
			continue
		}
		took := time.Since(start)
		t.Logf("%-10s %6d bytes %4d findings %v", name, len(source), len(r.Findings), took)
		if took > 10*time.Second || len(r.Findings) > 500 {
			t.Errorf("%s: %v, %d findings", name, took, len(r.Findings))
		}
	}
}
