package workflow

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
	"github.com/dsh-go/dsh-workflow/vm"
)

func hour(r subagent.Request) subagenttest.Script {
	return subagenttest.Script{Reply: r.Prompt, Delay: time.Hour}
}

// proves: W67, W158, W159, W160
func TestCancelBeforeTheBody(t *testing.T) {
	stopped, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("operator said no"))
	tr := newTrial(t, echo)
	r := tr.start(stopped, request(`log('never'); await agent('x')`))
	r.Cancel(errors.New("second reason"))
	res := tr.wait(r)
	wantFault(t, res, StatusCancelled, Cancelled, "workflow run cancelled: operator said no")
	if string(res.Value) != "null" || tr.provider.Counts().Starts != 0 || len(facts[Logged](tr.store)) != 0 {
		t.Errorf("value %s, %d starts", res.Value, tr.provider.Counts().Starts)
	}
	if a, b := facts[RunStarted](tr.store), facts[RunEnded](tr.store); len(a) != 1 || len(b) != 1 {
		t.Errorf("%d RunStarted, %d RunEnded", len(a), len(b))
	}

	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, hour)
		r := tr.start(t.Context(), request(`await agent('x')`))
		r.Cancel(nil)
		wantFault(t, tr.wait(r), StatusCancelled, Cancelled, "workflow run cancelled: workflow cancelled")
	})
}

// proves: W69, W157, W161, W173, W177
func TestCancelMidRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		tr := newTrial(t, hour)
		r := tr.start(ctx, request(`try { await agent('x') } catch { log('swallowed') } finally { log('final') } log('after'); return 'done'`))
		time.Sleep(time.Minute)
		cancel(nil)
		res := tr.wait(r)
		wantFault(t, res, StatusCancelled, Cancelled, "workflow run cancelled: workflow signal aborted")
		if string(res.Value) != "null" || len(facts[Logged](tr.store)) != 0 {
			t.Errorf("value %s, logged %+v", res.Value, facts[Logged](tr.store))
		}
		ends := facts[AgentEnded](tr.store)
		if len(ends) != 1 || ends[0].Outcome != subagent.Cancelled || res.Agents.Cancelled != 1 {
			t.Errorf("ends %+v, census %+v", ends, res.Agents)
		}
		if c := tr.provider.Counts(); c.Closed != 1 || c.Live != 0 {
			t.Errorf("%+v", c)
		}
	})
}

// proves: W165, C10
func TestCancelInEveryForm(t *testing.T) {
	forms := map[string]string{
		"direct":   `for (;;) { try { await agent('x') } catch { } }`,
		"parallel": `return await parallel([() => agent('a'), () => agent('b')])`,
		"pipeline": `return await pipeline(['a','b'], (p) => agent(p), (p) => agent('second ' + p))`,
		"parked":   `agent('x'); await new Promise(() => {}); return 'never'`,
	}
	moments := map[string]time.Duration{"at once": 0, "during": 30 * time.Minute, "between stages": time.Hour}
	for form, body := range forms {
		for moment, after := range moments {
			if after == time.Hour && (form == "parallel" || form == "parked") {
				continue // it has no second stage, and ends by itself
			}
			t.Run(form+" "+moment, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					tr := newTrial(t, hour)
					r := tr.start(t.Context(), request(body))
					if after > 0 {
						time.Sleep(after)
					}
					r.Cancel(errors.New("stop"))
					starts := tr.provider.Counts().Starts
					res := tr.wait(r)
					wantFault(t, res, StatusCancelled, Cancelled, "stop")
					synctest.Wait()
					if n := tr.provider.Counts().Live; n != 0 {
						t.Errorf("%d children live after the end", n)
					}
					if n := tr.provider.Counts().Started; n > starts+2 {
						t.Errorf("%d children started after the cancellation", n-starts)
					}
				})
			})
		}
	}
}

// proves: W71, W169, W170, W171
func TestStraysAreEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
			if r.Prompt == "starting" {
				return subagenttest.Script{StartDelay: time.Hour}
			}
			return hour(r)
		})
		begin := time.Now()
		req := request(`agent('stray'); agent('starting'); await agent.settled('first', {timeoutMs: 1000}); return 1`)
		req.Limits.AtOnce = 3
		res := tr.run(req)
		wantValue(t, res, `1`)
		if took := time.Since(begin); took != time.Second {
			t.Errorf("took %s", took)
		}
		if res.Status != StatusWithFailed || res.Agents.Cancelled != 1 || res.Agents.Refused != 1 {
			t.Errorf("status %s, census %+v", res.Status, res.Agents)
		}
		ends := facts[AgentEnded](tr.store)
		if last := ends[len(ends)-1]; last.Outcome != subagent.Cancelled || !strings.Contains(last.Error.Message, "workflow settled") {
			t.Errorf("stray ended as %+v", last)
		}
	})
}

// proves: W174, W176
func TestStuckChildIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
			return subagenttest.Script{Stuck: true}
		})
		t.Cleanup(tr.provider.Release)
		r := tr.start(t.Context(), request(`await parallel([() => agent('a'), () => agent('b')])`))
		time.Sleep(time.Second)
		begin := time.Now()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("Close took %s, over the grace", took)
		}
		res := tr.wait(r)
		wantFault(t, res, StatusCancelled, Cancelled, "workflow disposed")
		if res.Agents.Cancelled != 2 {
			t.Errorf("census %+v", res.Agents)
		}
		if !hasWarning(res, "ABANDONED") {
			t.Errorf("warnings %+v", res.Warnings)
		}
		tr.provider.Release()
		synctest.Wait()
	})
}

func hasWarning(r Result, code string) bool {
	for _, w := range r.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

// proves: W167, W168
func TestCloseAfterTheEnd(t *testing.T) {
	tr := newTrial(t, echo)
	r := tr.start(t.Context(), request(`return await agent('x')`))
	wantValue(t, tr.wait(r), `"x"`)
	for range 2 {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	wantValue(t, tr.wait(r), `"x"`)
}

// proves: W206, W207
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
			if r.Prompt == "quick" {
				return subagenttest.Script{Reply: "kept"}
			}
			return hour(r)
		})
		req := request(`await agent('quick'); await agent('slow')`)
		req.Limits.Deadline = 10 * time.Minute
		begin := time.Now()
		res := tr.run(req)
		wantFault(t, res, StatusLimit, Deadline, "deadline of 10m0s")
		if took := time.Since(begin); took != 10*time.Minute {
			t.Errorf("ended after %s", took)
		}
		if res.Agents.Completed != 1 || res.Agents.Cancelled != 1 {
			t.Errorf("census %+v", res.Agents)
		}
	})
}

// proves: W189, C05
func TestEndlessScriptsEndAtTheDeadline(t *testing.T) {
	for name, body := range map[string]string{
		"loop":       `while (true) {}`,
		"try loop":   `for (;;) { try { for (;;) {} } catch {} }`,
		"finally":    `for (;;) { try { throw 1 } catch {} finally { for (;;) {} } }`,
		"microtasks": `const again = () => Promise.resolve().then(again); await again()`,
		"await null": `for (;;) await null`,
		"sort":       `[3,2,1].sort(() => { for (;;) {} })`,
		"map":        `[1].map(() => { for (;;) {} })`,
		"replace":    `'a'.replace(/a/, () => { for (;;) {} })`,
		"toJSON":     `JSON.stringify({ toJSON() { for (;;) {} } })`,
		"proxy get":  `new Proxy({}, { get() { for (;;) {} } }).x`,
		"after call": `await agent('x'); for (;;) {}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTrial(t, echo)
			req := request("try { " + body + " } finally { log('finally ran') }")
			req.Limits.Deadline = 300 * time.Millisecond
			begin := time.Now()
			res := tr.run(req)
			wantFault(t, res, StatusLimit, Deadline, "deadline")
			if took := time.Since(begin); took > 2*time.Second {
				t.Errorf("ended after %s", took)
			}
			if l := facts[Logged](tr.store); len(l) != 0 {
				t.Errorf("logged %+v", l)
			}
			wantValue(t, newTrial(t, echo).run(request(`return await agent('next')`)), `"next"`)
		})
	}
}

func TestStretchOverItsBoundFails(t *testing.T) {
	req := request("let n = 0; await agent('x')\nfor (;;) {\n n++\n}")
	req.Limits.Sync = 50 * time.Millisecond
	res := newTrial(t, echo).run(req)
	wantFault(t, res, StatusFailed, "SYNC_TIMEOUT", "timed out")
	if res.Error.Position == nil || res.Error.Position.Line < 2 {
		t.Errorf("position %+v", res.Error.Position)
	}
}

// proves: W182
func TestHookPanicIsContained(t *testing.T) {
	tr := newTrial(t, echo)
	tr.engine.cfg.Realm = func(Limits) Realm {
		return realmFunc(func(context.Context, vm.Script, vm.Host) (vm.Result, error) {
			return vm.Result{}, &vm.PanicError{Value: "a fault of ours"}
		})
	}
	wantFault(t, tr.run(request(``)), StatusFailed, Internal, "a fault of ours")
}
