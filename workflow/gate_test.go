package workflow

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
)

func minute(r subagent.Request) subagenttest.Script {
	return subagenttest.Script{Reply: r.Prompt, Delay: time.Minute, Usage: llm.Usage{InputTokens: 60, CacheReadTokens: 30, OutputTokens: 10}}
}

const six = `const all = await parallel([1,2,3,4,5,6].map((n) => () => agent('p' + n))); return all`

// gated is a request that asks beyond two agents.
func gated(body string, ask func(context.Context, Estimate) error) Request {
	req := request(body)
	req.Gate = Gate{Above: 2, Ask: ask}
	req.Limits = Limits{AtOnce: 8}
	return req
}

// TestGateHoldsBackWhatHasNotStarted asks before the third agent: the first two
// go on and end while nobody answers, no other starts, and one answer is enough.
func TestGateHoldsBackWhatHasNotStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, minute)
		asked := 0
		var at Estimate
		r := tr.start(t.Context(), gated(six, func(_ context.Context, e Estimate) error {
			asked++
			at = e
			time.Sleep(time.Hour)
			return nil
		}))
		time.Sleep(30 * time.Minute)
		if n := tr.provider.Counts().Starts; n != 2 {
			t.Errorf("%d agents started before the answer, want 2", n)
		}
		if n := len(facts[AgentEnded](tr.store)); n != 2 {
			t.Errorf("%d agents ended before the answer, want 2", n)
		}
		res := tr.wait(r)
		if res.Status != StatusCompleted || res.Agents.Completed != 6 || asked != 1 {
			t.Errorf("%s, %+v, asked %d times", res.Status, res.Agents, asked)
		}
		if at.Ended != 0 || at.Admitted < 3 || at.CostUSD != nil || at.ByCost {
			t.Errorf("asked with %+v", at)
		}
	})
}

func TestGateThatDeclines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, minute)
		r := tr.start(t.Context(), gated(`const a = await agent('first'); const all = await parallel([1,2,3].map((n) => () => agent('p' + n))); return all`,
			func(_ context.Context, e Estimate) error {
				if d := cmp.Diff(Estimate{Admitted: 4, Ended: 1, Tokens: 100}, e); d != "" && e.Admitted == 4 {
					t.Error(d)
				}
				return errors.New("no more, said ann")
			}))
		res := tr.wait(r)
		wantFault(t, res, StatusLimit, Declined, "agent() was declined: no more, said ann")
		if want := (Census{Started: 2, Completed: 2, Refused: 2}); res.Agents != want {
			t.Errorf("census %+v, want %+v", res.Agents, want)
		}
		for _, f := range facts[AgentRefused](tr.store) {
			if f.Code != "DECLINED" || f.Seq < 3 {
				t.Errorf("refused %+v", f)
			}
		}
		if l := facts[LimitReached](tr.store); len(l) != 1 {
			t.Errorf("limits %+v", l)
		}
	})
}

func TestGateAndCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, hour)
		r := tr.start(t.Context(), gated(six, func(ctx context.Context, _ Estimate) error {
			<-ctx.Done()
			return context.Cause(ctx)
		}))
		time.Sleep(time.Minute)
		r.Cancel(errors.New("ctrl-c"))
		res := tr.wait(r)
		wantFault(t, res, StatusCancelled, Cancelled, "workflow run cancelled: ctrl-c")
		if want := (Census{Started: 2, Cancelled: 2, Refused: 4}); res.Agents != want {
			t.Errorf("census %+v, want %+v", res.Agents, want)
		}
	})
}

// TestCost prices each call, asks when all admitted ones are expected to cost too
// much, and says unknown as soon as one price is.
func TestCost(t *testing.T) {
	price := func(r subagent.Route, u llm.Usage) (float64, bool) {
		return float64(u.OutputTokens) / 10, r.Model != "free"
	}
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, minute)
		tr.engine.cfg.Cost = price
		req := request(`const one = await agent.settled('a'); return [one.usage.costUsd, await parallel([1,2,3].map((n) => () => agent('p' + n)))]`)
		var at []Estimate
		req.Gate = Gate{CostUSD: 3.5, Ask: func(_ context.Context, e Estimate) error { at = append(at, e); return nil }}
		req.Limits = Limits{AtOnce: 8}
		res := tr.run(req)
		wantValue(t, res, `[1,["p1","p2","p3"]]`)
		if res.Usage.CostUSD == nil || *res.Usage.CostUSD != 4 {
			t.Errorf("the run cost %v, want 4", res.Usage.CostUSD)
		}
		if len(at) != 1 || !at[0].ByCost || *at[0].CostUSD != 1 || *at[0].Expected != 4 {
			t.Errorf("asked with %+v", at)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, minute)
		tr.engine.cfg.Cost = price
		res := tr.run(request(`return [await agent('a'), await agent('b', { model: 'free' })]`))
		if res.Usage.CostUSD != nil {
			t.Errorf("cost %v of a run with an unknown price", *res.Usage.CostUSD)
		}
	})
}
