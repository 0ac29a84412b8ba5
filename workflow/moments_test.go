package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
)

// slowly is a provider whose children take an hour to come into being.
func slowly(subagent.Request) subagenttest.Script {
	return subagenttest.Script{StartDelay: time.Hour}
}

// odd is a provider that deviates from the one it holds.
type odd struct {
	subagent.Provider
	refusal error                                          // Start waits for the cancellation, and fails with it
	wait    func(context.Context) (subagent.Result, error) // of every child; nil leaves it
	closing error                                          // what closing a child says
}

func (o odd) Start(ctx context.Context, req subagent.Request) (subagent.Child, error) {
	if o.refusal != nil {
		<-ctx.Done()
		return nil, o.refusal
	}
	c, err := o.Provider.Start(ctx, req)
	if err != nil {
		return nil, err
	}
	return oddChild{c, o}, nil
}

type oddChild struct {
	subagent.Child
	odd odd
}

func (c oddChild) Wait(ctx context.Context) (subagent.Result, error) {
	if c.odd.wait != nil {
		return c.odd.wait(ctx)
	}
	return c.Child.Wait(ctx)
}

func (c oddChild) Close() error {
	_ = c.Child.Close()
	return c.odd.closing
}

// noChild checks that a run left no trace of a child but one refused call.
func noChild(t *testing.T, tr *trial, res Result) {
	t.Helper()
	refused := facts[AgentRefused](tr.store)
	if len(refused) != 1 || refused[0].Seq != 1 || refused[0].Code != string(NotStarted) {
		t.Errorf("refusals %+v", refused)
	}
	if n := len(facts[AgentStarted](tr.store)) + len(facts[AgentEnded](tr.store)); n != 0 || res.Agents != (Census{Refused: 1}) {
		t.Errorf("%d records of a child, census %+v", n, res.Agents)
	}
	if c := tr.provider.Counts(); c.Started != 0 || c.Live != 0 {
		t.Errorf("%+v", c)
	}
}

// proves: W103, W150, W166
func TestEndWhileAChildIsStarted(t *testing.T) {
	for reason, end := range map[string]func(*Run){
		"enough":            func(r *Run) { r.Cancel(errors.New("enough")) },
		"workflow disposed": func(r *Run) { _ = r.Close() },
	} {
		synctest.Test(t, func(t *testing.T) {
			tr := newTrial(t, slowly)
			r := tr.start(t.Context(), request(`agent('x').catch(() => {}); await new Promise(() => {})`))
			time.Sleep(time.Minute)
			begin := time.Now()
			end(r)
			res := tr.wait(r)
			wantFault(t, res, StatusCancelled, Cancelled, reason)
			if took := time.Since(begin); took != 0 {
				t.Errorf("%s: ended after %s", reason, took)
			}
			if n := tr.provider.Counts().Starts; n != 1 {
				t.Errorf("%s: %d starts", reason, n)
			}
			noChild(t, tr, res)
		})
	}
}

// proves: W104
func TestRefusalAfterTheCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, echo)
		tr.engine.cfg.Providers = registryOf(t, odd{Provider: tr.provider, refusal: errors.New("no capacity")})
		r := tr.start(t.Context(), request(`await agent('x')`))
		time.Sleep(time.Minute)
		r.Cancel(errors.New("enough"))
		res := tr.wait(r)
		wantFault(t, res, StatusCancelled, Cancelled, "enough")
		noChild(t, tr, res)
	})
}

// proves: W131
func TestCancelAsTheCallIsMade(t *testing.T) {
	tr := newTrial(t, echo)
	var r *Run
	made := make(chan struct{})
	tr.engine.cfg.Route = func(route subagent.Route) (subagent.Route, []Warning) {
		<-made
		r.Cancel(errors.New("enough"))
		return route, nil
	}
	r = tr.start(t.Context(), request(`await agent('x')`))
	close(made)
	res := tr.wait(r)
	wantFault(t, res, StatusCancelled, Cancelled, "enough")
	noChild(t, tr, res)
	if n := tr.provider.Counts().Starts; n != 0 {
		t.Errorf("the provider was asked %d times", n)
	}
}

// A child that fails in its own way once it is cancelled, and one whose wait
// breaks then, end as cancelled all the same.
//
// proves: W105, W135
func TestFailureAfterTheCancellation(t *testing.T) {
	for name, result := range map[string]subagent.Result{
		"failed": {Outcome: subagent.Failed, Text: "so far", Failure: &subagent.Failure{Code: "SERVER", Message: "cut off"}},
		"broken": {},
	} {
		synctest.Test(t, func(t *testing.T) {
			tr := newTrial(t, hour)
			life := make(chan struct{})
			tr.engine.cfg.Providers = registryOf(t, odd{Provider: tr.provider, wait: func(ctx context.Context) (subagent.Result, error) {
				select {
				case <-ctx.Done():
				case <-life:
				}
				if name == "broken" {
					return result, errors.New("pipe closed")
				}
				return result, nil
			}})
			r := tr.start(t.Context(), request(`await agent('x')`))
			time.Sleep(time.Minute)
			r.Cancel(errors.New("enough"))
			close(life)
			res := tr.wait(r)
			wantFault(t, res, StatusCancelled, Cancelled, "enough")
			ends := facts[AgentEnded](tr.store)
			if len(ends) != 1 || ends[0].Outcome != subagent.Cancelled || ends[0].Error.Code != string(Cancelled) || ends[0].Text != result.Text {
				t.Errorf("%s: ends %+v", name, ends)
			}
			if res.Agents != (Census{Started: 1, Cancelled: 1}) || len(res.Failures) != 0 {
				t.Errorf("%s: census %+v, failures %+v", name, res.Agents, res.Failures)
			}
		})
	}
}

// proves: W115
func TestProviderThatLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, hour)
		r := tr.start(t.Context(), request(`return await pipeline(['a'], (p) => agent(p), (p) => agent(p))`))
		time.Sleep(time.Minute)
		if !tr.engine.cfg.Providers.Remove("spawn") {
			t.Fatal("no provider to remove")
		}
		res := tr.wait(r)
		wantFault(t, res, StatusFailed, AgentStart, `could not start a child: no subagent provider registered for "spawn"`)
		if res.Agents != (Census{Started: 1, Completed: 1, Refused: 1}) {
			t.Errorf("census %+v", res.Agents)
		}
	})
}

// proves: W147, W148
func TestChildThatIsDoneWhenItStarts(t *testing.T) {
	for _, broken := range []error{nil, errors.New("pipe burst")} {
		tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
			return subagenttest.Script{Reply: r.Prompt, WaitErr: broken}
		})
		res := tr.run(request(`return await agent('x')`))
		want := subagent.Completed
		if broken != nil {
			want = subagent.Failed
			wantFault(t, res, StatusFailed, AgentResult, "pipe burst")
		} else {
			wantValue(t, res, `"x"`)
		}
		starts, ends := facts[AgentStarted](tr.store), facts[AgentEnded](tr.store)
		if len(starts) != 1 || len(ends) != 1 || ends[0].Outcome != want || ends[0].Child != starts[0].Child {
			t.Errorf("starts %+v, ends %+v", starts, ends)
		}
		if c := tr.provider.Counts(); c.Closed != 1 {
			t.Errorf("%+v", c)
		}
	}
}

// proves: W153
func TestChildThatCannotBeClosed(t *testing.T) {
	tr := newTrial(t, echo)
	tr.engine.cfg.Providers = registryOf(t, odd{Provider: tr.provider, closing: errors.New("device busy")})
	res := tr.run(request(`return await agent('x', {label: 'L'})`))
	wantValue(t, res, `"x"`)
	if len(res.Warnings) != 1 || res.Warnings[0].Code != "AGENT_CLOSE" || res.Warnings[0].Message != "agent 1 (L) could not be closed: device busy" {
		t.Errorf("warnings %+v", res.Warnings)
	}
}

// listened is a context that counts who listens to it.
type listened struct {
	context.Context
	mu        sync.Mutex
	listeners int
}

func (l *listened) Value(any) any { return nil } // or the context inside would be listened to instead

func (l *listened) AfterFunc(f func()) func() bool {
	l.mu.Lock()
	l.listeners++
	l.mu.Unlock()
	stop := context.AfterFunc(l.Context, f)
	return func() bool {
		l.mu.Lock()
		l.listeners--
		l.mu.Unlock()
		return stop()
	}
}

func (l *listened) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.listeners
}

// proves: W162
func TestEndedRunsListenToNobody(t *testing.T) {
	for name, agents := range map[string]int{"ended": 2, "closed": 2, "at a limit": 1} {
		synctest.Test(t, func(t *testing.T) {
			inner, cancel := context.WithCancel(t.Context())
			ctx := &listened{Context: inner}
			tr := newTrial(t, hour)
			req := request(`await Promise.all([agent('x'), agent('y')])`)
			req.Limits.Agents = agents
			r := tr.start(ctx, req)
			time.Sleep(time.Minute)
			if n := ctx.count(); n != 1 {
				t.Fatalf("%s: %d listeners during the run", name, n)
			}
			if name == "closed" {
				_ = r.Close()
			}
			before := tr.wait(r)
			if n := ctx.count(); n != 0 {
				t.Errorf("%s: %d listeners after the end", name, n)
			}
			cancel()
			synctest.Wait()
			if after := tr.wait(r); after.Status != before.Status {
				t.Errorf("%s: %s became %s", name, before.Status, after.Status)
			}
		})
	}
}

// proves: W281
func TestLastWordsOfAFailure(t *testing.T) {
	tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
		if r.Prompt == "silent" {
			return subagenttest.Script{Outcome: subagent.Failed, Silent: true}
		}
		return subagenttest.Script{Outcome: subagent.Failed, Reply: "last words"}
	})
	tr.run(request(`await agent('speaks'); await agent('silent')`))
	ends := facts[AgentEnded](tr.store)
	if len(ends) != 2 || ends[0].Text != "last words" || ends[1].Text != "" || ends[1].Outcome != subagent.Failed {
		t.Errorf("ends %+v", ends)
	}
}

// A value that could be read alone, but not on a line of the journal, is refused.
func TestValueTooDeepForTheJournal(t *testing.T) {
	for depth, ok := range map[int]bool{400: true, 9_998: false, 10_000: false} {
		value := strings.Repeat(`{"a":`, depth) + `1` + strings.Repeat(`}`, depth)
		tr := newTrial(t, func(subagent.Request) subagenttest.Script {
			return subagenttest.Script{Value: []byte(value)}
		})
		res := tr.run(request(`await agent('x', {schema: {type: 'object'}}); return 1`))
		if ok {
			wantValue(t, res, `1`)
		} else {
			wantFault(t, res, StatusFailed, AgentResult, "nested too deep")
		}
		for _, r := range tr.store.records {
			line, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(line, new(Record)); err != nil {
				t.Errorf("depth %d: %v", depth, err)
			}
		}
	}
}

// apart is a store whose runs have nothing in common.
type apart struct{ *store }

func (apart) Create(context.Context, Header, []byte) (Journal, error) { return &store{}, nil }

// proves: W192
func TestRunsShareNoGlobals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, hour)
		tr.engine.cfg.Store = apart{tr.store}
		const look = `return [globalThis.leak ?? 0, [].leak ?? 0, ({}).leak ?? 0, (() => {}).leak ?? 0, 'x'.leak ?? 0, Promise.resolve().leak ?? 0, Math.leak ?? 0]`
		const leak = `for (const o of [globalThis, Array.prototype, Object.prototype, Function.prototype, String.prototype, Promise.prototype, Math]) ` +
			`try { Object.defineProperty(o, 'leak', {value: 1}) } catch {} `
		first := tr.start(t.Context(), request(leak+`await agent('x'); `+look))
		time.Sleep(time.Minute)
		value := func(r *Run) string {
			res, err := r.Wait(context.Background())
			if err != nil || res.Error != nil {
				t.Fatalf("%v, %+v", err, res.Error)
			}
			return string(res.Value)
		}
		const clean = `[0,0,0,0,0,0,0]`
		if got := value(tr.start(t.Context(), request(look))); got != clean {
			t.Errorf("a run beside it sees %s", got)
		}
		if got := value(first); got == clean {
			t.Errorf("the first run sees nothing of its own: %s", got)
		}
		if got := value(tr.start(t.Context(), request(look))); got != clean {
			t.Errorf("a run after it sees %s", got)
		}
	})
}
