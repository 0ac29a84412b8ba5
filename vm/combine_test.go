package vm

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// proves: W94, W112
func TestParallelTurnsOrdinaryThrowsIntoNull(t *testing.T) {
	h := want(t, `
		const forged = Object.assign(new Error('forged'), {name: 'WorkflowError', code: 'AGENT_CAP', fatal: true})
		return parallel([
			() => { throw new Error('boom') },
			() => agent('a'),
			() => 7,
			async () => { throw forged },
			() => { throw 'text' },
			() => Promise.reject(),
		])`, `[null,"answer to a",7,null,null,null]`)
	want := []Note{
		{Message: "parallel() item 0 became null: Error: boom", Pos: Position{4, 18}},
		{Message: "parallel() item 4 became null: text"},
		{Message: "parallel() item 3 became null: WorkflowError: forged", Pos: Position{2, 32}},
		{Message: "parallel() item 5 became null: undefined"},
	}
	var got []Note
	for _, n := range h.notes {
		if n.Kind != NoteDropped || n.Level != "warn" {
			t.Errorf("odd note %+v", n)
		}
		first, _, _ := strings.Cut(n.Message, "\n")
		got = append(got, Note{Message: first, Pos: n.Pos})
	}
	if len(got) == 4 && got[1].Message != want[1].Message {
		want[1], want[2] = want[2], want[1] // the order of microtasks is not the point
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A fatal error of one realm is an ordinary value in another, and a copy of one
// is no fatal error.
//
// proves: W199
func TestFatalityCannotBeForged(t *testing.T) {
	h := &testHost{agent: func(AgentCall, Settle) error { return &fault{"AGENT_CAP", "cap"} }}
	got, err := run(t, h, `
		let real
		try { await agent('x') } catch (e) { real = e }
		const copy = Object.create(real)
		const proxy = new Proxy(real, {})
		const clone = Object.assign(new real.constructor(real.message), real)
		return parallel([() => { throw copy }, () => { throw proxy }, () => { throw clone }, () => { throw structuredClone(real) }])`)
	if err != nil || got != `[null,null,null,null]` {
		t.Error(got, err)
	}
	_, err = run(t, h, `
		let real
		try { await agent('x') } catch (e) { real = e }
		delete real.fatal; real.name = 'Error'; Object.setPrototypeOf(real, null)
		return parallel([() => { throw real }])`)
	if err == nil || codeOf(err) != "AGENT_CAP" {
		t.Error("a disguised fatal error became null:", err)
	}
}

// proves: W95, W106, W108, W137
func TestPipeline(t *testing.T) {
	h := want(t, `return pipeline([10, 20], (prev, item, i) => { if (i === 0) throw new Error('no'); return 'kept' }, (prev, item, i) => agent(prev + '-' + item + '-' + i))`,
		`[null,"answer to kept-20-1"]`)
	if len(h.calls) != 1 {
		t.Error(h.calls)
	}
	want(t, `return pipeline([3], (...a) => a)`, `[[3,3,0]]`)
	want(t, `return [await parallel([]), await pipeline([], x => x)]`, `[[],[]]`)
	h = want(t, `
		const seen = []
		const out = await pipeline([1, 2, null], x => x === 1 ? null : undefined, x => { seen.push(x === undefined); return 'on' })
		return [out, seen]`, `[[null,"on","on"],[true,true]]`)
	if diff := cmp.Diff([]string{"pipeline() item 0 ended: stage 0 returned null"}, h.of(NoteDropped)); diff != "" {
		t.Error(diff)
	}
}

// proves: W107
func TestPipelineHasNoBarrier(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := &testHost{}
		h.agent = func(c AgentCall, settle Settle) error {
			d := time.Second
			if strings.HasPrefix(c.Prompt, "slow") {
				d = time.Minute
			}
			time.AfterFunc(d, func() { settle(text(c.Prompt+"!"), nil) })
			return nil
		}
		got, err := run(t, h, `return pipeline(['slow', 'fast'], x => agent(x), x => agent('two ' + x))`)
		if err != nil || got != `["two slow!!","two fast!!"]` {
			t.Error(got, err)
		}
		var order []string
		for _, c := range h.calls {
			order = append(order, c.Prompt)
		}
		if diff := cmp.Diff([]string{"slow", "fast", "two fast!", "two slow!"}, order); diff != "" {
			t.Error(diff)
		}
	})
}

// proves: W86, W87, W88, W90
func TestItemCap(t *testing.T) {
	o := Options{MaxItems: 2}
	for hook, body := range map[string]string{
		"parallel": `return parallel([() => agent('a'), () => 1, () => 1])`,
		"pipeline": `return pipeline([1, 2, 3], x => agent('a'))`,
	} {
		h := &testHost{}
		_, err := runWith(t, h, Script{Name: "t", Body: body}, o)
		var arg *ArgumentError
		if !errors.As(err, &arg) || arg.Code() != CodeItemCap {
			t.Fatalf("%v", err)
		}
		want := hook + "() received 3 items — over the per-call cap (2); split the work or raise maxItemsPerCall in the engine config"
		if err.Error() != want || len(h.calls) > 0 {
			t.Errorf("got %v, %d calls", err, len(h.calls))
		}
	}
	if got, err := runWith(t, &testHost{}, Script{Name: "t", Body: `return parallel([() => 1, () => 2])`}, o); got != `[1,2]` {
		t.Error(got, err)
	}
	h := &testHost{}
	wantCode(t, h, `return parallel([() => agent('a'), 3])`, CodeArgument)
	if len(h.calls) > 0 {
		t.Error("a good thunk ran beside a bad one")
	}
}

// proves: W113
func TestFatalErrorsEscapeAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		start := time.Now()
		for _, form := range []string{
			`parallel([() => agent('slow'), () => agent('x', 'bad'), () => agent('slow')])`,
			`pipeline([{}, 'bad', {}], x => agent('slow', x))`,
		} {
			h := &testHost{agent: func(c AgentCall, settle Settle) error {
				time.AfterFunc(time.Hour, func() { settle(nil, nil) })
				return nil
			}}
			err := wantCode(t, h, `return `+form, CodeArgument)
			if time.Since(start) > 0 {
				t.Errorf("%s waited for its siblings: %v", form, err)
			}
			if len(h.calls) != 2 {
				t.Errorf("%s: %d siblings ran, want 2", form, len(h.calls))
			}
		}
	})
}

func TestSettledAsksTheHost(t *testing.T) {
	h := &testHost{agent: func(c AgentCall, settle Settle) error {
		settle([]byte(fmt.Sprintf(`{"status":"completed","settled":%t}`, c.Settled)), nil)
		return nil
	}}
	got, err := run(t, h, `return [(await agent.settled('x', {label: 'l'})).settled, (await agent('x')).settled]`)
	if err != nil || got != `[true,false]` {
		t.Error(got, err)
	}
}
