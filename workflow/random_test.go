package workflow

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"
)

// scripts generates scripts whose course depends on the order in which things
// happen.
type scripts struct {
	t      *rapid.T
	calls  int
	timers bool
}

func (g *scripts) pick(n int, what string) int { return rapid.IntRange(0, n-1).Draw(g.t, what) }

func (g *scripts) list(depth int) string {
	parts := make([]string, g.pick(3, "more")+1)
	for i := range parts {
		parts[i] = "() => " + g.expr(depth-1)
	}
	return strings.Join(parts, ", ")
}

// expr is an expression that gives a promise.
func (g *scripts) expr(depth int) string {
	g.calls++
	n := g.calls
	kinds := 8
	if depth == 0 {
		kinds = 3
	}
	switch kind := g.pick(kinds, "kind"); {
	case kind == 0:
		return fmt.Sprintf(`agent('p%d')`, n)
	case kind == 1:
		return fmt.Sprintf(`agent('d%d ' + mark())`, n)
	case kind == 2:
		return fmt.Sprintf(`agent('t%d').then((v) => { seen.push(v); return v })`, n)
	case kind == 3:
		return fmt.Sprintf(`parallel([%s])`, g.list(depth))
	case kind == 4:
		return fmt.Sprintf(`pipeline([1, 2, 3], (v) => agent('s%d ' + v), (v, i) => { seen.push(i); return agent('u%d ' + i + mark()) })`, n, n)
	case kind == 5:
		return fmt.Sprintf(`Promise.race([%s, %s])`, g.expr(depth-1), g.expr(depth-1))
	case kind == 6 && g.timers:
		return fmt.Sprintf(`Promise.race([%s, sleep(%d)])`, g.expr(depth-1), 100_000*(1+g.pick(9, "ms")))
	}
	return fmt.Sprintf(`(async () => { const v = await %s; seen.push('a%d'); return [v, await %s] })()`, g.expr(depth-1), n, g.expr(depth-1))
}

func (g *scripts) script() string {
	var b strings.Builder
	b.WriteString("const seen = [], out = []\nconst mark = () => seen.length + ':' + String(seen.slice(-1)).slice(0, 8)\n")
	if g.timers {
		b.WriteString("const sleep = (ms) => new Promise((go) => setTimeout(() => { seen.push('z'); go(ms) }, ms))\n")
	}
	for range g.pick(3, "statements") + 1 {
		fmt.Fprintf(&b, "out.push(await %s)\n", g.expr(2))
	}
	b.WriteString("return [out, seen]")
	return b.String()
}

// TestAnyScriptCutAnywhere holds random scripts to what TestCutAnywhere holds
// chosen ones to, at random records, and cuts each resumed run once more.
func TestAnyScriptCutAnywhere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := &scripts{t: rt, timers: rapid.Bool().Draw(rt, "timers")}
		body, seed := g.script(), rapid.IntRange(0, 1000).Draw(rt, "seed")
		cuts := rapid.SliceOfN(rapid.IntRange(0, 999), 4, 4).Draw(rt, "cuts")
		synctest.Test(t, func(t *testing.T) {
			cutAnywhere(t, seed, body, func(records int) (at []int) {
				for _, c := range cuts {
					at = append(at, 1+c*(records-1)/1000)
				}
				return at
			})
		})
		if t.Failed() {
			rt.Fatalf("seed %d, cuts %v:\n%s", seed, cuts, body)
		}
	})
}
