package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
	"github.com/dsh-go/dsh-workflow/vm"
)

// proves: W58, W59, W99, W107, W204
func TestScriptOverAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
			delay := time.Minute
			if r.Prompt == "slow" {
				delay = time.Hour
			}
			return subagenttest.Script{Reply: r.Prompt + "!", Delay: delay}
		})
		start := time.Now()
		res := tr.run(request(lines(
			`phase('Find'); log('go'); log('')`,
			`const out = await pipeline(['slow', 'fast'], (p) => agent(p), (prev, item, i) => agent(prev + item + i, { phase: 'Check' }))`,
			`return out`)))
		wantValue(t, res, `["slow!slow0!","fast!fast1!"]`)
		if took := time.Since(start); took != time.Hour+time.Minute {
			t.Errorf("took %s: the fast item waited for the slow one", took)
		}
		var order []string
		for _, e := range facts[AgentQueued](tr.store) {
			order = append(order, *e.Phase+":"+e.Label)
		}
		if want := []string{"Find:slow", "Find:fast", "Check:fast!fast1", "Check:slow!slow0"}; !slices.Equal(order, want) {
			t.Errorf("order %q, want %q", order, want)
		}
		if p := facts[PhaseEntered](tr.store); len(p) != 1 || p[0].Title != "Find" {
			t.Errorf("phases %+v", p)
		}
		if l := facts[Logged](tr.store); len(l) != 2 || l[0].Message != "go" || l[1].Message != "" {
			t.Errorf("log %+v", l)
		}
	})
}

// proves: W60, W61, W62, W99, W139
func TestRequestCarriesOptions(t *testing.T) {
	tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
		return subagenttest.Script{Value: []byte(`{"b":1,"a":[true]}`), Reply: "text"}
	})
	res := tr.run(request(lines(
		`const schema = { type: 'object', properties: { b: { type: 'number' }, a: {} } }`,
		`const v = await agent('one', { schema, label: 'L' })`,
		`await agent('two', { model: 'm' }); await agent('three', { provider: 'p' })`,
		`return v`)))
	wantValue(t, res, `{"b":1,"a":[true]}`)
	reqs := tr.provider.Requests()
	if got := string(reqs[0].Schema); got != `{"type":"object","properties":{"b":{"type":"number"},"a":{}}}` {
		t.Errorf("schema %s", got)
	}
	if reqs[0].Label != "L" || reqs[0].Route != (subagent.Route{}) || reqs[1].Schema != nil {
		t.Errorf("requests %+v", reqs)
	}
	if reqs[1].Route != (subagent.Route{Model: "m"}) || reqs[2].Route != (subagent.Route{Provider: "p"}) {
		t.Errorf("routes %+v %+v", reqs[1].Route, reqs[2].Route)
	}
}

// proves: W68, W126, W127, W129
func TestEndings(t *testing.T) {
	for _, c := range []struct {
		name, body, text string
		line             int
	}{
		{"string", "\nthrow 'plain string failure'", "plain string failure", 0},
		{"object", "throw {code: 42}", "[object Object]", 0},
		{"error", "\n\nthrow new Error('boom')", "workflow:trial:3", 3},
		{"after await", "await null\n\n\n throw new TypeError('late')", "workflow:trial:4", 4},
		{"no stack", "const e = new Error('only this'); delete e.stack; e.stack = undefined; throw e", "only this", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := newTrial(t, echo).run(request(c.body))
			wantFault(t, res, StatusFailed, "SCRIPT_ERROR", c.text)
			if c.line > 0 && (res.Error.Position == nil || res.Error.Position.Line != c.line) {
				t.Errorf("position %+v, want line %d", res.Error.Position, c.line)
			}
		})
	}
	res := newTrial(t, echo).run(request(`await agent('x')`))
	wantValue(t, res, `null`)
	if res.Status != StatusCompleted {
		t.Errorf("status %s", res.Status)
	}
}

// proves: W70, W98, W114, W278
func TestSlotsAreFIFO(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
			return subagenttest.Script{Reply: r.Prompt, Delay: time.Second}
		})
		req := request(`return await parallel([` + list(5, "() => agent('%d')") + `])`)
		req.Limits.AtOnce = 2
		begin := time.Now()
		wantValue(t, tr.run(req), `["0","1","2","3","4"]`)
		if took := time.Since(begin); took != 3*time.Second {
			t.Errorf("five calls of a second, two at once, took %s", took)
		}
		if c := tr.provider.Counts(); c.Peak != 2 {
			t.Errorf("%d children at once", c.Peak)
		}

		tr = newTrial(t, echo)
		req.Limits.AtOnce = 1
		wantValue(t, tr.run(req), `["0","1","2","3","4"]`)
		for i, s := range facts[AgentStarted](tr.store) {
			if s.Seq != Seq(i+1) {
				t.Errorf("start %d is call %d", i, s.Seq)
			}
		}

		tr = newTrial(t, func(subagent.Request) subagenttest.Script { return subagenttest.Script{Delay: time.Hour} })
		req = request(`await parallel([() => agent('a'), () => agent('b')])`)
		req.Limits.AtOnce = 1
		r := tr.start(t.Context(), req)
		time.Sleep(time.Minute)
		r.Cancel(errors.New("enough"))
		res := tr.wait(r)
		wantFault(t, res, StatusCancelled, Cancelled, "workflow run cancelled: enough")
		if n := tr.provider.Counts().Started; n != 1 {
			t.Errorf("%d children started", n)
		}
		if res.Agents.Refused != 1 || res.Agents.Cancelled != 1 {
			t.Errorf("census %+v", res.Agents)
		}
	})
}

// proves: W99, W100, W101
func TestLabels(t *testing.T) {
	for _, c := range []struct{ prompt, want string }{
		{"Reply with exactly the word WF_CHILD_OK and nothing else.", "Reply with exactly the word WF_CHILD_OK and not…"},
		{"123456789012345678901234567890123456789012345678", "123456789012345678901234567890123456789012345678"},
		{"1234567890123456789012345678901234567890123456789", "12345678901234567890123456789012345678901234567…"},
		{"first\nsecond", "first"},
		{"0123456789012345678901234567890123456789012345\U0001F600\U0001F600x", "0123456789012345678901234567890123456789012345…"},
	} {
		if got := labelOf(c.prompt); got != c.want {
			t.Errorf("labelOf(%q) = %q, want %q", c.prompt, got, c.want)
		}
	}
}

// proves: W66, W109, W123, W151
func TestInfrastructureFault(t *testing.T) {
	broken := func(subagent.Request) subagenttest.Script {
		return subagenttest.Script{WaitErr: errors.New("pipe burst")}
	}
	tr := newTrial(t, broken)
	res := tr.run(request(`try { await agent('x') } catch (e) { return [e.name, e.code, e.fatal, e.message, e instanceof Error] }`))
	wantValue(t, res, `["WorkflowError","AGENT_RESULT",true,"child agent run failed: pipe burst",true]`)
	if res.Agents.Failed != 1 {
		t.Errorf("census %+v", res.Agents)
	}
	res = newTrial(t, broken).run(request(`return await parallel([() => agent('x')])`))
	wantFault(t, res, StatusFailed, AgentResult, "pipe burst")
	wantValue(t, newTrial(t, echo).run(request(`return agent('x')`)), `"x"`)
}

// proves: W65, W149, W280, A253
func TestStartRefused(t *testing.T) {
	tr := newTrial(t, func(subagent.Request) subagenttest.Script {
		return subagenttest.Script{StartErr: errors.New("no room at the inn")}
	})
	res := tr.run(request(`return await pipeline([1], (i) => agent('x' + i))`))
	wantFault(t, res, StatusFailed, AgentStart, "agent() could not start a child: no room at the inn")
	if res.Agents.Started != 0 || res.Agents.Refused != 1 {
		t.Errorf("census %+v", res.Agents)
	}
}

func TestUnknownModelIsFatal(t *testing.T) {
	tr := newTrial(t, func(subagent.Request) subagenttest.Script {
		return subagenttest.Script{Outcome: subagent.Failed, Failure: &subagent.Failure{Code: string(llm.CodeUnknownModel), Message: "no model is named gpt-99"}}
	})
	res := tr.run(request(`return await parallel([() => agent('x', {model: 'gpt-99'})])`))
	wantFault(t, res, StatusFailed, AgentStart, "gpt-99")
}

// proves: C09, W64, A253
func TestFailedAgentsNeverLookLikeResults(t *testing.T) {
	tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
		if r.Prompt == "3" {
			return subagenttest.Script{Reply: "fine"}
		}
		return subagenttest.Script{Outcome: subagent.Failed, Failure: &subagent.Failure{Code: "SERVER", Message: "the model answered 500"}}
	})
	res := tr.run(request(`const all = await parallel([` + list(10, "() => agent('%d', {label: 'n%[1]d'})") + `]); return all.filter(Boolean).length`))
	wantValue(t, res, `1`)
	if res.Status != StatusWithFailed || res.Agents.Failed != 9 || res.Agents.Completed != 1 {
		t.Errorf("status %s, census %+v", res.Status, res.Agents)
	}
	if len(res.Failures) != 9 || res.Failures[3] != (AgentFailure{Seq: 5, Label: "n4", Code: "SERVER", Message: "the model answered 500", SessionID: "spawn:" + string(*res.RunID) + "/5"}) {
		t.Errorf("failures %+v", res.Failures)
	}

	tr = newTrial(t, func(subagent.Request) subagenttest.Script { return subagenttest.Script{Outcome: subagent.Failed} })
	res = tr.run(request(`await parallel([() => agent('a'), () => agent('b')]); return {findings: []}`))
	if res.Status != StatusWithFailed || res.Agents.Failed != 2 || string(res.Value) != `{"findings":[]}` {
		t.Errorf("status %s, census %+v, value %s", res.Status, res.Agents, res.Value)
	}
}

func TestSettledNeverNulls(t *testing.T) {
	tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
		if r.Prompt == "bad" {
			return subagenttest.Script{Outcome: subagent.Failed, Failure: &subagent.Failure{Code: "TIMEOUT", Message: "silent"}}
		}
		return subagenttest.Script{Reply: "ok", Usage: llm.Usage{InputTokens: 3, CacheReadTokens: 4, OutputTokens: 5}}
	})
	res := tr.run(request(`const a = await agent.settled('good'), b = await agent.settled('bad'); delete a.sessionId; delete b.sessionId; return [a, b]`))
	wantValue(t, res, `[{"status":"completed","value":"ok","error":null,"usage":{"inputTokens":7,"cachedTokens":4,"outputTokens":5,"reasoningTokens":0,"costUsd":null}},`+
		`{"status":"failed","value":null,"error":{"code":"TIMEOUT","message":"silent"},"usage":{"inputTokens":0,"cachedTokens":0,"outputTokens":0,"reasoningTokens":0,"costUsd":null}}]`)
}

// proves: W63, W195
func TestSchemaWithoutValueIsAFailure(t *testing.T) {
	tr := newTrial(t, func(subagent.Request) subagenttest.Script { return subagenttest.Script{Reply: "prose"} })
	tr.engine.cfg.Providers = registryOf(t, valueless{tr.provider})
	res := tr.run(request(`return await agent('x', {schema: {type: 'object'}})`))
	wantValue(t, res, `null`)
	if res.Agents.Failed != 1 || res.Failures[0].Code != "STRUCTURED_OUTPUT" {
		t.Errorf("census %+v, failures %+v", res.Agents, res.Failures)
	}
}

func registryOf(t *testing.T, p subagent.Provider) *subagent.Registry {
	t.Helper()
	r, err := subagent.NewRegistry(p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// valueless is a provider that forgets schemas.
type valueless struct{ subagent.Provider }

func (v valueless) Start(ctx context.Context, req subagent.Request) (subagent.Child, error) {
	req.Schema = nil
	return v.Provider.Start(ctx, req)
}

// proves: W146
func TestProviderThatIsNotThere(t *testing.T) {
	tr := newTrial(t, echo)
	tr.engine.cfg.Provider = "nowhere"
	_, err := tr.engine.Start(t.Context(), request(`return 1`))
	if CodeOf(err) != AgentStart || err.Error() != `no subagent provider registered for "nowhere"` {
		t.Errorf("%v", err)
	}
}

// TestSpentIsWhatTheScriptSaw has results of different cost arrive together: the
// script counts them one at a time, in the order in which it sees them.
func TestSpentIsWhatTheScriptSaw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
			return subagenttest.Script{Reply: r.Prompt, Delay: time.Second, Usage: llm.Usage{OutputTokens: len(r.Prompt)}}
		})
		req := request(lines(
			`const seen = [budget.spent(), budget.total, budget.remaining() === Infinity]`,
			`await parallel(['a', 'bb', 'ccc', 'dddd'].map((p) => async () => { const before = budget.spent(); const v = await agent(p); seen.push(budget.spent() >= v.length, budget.spent() > before) }))`,
			`return [...seen, budget.spent()]`))
		req.Limits.AtOnce = 4
		wantValue(t, tr.run(req), `[0,null,true,true,true,true,true,true,true,true,true,10]`)
	})
}

func TestNestedWorkflowsAreRefusedByName(t *testing.T) {
	res := newTrial(t, echo).run(request(`return await workflow('other', {})`))
	wantFault(t, res, StatusFailed, InvalidArgument, "workflow() is not supported by this version")
}

func TestForgottenAwaitIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
			return subagenttest.Script{Reply: r.Prompt, Delay: time.Hour}
		})
		res := tr.run(request("\nagent('left', {label: 'L'})\nreturn 1"))
		wantValue(t, res, `1`)
		if len(res.Warnings) != 1 || res.Warnings[0].Code != "NOT_AWAITED" || res.Warnings[0].Line != 2 || !strings.Contains(res.Warnings[0].Message, "#1 (L)") {
			t.Errorf("warnings %+v", res.Warnings)
		}
	})
	res := newTrial(t, echo).run(request("const a = agent('x'); return { a }"))
	wantFault(t, res, StatusFailed, "RESULT_UNSERIALIZABLE", "put await before the call")
}

func TestOptionErrorsHaveAPlace(t *testing.T) {
	res := newTrial(t, echo).run(request("\n\nreturn await agent('x', { lable: 'y' })"))
	wantFault(t, res, StatusFailed, UnsupportedOption, `did you mean "label"`)
	if res.Error.Position == nil || res.Error.Position.Line != 3 {
		t.Errorf("position %+v", res.Error.Position)
	}
}

func TestLogShowsAllItsArguments(t *testing.T) {
	tr := newTrial(t, echo)
	tr.run(request(`log('x', 1, {a: 1}); await pipeline([1], () => null, (x) => x)`))
	if l := facts[Logged](tr.store); len(l) != 2 || !strings.HasPrefix(l[0].Message, "x 1 ") || !strings.Contains(l[1].Message, "returned null") {
		t.Errorf("logged %+v", l)
	}
	if w := facts[Warned](tr.store); len(w) != 0 {
		t.Errorf("warned %+v", w)
	}
}

func TestRetriesGoOnFromTheChild(t *testing.T) {
	failing := func(code string, then *subagenttest.Script) subagenttest.Script {
		return subagenttest.Script{Outcome: subagent.Failed, Failure: &subagent.Failure{Code: code, Message: "m"}, Then: then}
	}
	second := failing("SERVER", &subagenttest.Script{Reply: "third time"})
	tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
		if r.Prompt == "never" {
			return failing("REFUSAL", &subagenttest.Script{Reply: "not asked"})
		}
		return failing("TIMEOUT", &second)
	})
	res := tr.run(request(`return [await agent('x', {retries: 2}), await agent('x', {retries: 1}), await agent('x'), await agent('never', {retries: 9})]`))
	wantValue(t, res, `["third time",null,null,null]`)
	var attempts []int
	for _, e := range facts[AgentEnded](tr.store) {
		attempts = append(attempts, e.Attempts)
	}
	if !slices.Equal(attempts, []int{3, 2, 1, 1}) {
		t.Errorf("attempts %v", attempts)
	}
	if r := facts[AgentRetried](tr.store); len(r) != 3 || r[1].Attempt != 3 || r[1].Code != "SERVER" {
		t.Errorf("retried %+v", r)
	}
	if n := tr.provider.Counts().Started; n != 4 {
		t.Errorf("%d children", n)
	}
}

func TestTimeoutOption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
			return subagenttest.Script{Delay: time.Hour, Reply: "late"}
		})
		res := tr.run(request(`return await agent('x', {timeoutMs: 1500})`))
		wantValue(t, res, `null`)
		if len(res.Failures) != 1 || res.Failures[0].Code != "TIMEOUT" || res.DurationMS != 1500 {
			t.Errorf("failures %+v after %d ms", res.Failures, res.DurationMS)
		}
	})
}

// TestDurableBeforeSeen checks, at each result that the script sees, that its
// record is durable.
func TestDurableBeforeSeen(t *testing.T) {
	tr := newTrial(t, echo)
	tr.engine.cfg.Realm = func(Limits) Realm {
		return realmFunc(func(ctx context.Context, _ vm.Script, h vm.Host) (vm.Result, error) {
			seen := make(chan error, 50)
			for range 50 {
				err := h.Agent(vm.AgentCall{Prompt: "p"}, func(json.RawMessage, error) {
					tr.store.mu.Lock()
					defer tr.store.mu.Unlock()
					if _, ok := tr.store.records[tr.store.durable-1].Fact.(AgentEnded); !ok && tr.store.durable != len(tr.store.records) {
						seen <- errors.New("a result was seen before its record was durable")
						return
					}
					seen <- nil
				})
				if err != nil {
					return vm.Result{}, err
				}
			}
			for range 50 {
				if err := <-seen; err != nil {
					return vm.Result{}, err
				}
			}
			return vm.Result{}, nil
		})
	}
	res := tr.run(request(``))
	if res.Status != StatusCompleted {
		t.Errorf("%+v", res.Error)
	}
	if tr.store.syncs >= 102 {
		t.Errorf("%d syncs for 100 records: nothing shares one", tr.store.syncs)
	}
}
