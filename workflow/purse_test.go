package workflow

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
)

// costly is a trial whose agents take a minute, use 100 output tokens and cost a
// dollar each.
func costly(t *testing.T) *trial {
	tr := newTrial(t, func(subagent.Request) subagenttest.Script {
		return subagenttest.Script{Delay: time.Minute, Usage: llm.Usage{OutputTokens: 100}}
	})
	tr.engine.cfg.Cost = func(r subagent.Route, u llm.Usage) (float64, bool) {
		return float64(u.OutputTokens) / 100, r.Model != "unpriced"
	}
	return tr
}

const wide = `return (await parallel(Array.from({ length: 20 }, (_, i) => () => agent('a' + i)))).length`

func TestBudgetsStopAdmissionAndKeepTheWork(t *testing.T) {
	for name, c := range map[string]struct {
		limits Limits
		code   string
		ran    int
	}{
		"tokens, one at a time": {Limits{Tokens: 450, AtOnce: 1}, "TOKEN_BUDGET", 4},
		"tokens to the last":    {Limits{Tokens: 500, AtOnce: 1}, "TOKEN_BUDGET", 5},
		"dollars":               {Limits{USD: 3.5, AtOnce: 1}, "MONEY_BUDGET", 3},
		"less than one agent":   {Limits{Tokens: 10, AtOnce: 1}, "TOKEN_BUDGET", 1},
		// Before the first end nothing is known: as many start as have slots.
		"four at once":            {Limits{Tokens: 450, AtOnce: 4}, "TOKEN_BUDGET", 4},
		"four at once, with room": {Limits{Tokens: 650, AtOnce: 4}, "TOKEN_BUDGET", 6},
		"whichever is first":      {Limits{Tokens: 250, USD: 100, AtOnce: 1}, "TOKEN_BUDGET", 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := costly(t)
				req := request(lines(wide))
				req.Limits = c.limits
				res := tr.run(req)
				if res.Status != StatusLimit || res.Error == nil || res.Error.Code != c.code {
					t.Errorf("%s, %+v", res.Status, res.Error)
				}
				if res.Agents.Completed != c.ran || res.Agents.Started != c.ran {
					t.Errorf("%+v, want %d", res.Agents, c.ran)
				}
				if n := len(facts[LimitReached](tr.store)); n != 1 {
					t.Errorf("%d records of the limit", n)
				}
			})
		})
	}
}

func TestBudgetThatIsEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := costly(t)
		req := request(lines(
			`const out = await parallel(Array.from({ length: 20 }, (_, i) => () => agent('a' + i)))`,
			`return [out.length, budget.total, budget.spent(), budget.remaining()]`))
		req.Limits = Limits{Tokens: 2000, USD: 20, AtOnce: 16}
		wantValue(t, tr.run(req), `[20,2000,2000,0]`)
	})
}

// A script that catches the refusal may finish, and is ended when it asks again.
func TestCaughtBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := costly(t)
		req := request(lines(
			`let n = 0`,
			`try { for (;;) { await agent('a' + n); n++ } } catch (e) { log('caught ' + e.code) }`,
			`return n`))
		req.Limits = Limits{Tokens: 300}
		res := tr.run(req)
		if res.Status != StatusLimit || string(res.Value) != `3` {
			t.Errorf("%s %s %+v", res.Status, res.Value, res.Error)
		}
	})
}

func TestMoneyNeedsPrices(t *testing.T) {
	tr := costly(t)
	req := request(lines(`await agent('a', { model: 'unpriced' })`))
	req.Limits = Limits{USD: 5}
	res := tr.run(req)
	if res.Status != StatusFailed || res.Error == nil || !strings.Contains(res.Error.Message, `the price of the model "unpriced"`) {
		t.Errorf("%s %+v", res.Status, res.Error)
	}
	req.Model = "unpriced"
	if _, err := tr.engine.Start(t.Context(), req); CodeOf(err) != InvalidArgument {
		t.Errorf("a model without a price starts: %v", err)
	}
	req.Limits = Limits{USD: -1}
	if _, err := tr.engine.Start(t.Context(), req); CodeOf(err) != InvalidArgument {
		t.Errorf("a negative budget starts: %v", err)
	}
}

func TestResumeWithAHigherBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := costly(t)
		req := request(lines(wide))
		req.Limits = Limits{Tokens: 500, AtOnce: 2}
		first := tr.run(req)
		if first.Agents.Completed != 5 {
			t.Fatalf("%+v", first.Agents)
		}
		resume := func(tokens int) Result {
			run, err := tr.engine.Resume(t.Context(), Resume{Run: *first.RunID, Limits: Limits{Tokens: tokens}})
			if err != nil {
				t.Fatal(err)
			}
			res, err := run.Wait(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		if res := resume(500); res.Status != StatusLimit || res.Agents.Replayed != 5 || res.Agents.Completed != 5 {
			t.Errorf("with the same budget: %s %+v", res.Status, res.Agents)
		}
		if res := resume(5000); res.Status != StatusCompleted || res.Agents.Replayed != 5 || res.Agents.Completed != 20 {
			t.Errorf("with a higher one: %s %+v %+v", res.Status, res.Agents, res.Error)
		}
	})
}
