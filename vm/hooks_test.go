package vm

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// proves: W59, W68, W92, W109, W110
func TestHooksReachTheHost(t *testing.T) {
	h := want(t, `
		phase('Plan'); log('one'); log('')
		phase('Do')
		return agent('x', {label: 'l', schema: {z: 1, a: [true, null, 1.5]}})`, `"answer to x"`)
	if diff := cmp.Diff([]string{"Plan", "Do"}, h.phases); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"one", ""}, h.of(NoteLog)); diff != "" {
		t.Error(diff)
	}
	calls := []AgentCall{{
		Prompt: "x", Options: json.RawMessage(`{"label":"l","schema":{"z":1,"a":[true,null,1.5]}}`),
		Pos: Position{Line: 4, Column: 15},
	}}
	if diff := cmp.Diff(calls, h.calls); diff != "" {
		t.Error(diff)
	}
	want(t, ``, `null`)
	want(t, `return {then(r) { r(agent('y')) }}`, `"answer to y"`)
	wantCode(t, &testHost{}, `return {then(r) { r(new Date(0)) }}`, CodeUnserializable)
}

// proves: W76, W79, W89, W93, C11
func TestHookArguments(t *testing.T) {
	for body, message := range map[string]string{
		`await agent(42)`:                            "agent() requires a non-empty prompt string, but received a number",
		`await agent('')`:                            "agent() requires a non-empty prompt string, but received an empty string",
		`await agent()`:                              "agent() requires a non-empty prompt string, but received undefined",
		`await agent('x', 'y')`:                      "agent() options must be an object, but received a string",
		`await agent('x', null)`:                     "agent() options must be an object, but received null",
		`await agent('x', [])`:                       "agent() options must be an object, but received an array",
		`await agent('x', {get a() { throw 1 }})`:    "agent() options must be plain JSON data — agent() options.a: accessor properties cannot cross the workflow realm boundary",
		`await agent('x', new Proxy({}, {}))`:        "agent() options must be plain JSON data — agent() options: proxies are not plain JSON data",
		`phase('')`:                                  "phase() requires a non-empty title string, but received an empty string",
		`phase()`:                                    "phase() requires a non-empty title string, but received undefined",
		`await parallel('no')`:                       "parallel() requires an array of zero-argument functions, but received a string",
		`await parallel()`:                           "parallel() requires an array of zero-argument functions, but received undefined",
		`await pipeline({}, x => x)`:                 "pipeline() requires an items array, but received an object",
		`await pipeline([1])`:                        "pipeline() requires at least one stage function",
		`await pipeline([1], 'x')`:                   "pipeline() stage 0 is not a function: it is a string",
		`await parallel([() => agent('no'), 3])`:     "parallel() item 1 is not a function: it is a number",
		`await parallel([agent.settled('a'), null])`: "parallel() item 0 is not a function: it is a promise, so the call has already begun; wrap it in a function: () => agent(…); parallel() item 1 is not a function: it is null",
	} {
		h := &testHost{}
		err := wantCode(t, h, body, CodeArgument)
		if err.Error() != message {
			t.Errorf("%s\n got %s\nwant %s", body, err, message)
		}
		var arg *ArgumentError
		if !errors.As(err, &arg) || arg.Pos.Line != 1 {
			t.Errorf("%s: no position: %v", body, err)
		}
		if len(h.calls) > 0 && !h.calls[0].Settled {
			t.Errorf("%s: an agent was called", body)
		}
	}
	// agent, parallel and pipeline reject; phase throws where it stands.
	want(t, `
		const out = []
		for (const f of [() => agent(1), () => parallel(1), () => pipeline(1)]) {
			try { const p = f(); out.push(typeof p.then); await p } catch (e) { out.push(e.code) }
		}
		try { phase('') } catch (e) { out.push('threw ' + e.code) }
		return out.join()`, `"function,INVALID_ARGUMENT,function,INVALID_ARGUMENT,function,INVALID_ARGUMENT,threw INVALID_ARGUMENT"`)
}

// proves: W66, W122, W198
func TestHostErrorsInTheScript(t *testing.T) {
	broken := &fault{"AGENT_RESULT", "child agent run failed: wire"}
	h := &testHost{agent: func(_ AgentCall, settle Settle) error { settle(nil, broken); return nil }}
	got, err := run(t, h, `
		try { await agent('x') } catch (e) {
			return [e.name, e.code, e.fatal, e.message, e instanceof Error, Object.keys(e), e.stack]
		}`)
	want := `["WorkflowError","AGENT_RESULT",true,"child agent run failed: wire",true,["code","fatal"],` +
		`"WorkflowError: child agent run failed: wire\n    at workflow:t:2:20"]`
	if err != nil || got != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	for _, body := range []string{
		`return await agent('x')`,
		`return parallel([() => agent('x')])`,
		`return pipeline([1], () => agent('x'))`,
		`return pipeline([1], () => parallel([async () => { await agent('x') }]))`,
		`agent('x'); await new Promise(r => setTimeout(r, 1)); return 'fine'`, // nobody looked at it
	} {
		if _, err := run(t, h, body); err != broken {
			t.Errorf("%s: got %v, want the host's own error", body, err)
		}
	}
	refused := &fault{"AGENT_CAP", "no more"}
	h = &testHost{agent: func(AgentCall, Settle) error { return refused }}
	if _, err := run(t, h, `agent('x'); return 1`); err != refused {
		t.Errorf("unobserved refusal: %v", err)
	}
	if got, err := run(t, h, `try { await agent('x') } catch { return 'caught' }`); err != nil || got != `"caught"` {
		t.Errorf("caught refusal: %s %v", got, err)
	}
	h = &testHost{phase: func(string) error { return refused }}
	if _, err := run(t, h, `phase('x')`); err != refused {
		t.Errorf("phase: %v", err)
	}
	if _, err := run(t, h, `setTimeout(() => phase('x'), 1); await new Promise(r => setTimeout(r, 50))`); err != refused {
		t.Errorf("phase in a timer: %v", err)
	}
}

// proves: W91
func TestCoercedArguments(t *testing.T) {
	h := want(t, `phase(1); phase(true); log({a: [1]}); log(undefined); log(() => 1); return 1`, `1`)
	if diff := cmp.Diff([]string{"1", "true"}, h.phases); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{`{"a":[1]}`, "undefined", "[function]"}, h.of(NoteLog)); diff != "" {
		t.Error(diff)
	}
	if n := len(h.of(NoteCoerced)); n != 5 {
		t.Errorf("%d coercions noted, want 5: %v", n, h.notes)
	}
}

func TestConsole(t *testing.T) {
	h := want(t, `
		console.log('a', 1, {b: [null]}, [undefined], Symbol('s'))
		console.info(); console.debug(new Map()); console.warn('w'); console.error(new Error('e').message)
		console.log({toString() { throw 1 }, get x() { throw 2 }})
		return Object.keys(console).join()`, `"log,info,debug,warn,error"`)
	got := []Note{}
	for _, n := range h.notes {
		got = append(got, Note{Level: n.Level, Message: n.Message})
	}
	wantNotes := []Note{
		{Level: "info", Message: `a 1 {"b":[null]} [null] Symbol(s)`},
		{Level: "info", Message: ``},
		{Level: "info", Message: `[object Map]`},
		{Level: "warn", Message: `w`},
		{Level: "error", Message: `e`},
		{Level: "info", Message: `[unrenderable thrown value]`},
	}
	if diff := cmp.Diff(wantNotes, got); diff != "" {
		t.Error(diff)
	}
}

func TestBudget(t *testing.T) {
	total := 100.0
	h := &testHost{spent: 30}
	body := `'use strict'
		try { budget.total = 1 } catch (e) { return [budget.total, budget.spent(), String(budget.remaining()), e.name] }`
	got, err := runScript(t, h, Script{Name: "t", Body: body, BudgetTotal: &total})
	if err != nil || got != `[100,30,"70","TypeError"]` {
		t.Error(got, err)
	}
	h.spent = 130
	if got, _ := runScript(t, h, Script{Name: "t", Body: `return budget.remaining()`, BudgetTotal: &total}); got != "0" {
		t.Error("overspent:", got)
	}
	want(t, `return [budget.total, String(budget.remaining())]`, `[null,"Infinity"]`)
}

// proves: W120, W121
func TestArgs(t *testing.T) {
	body := `return {t: typeof args, x: args?.x ?? null, arr: Array.isArray(args)}`
	for args, value := range map[string]string{
		`{"x":1}`: `{"t":"object","x":1,"arr":false}`,
		`"plain"`: `{"t":"string","x":null,"arr":false}`,
		`"[1"`:    `{"t":"string","x":null,"arr":false}`,
		`[1,2]`:   `{"t":"object","x":null,"arr":true}`,
		`null`:    `{"t":"object","x":null,"arr":false}`,
		`7`:       `{"t":"number","x":null,"arr":false}`,
		``:        `{"t":"undefined","x":null,"arr":false}`,
	} {
		s := Script{Name: "t", Body: body}
		if args != "" {
			s.Args = json.RawMessage(args)
		}
		if got, err := runScript(t, &testHost{}, s); err != nil || got != value {
			t.Errorf("args %s: %s, %v; want %s", args, got, err, value)
		}
	}
	mine := json.RawMessage(`{"z":{"n":1},"a":2}`)
	got, err := runScript(t, &testHost{}, Script{Name: "t", Args: mine,
		Body: `args.z.n = 5; args.z.m = 6; return [Object.keys(args).join(), args, args instanceof Object]`})
	if err != nil || got != `["z,a",{"z":{"n":5,"m":6},"a":2},true]` || string(mine) != `{"z":{"n":1},"a":2}` {
		t.Error(got, err, string(mine))
	}
	for _, bad := range []string{`{`, strings.Repeat("[", 600) + strings.Repeat("]", 600)} {
		_, err := runScript(t, &testHost{}, Script{Name: "t", Args: json.RawMessage(bad), Body: `return 1`})
		var arg *ArgumentError
		if !errors.As(err, &arg) || arg.Hook != "args" {
			t.Errorf("args %.10s: %v", bad, err)
		}
	}
}

func TestTimers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		want(t, `
			const out = []
			setTimeout((...a) => out.push(a), 3e6, 'late', 1)
			const dead = setTimeout(() => out.push('never'), 10)
			clearTimeout(dead); clearTimeout(dead); clearTimeout('x'); clearTimeout()
			setTimeout(() => { out.push('soon'); queueMicrotask(() => out.push('micro')) }, 5)
			setTimeout(() => out.push('next'), 6)
			setTimeout(() => out.push('at once'))
			await new Promise(r => setTimeout(r, 4e6))
			try { setTimeout('code') } catch (e) { out.push(e.message) }
			return out`,
			`["at once","soon","micro","next",["late",1],"setTimeout() requires a function, but received a string"]`)
	})
}

func TestHookFunctionsAreFrozenAndReplaceable(t *testing.T) {
	want(t, `
		const frozen = [agent, agent.settled, parallel, pipeline, phase, log, setTimeout, budget.spent].every(Object.isFrozen)
		const mine = agent
		globalThis.agent = () => 'mine'
		Promise.prototype.then = Promise.all = Array.prototype.push = null
		return [frozen, agent('x'), await parallel([() => mine('x'), () => 2]), [mine.name, mine.length], await parallel([])]`,
		`[true,"mine",["answer to x",2],["agent",2],[]]`)
}
