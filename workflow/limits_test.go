package workflow

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
)

// proves: W96, W97, W144
func TestAgentCap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
			return subagenttest.Script{Reply: r.Prompt, Delay: time.Minute}
		})
		req := request(`return await parallel([` + list(50, "() => agent('%d')") + `])`)
		req.Limits.Agents, req.Limits.AtOnce = 5, 2
		res := tr.run(req)
		wantFault(t, res, StatusLimit, AgentCap, "total agent cap (5)")
		if res.Agents.Started != 5 || res.Agents.Completed != 5 || res.Agents.Refused != 45 {
			t.Errorf("census %+v: what was admitted must finish", res.Agents)
		}
		if l := facts[LimitReached](tr.store); len(l) != 1 || l[0].Code != "AGENT_CAP" {
			t.Errorf("limits %+v", l)
		}
	})
	tr := newTrial(t, echo)
	req := request(`try { await agent('') } catch {} try { await agent('x', 'y') } catch {} return await agent('last')`)
	req.Limits.Agents = 1
	wantValue(t, tr.run(req), `"last"`)
}

func TestCapIsCaughtOnce(t *testing.T) {
	tr := newTrial(t, echo)
	req := request(`let n = 0; for (;;) { try { await agent('x' + n) } catch { n++ } }`)
	req.Limits.Agents = 5
	res := tr.run(req)
	wantFault(t, res, StatusLimit, AgentCap, "total agent cap (5)")
	// The second refusal interrupts the script; it may ask a little on until then.
	if res.Agents.Completed != 5 || res.Agents.Refused < 2 || res.Agents.Refused > 5000 {
		t.Errorf("census %+v", res.Agents)
	}

	tr = newTrial(t, echo)
	req = request(`let got = []; try { for (;;) got.push(await agent('x')) } catch (e) { got.push(e.code) } return got`)
	req.Limits.Agents = 2
	res = tr.run(req)
	if res.Status != StatusLimit || string(res.Value) != `["x","x","AGENT_CAP"]` {
		t.Errorf("status %s, value %s", res.Status, res.Value)
	}
}

func TestItemCapIsRememberedWhenCaught(t *testing.T) {
	req := request(`try { await parallel([() => 1, () => 2]) } catch {} return 'went on'`)
	req.Limits.Items = 1
	res := newTrial(t, echo).run(req)
	if res.Status != StatusLimit || string(res.Value) != `"went on"` || res.Error.Code != string(ItemCap) {
		t.Errorf("%s %s %+v", res.Status, res.Value, res.Error)
	}
}

func TestCancelCutsTheDrainShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, hour)
		req := request(`await parallel([() => agent('a'), () => agent('b'), () => agent('c')])`)
		req.Limits.Agents, req.Limits.AtOnce = 2, 1
		r := tr.start(t.Context(), req)
		time.Sleep(time.Minute)
		begin := time.Now()
		r.Cancel(errors.New("now"))
		res := tr.wait(r)
		if time.Since(begin) != 0 || res.Status != StatusLimit || res.Agents.Cancelled != 1 {
			t.Errorf("%s, %+v after %s", res.Status, res.Agents, time.Since(begin))
		}
	})
}

// proves: W86, W87, W88
func TestItemCap(t *testing.T) {
	for body, over := range map[string]bool{
		`return (await parallel([() => 1, () => 2, () => 3])).length`: true,
		`return (await pipeline([1, 2, 3], (x) => x)).length`:         true,
		`return (await parallel([() => 1, () => 2])).length`:          false,
		`return (await pipeline([1, 2], (x) => x)).length`:            false,
	} {
		req := request(body)
		req.Limits.Items = 2
		res := newTrial(t, echo).run(req)
		if over {
			wantFault(t, res, StatusLimit, ItemCap, "over the per-call cap (2)")
		} else {
			wantValue(t, res, `2`)
		}
	}
}

// proves: W143, W156
func TestStartRefusals(t *testing.T) {
	tr := newTrial(t, echo)
	for name, c := range map[string]struct {
		change func(*Request)
		code   Code
	}{
		"relative root":   {func(r *Request) { r.Root = "x" }, InvalidArgument},
		"cwd outside":     {func(r *Request) { r.Root, r.Cwd = "/a", "/b" }, InvalidArgument},
		"negative limit":  {func(r *Request) { r.Limits.Agents = -1 }, InvalidArgument},
		"args no JSON":    {func(r *Request) { r.Args = []byte("{") }, InvalidArgument},
		"meta twice":      {func(r *Request) { r.Meta = []byte(`{"name":"a","description":"b"}`) }, MetaInvalid},
		"too long":        {func(r *Request) { r.Limits.Source = 10 }, ScriptParse},
		"body":            {func(r *Request) { r.Source += "let = =" }, ScriptParse},
		"no meta, strict": {func(r *Request) { r.Source, r.Strict = "return 1", true }, ScriptParse},
		"no meta no name": {func(r *Request) { r.Source = "return 1" }, ScriptParse},
	} {
		req := request(`return 1;`)
		c.change(&req)
		r, err := tr.engine.Start(t.Context(), req)
		if err == nil {
			t.Errorf("%s: started %s", name, r.ID())
			continue
		}
		if got := CodeOf(err); got != c.code {
			t.Errorf("%s: %s (%v), want %s", name, got, err, c.code)
		}
		if inv := Invalid("x", err); inv.Status != StatusInvalid || inv.RunID != nil || inv.Error.Code != string(c.code) {
			t.Errorf("%s: envelope %+v", name, inv)
		}
	}
	if len(tr.store.records) != 0 {
		t.Errorf("%d records of runs that were refused", len(tr.store.records))
	}
	req := request(``)
	req.Source, req.Name = "return args", "plain"
	res := tr.run(req)
	wantValue(t, res, `null`)
	if res.Name != "plain" || !hasWarning(res, "META_MISSING") {
		t.Errorf("name %q, warnings %+v", res.Name, res.Warnings)
	}
}

// TestLogIsBounded has a script log without end: what is over the limit is left
// out and counted, and the run goes on.
func TestLogIsBounded(t *testing.T) {
	req := request(lines(
		`for (let i = 0; i < 1000; i++) log('x'.repeat(36))`,
		`await parallel([() => { throw new Error('of an item') }])`,
		`return await agent('went on')`))
	req.Limits.Log = 1000
	tr := newTrial(t, echo)
	res := tr.run(req)
	wantValue(t, res, `"went on"`)
	if n := len(facts[Logged](tr.store)); n != 10 {
		t.Errorf("%d lines of 36 bytes, each with 64 more, under a limit of 1000", n)
	}
	if w := facts[Warned](tr.store); len(w) != 2 || w[1].Code != "ITEM_FAILED" || w[0].Code != "LOG_TRUNCATED" || w[0].Message != "the script logged more than 1000 bytes; further lines are left out" {
		t.Errorf("warned %+v", w)
	}
	if end := facts[RunEnded](tr.store); len(end) != 1 || end[0].LinesLeftOut != 990 {
		t.Errorf("end %+v", end)
	}

	tr = newTrial(t, echo)
	req = request(`for (let i = 0; i < 100; i++) await parallel([() => { throw new Error('of an item') }])`)
	req.Limits.Log = 1000
	if tr.run(req); len(facts[Warned](tr.store)) > 10 {
		t.Errorf("%d warnings under the same limit", len(facts[Warned](tr.store)))
	}

	tr = newTrial(t, echo)
	tr.run(request(`for (let i = 0; i < 20; i++) log('x'.repeat(1 << 20))`))
	if n := len(facts[Logged](tr.store)); n != 15 {
		t.Errorf("%d lines of a megabyte under the default", n)
	}
}
