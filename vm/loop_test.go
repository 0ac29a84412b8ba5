package vm

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// proves: C07
func TestCompletionFromManyGoroutines(t *testing.T) {
	const agents, rounds = 200, 100
	base := runtime.NumGoroutine()
	for round := range rounds {
		stop := round%4 == 3
		ctx, cancel := context.WithCancelCause(t.Context())
		because := errors.New("stop")
		var wg sync.WaitGroup
		var begin sync.WaitGroup
		begin.Add(agents)
		var settled atomic.Int32
		h := &testHost{}
		h.agent = func(c AgentCall, settle Settle) error {
			begin.Done()
			wg.Go(func() {
				begin.Wait() // all of them at once
				if settled.Add(1) == agents/2 && stop {
					cancel(because)
				}
				if strings.HasSuffix(c.Prompt, "1") {
					settle(nil, &fault{"AGENT_RESULT", c.Prompt})
				} else {
					settle(text(c.Prompt), nil)
				}
				settle(text("twice"), nil)
			})
			return nil
		}
		r, start := realmOf(t, h, fmt.Sprintf(`
			const all = await Promise.allSettled(Array.from({length: %d}, (_, i) => agent('a' + i)))
			return all.map((s, i) => s.status === 'fulfilled' ? s.value === 'a' + i : s.reason.message === 'a' + i && s.reason.fatal)
				.filter(x => !x).length`, agents))
		got, err := start(ctx)
		wg.Wait()
		switch {
		case stop && err == because:
		case !stop && err == nil && string(got.Value) == "0":
			if late := r.inbox.late(); late != agents {
				t.Fatalf("round %d: %d second completions counted, want %d", round, late, agents)
			}
		case stop && err == nil: // everything had settled before the stop was seen
		default:
			t.Fatalf("round %d: %s, %v", round, got.Value, err)
		}
		cancel(nil)
	}
	for range 100 {
		if runtime.NumGoroutine() <= base {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), base)
}

// Outcomes reach the script in the order of the Settle calls, timers in the
// same sequence, each with its microtasks drained.
func TestDeliveryOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var fire func()
		settles := map[string]Settle{}
		h := &orderHost{fire: &fire}
		h.agent = func(c AgentCall, settle Settle) error {
			settles[c.Prompt] = settle
			if len(settles) == 3 {
				go func() {
					settles["c"](text("C"), nil)
					fire()
					settles["a"](text("A"), nil)
					settles["b"](text("B"), nil)
				}()
			}
			return nil
		}
		got, err := run(t, h, `
			const out = []
			setTimeout(() => { out.push('timer'); queueMicrotask(() => out.push('timer micro')) }, 1)
			const one = async p => { out.push(await agent(p)); await null; out.push(p + ' micro') }
			await Promise.all(['a', 'b', 'c'].map(one))
			return out.join()`)
		if err != nil || got != `"C,c micro,timer,timer micro,A,a micro,B,b micro"` {
			t.Error(got, err)
		}
	})
}

// orderHost lets the test fire the timer.
type orderHost struct {
	testHost
	fire *func()
}

func (h *orderHost) After(_ time.Duration, fire func()) func() {
	*h.fire = fire
	return func() {}
}

// A host may answer inside Agent, as a replay does.
func TestSynchronousSettle(t *testing.T) {
	want(t, `const out = []; const p = agent('x').then(v => out.push(v)); out.push('sync'); await p; return out`, `["sync","answer to x"]`)
}

func TestRunReturnsWhenTheScriptSettles(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var late Settle
		h := &testHost{agent: func(c AgentCall, settle Settle) error {
			if c.Prompt == "stray" {
				late = settle
				return nil
			}
			settle(text("x"), nil)
			return nil
		}}
		r, start := realmOf(t, h, `agent('stray').then(() => log('ran')); setTimeout(() => log('ran'), 1000); return agent('x')`)
		got, err := start(t.Context())
		if err != nil || string(got.Value) != `"x"` {
			t.Fatal(got, err)
		}
		late(text("late"), nil)
		late(nil, errors.New("later"))
		time.Sleep(time.Hour)
		if len(h.notes) > 0 || r.inbox.late() != 2 {
			t.Error(h.notes, r.inbox.late())
		}
	})
}

func TestClearedTimerDoesNotRunThoughItFired(t *testing.T) {
	var fire func()
	h := &orderHost{fire: &fire}
	h.agent = func(_ AgentCall, settle Settle) error {
		settle(text("x"), nil)
		fire() // queued behind the answer, which clears it
		return nil
	}
	got, err := run(t, h, `
		const id = setTimeout(() => log('ran'), 5)
		await agent('x')
		clearTimeout(id)
		setTimeout(() => {}, 1)
		return (await Promise.race([agent('y'), null])) ?? 'done'`)
	if err != nil || len(h.notes) > 0 {
		t.Error(got, err, h.notes)
	}
}

// proves: W152
func TestValuesFromTheHostAreChecked(t *testing.T) {
	for name, value := range map[string]string{
		"deep":    strings.Repeat("[", 1_000_000),
		"invalid": `{"a":`,
	} {
		h := &testHost{agent: func(_ AgentCall, settle Settle) error { settle([]byte(value), nil); return nil }}
		err := wantCode(t, h, `return agent('x')`, "AGENT_RESULT")
		if !strings.Contains(err.Error(), "cannot enter the script") {
			t.Errorf("%s: %v", name, err)
		}
	}
	h := &testHost{agent: func(_ AgentCall, settle Settle) error { settle(nil, nil); return nil }}
	if got, err := run(t, h, `return [await agent('x')]`); got != `[null]` {
		t.Error(got, err)
	}
	h.agent = func(_ AgentCall, settle Settle) error {
		settle([]byte(`{"b":[1,{"__proto__":2}],"a":"é\u0000"}`), nil)
		return nil
	}
	if got, err := run(t, h, `const v = await agent('x'); return [v, Array.isArray(v.b), v instanceof Object, Object.keys(v)]`); got != `[{"b":[1,{"__proto__":2}],"a":"é\u0000"},true,true,["b","a"]]` {
		t.Error(got, err)
	}
}

// A host that answers and refuses at once breaks its contract; the loop must
// not lose count over it.
func TestRefusalAfterAnswer(t *testing.T) {
	h := &testHost{agent: func(_ AgentCall, settle Settle) error {
		settle(text("x"), nil)
		return &fault{"X", "refused"}
	}}
	wantCode(t, h, `try { await agent('x') } catch {} await new Promise(() => {})`, CodeNothingPending)
}
