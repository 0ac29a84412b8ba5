package vm

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// proves: W53, W54, W55, W56, W57
func TestRenderedThrows(t *testing.T) {
	for body, text := range map[string]string{
		`throw new Error('boom')`:                                     "Error: boom\n    at workflow:t:1:7",
		`throw {stack: 'my stack', message: 'no'}`:                    "my stack",
		`const e = new Error('only this'); delete e.stack; throw e`:   "only this",
		`throw {message: 'msg', stack: 3}`:                            "msg",
		`throw {code: 42}`:                                            "[object Object]",
		`throw 'plain'`:                                               "plain",
		`throw 42`:                                                    "42",
		`throw undefined`:                                             "undefined",
		`throw null`:                                                  "null",
		`throw Symbol('s')`:                                           "Symbol(s)",
		`throw {get stack() { throw 1 }}`:                             "[unrenderable thrown value]",
		`throw {toString() { throw 1 }}`:                              "[unrenderable thrown value]",
		`throw Object.create(null)`:                                   "[unrenderable thrown value]",
		`throw {toString() { return 'mine' }}`:                        "mine",
		`throw new Proxy({}, {get() { throw 1 }})`:                    "[unrenderable thrown value]",
		`throw new (class Mine extends Error { name = 'Mine' })('x')`: "Mine: x\n    at workflow:t:1:7",
	} {
		err := wantCode(t, &testHost{}, body, CodeScriptError)
		if !strings.HasPrefix(err.Error(), text) || !strings.Contains(text, "\n") && err.Error() != text {
			t.Errorf("%s\n got %q\nwant %q", body, err, text)
		}
	}
	err := wantCode(t, &testHost{}, `throw 'x'.repeat(1e6)`, CodeScriptError)
	if len(err.Error()) > 2*maxRendered {
		t.Error("a message of", len(err.Error()))
	}
}

// proves: W126, W129, W130
func TestUncaughtThrows(t *testing.T) {
	for body, want := range map[string]string{
		`throw 'plain string failure'`: "plain string failure",
		`throw {code: 42}`:             "[object Object]",
		`const e = new Error('its message'); delete e.stack; throw e`: "its message",
	} {
		if err := wantCode(t, &testHost{}, body, CodeScriptError); err.Error() != want {
			t.Errorf("%s: %q", body, err)
		}
	}
}

// proves: W127, W128
func TestPositionsAreTheAuthors(t *testing.T) {
	for body, want := range map[string]Position{
		"throw new Error('x')":                                                          {1, 7},
		"  throw new Error('x')":                                                        {1, 9},
		"\n\nthrow new Error('x')":                                                      {3, 7},
		"await null\nthrow new Error('x')":                                              {2, 7},
		"await agent('x')\n  await null; throw new Error('x')":                          {2, 21},
		"const f = () => { null.x }\n\n\nf()":                                           {1, 24},
		"const s = '日本語'; throw new Error('x')":                                         {1, 24},
		"#!/usr/bin/env node\nthrow new Error('x')":                                     {2, 7},
		"\ufeffthrow new Error('x')":                                                    {1, 7},
		"                       \r\nthrow new Error('x')":                               {2, 7},
		"function late() { throw new Error('x') }\nsetTimeout(()=>{},1)\nreturn late()": {1, 25},
	} {
		_, err := run(t, &testHost{}, body)
		var script *ScriptError
		if !errors.As(err, &script) || script.Pos != want {
			t.Errorf("%q: %v at %v, want %v", body, err, script, want)
		}
	}
	_, err := runScript(t, &testHost{}, Script{Name: "my flow", Body: "\nthrow new Error('x')"})
	if !strings.Contains(err.Error(), "workflow:my flow:2:7") {
		t.Error(err)
	}
	for _, name := range []string{"", "a:1:2", "x\ny", "<hooks>", "日本"} {
		_, err := runScript(t, &testHost{}, Script{Name: name, Body: "\nthrow new Error('x')"})
		var script *ScriptError
		if !errors.As(err, &script) || script.Pos.Line != 2 {
			t.Errorf("name %q: %v", name, err)
		}
	}
}

func TestHookPositions(t *testing.T) {
	h := want(t, "const go = p => agent(p)\nawait null\nawait parallel([\n  () => go('a'),\n  () => agent('b'),\n])\nlog('x')", `null`)
	if h.calls[0].Pos != (Position{1, 22}) || h.calls[1].Pos != (Position{5, 14}) || h.notes[0].Pos != (Position{7, 4}) {
		t.Error(h.calls, h.notes)
	}
}

// proves: C08
func TestUnhandledRejections(t *testing.T) {
	for body, want := range map[string][]string{
		`Promise.reject()`:                                           {"undefined"},
		`Promise.reject(null)`:                                       {"null"},
		`Promise.reject({toString() { throw 1 }})`:                   {"[unrenderable thrown value]"},
		`(async () => { throw new Error('stray') })()`:               {"Error: stray\n    at workflow:t:1:22"},
		`const p = Promise.reject(1); await null; p.catch(() => {})`: nil,
		`const p = Promise.reject(1); setTimeout(() => p.catch(() => {}), 1); await new Promise(r => setTimeout(r, 30))`: nil,
		`const e = new Error('one'); const p = Promise.reject(e); p.then(() => {}); p.finally(() => {})`:                 {"Error: one\n    at workflow:t:1:11"},
		`Promise.reject('a'); await agent('x'); await agent('y'); await agent('z')`:                                      {"a"},
		`agent('x'); return 1`: nil,
		`setTimeout(() => { throw 'in a timer' }, 1); await new Promise(r => setTimeout(r, 30))`: {"in a timer"},
		`queueMicrotask(() => { throw 'in a microtask' })`:                                       {"in a microtask"},
		`await Promise.reject(1).catch(() => {})`:                                                nil,
	} {
		h := &testHost{}
		if _, err := run(t, h, body); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		got := h.of(NoteUnhandled)
		if len(got) != len(want) || len(got) == 1 && !strings.HasPrefix(got[0], "unhandled rejection: "+want[0]) {
			t.Errorf("%s\n got %q\nwant %q", body, got, want)
		}
	}
}

// proves: W116, W117, W118, W119
func TestNoClockAndNoChance(t *testing.T) {
	for body, begin := range map[string]string{
		`Date.now()`:                      "Error: Date.now() is not available in workflow scripts",
		`new Date()`:                      "Error: argless new Date() is not available in workflow scripts",
		`Date()`:                          "Error: Date() is not available in workflow scripts",
		`Math.random()`:                   "Error: Math.random() is not available in workflow scripts",
		`Reflect.construct(Date, [])`:     "Error: argless new Date()",
		`new (class extends Date {})()`:   "Error: argless new Date()",
		`new (new Date(0).constructor)()`: "Error: argless new Date()",
	} {
		err := wantCode(t, &testHost{}, body, CodeScriptError)
		if !strings.HasPrefix(err.Error(), begin) {
			t.Errorf("%s: %v", body, err)
		}
	}
	want(t, `return [new Date(0).getTime(), Date.UTC(2020, 0), new Date(new Date(7)).getTime(), Date.parse('2020-01-01'), new Date(0) instanceof Date, Date.name, Date.length]`,
		`[0,1577836800000,7,1577836800000,true,"Date",7]`)
	want(t, `return parallel([() => Date.now(), () => 1])`, `[null,1]`)
}

// Dates are in UTC though the process is elsewhere.
func TestDatesAreUTC(t *testing.T) {
	local := time.Local
	time.Local = time.FixedZone("elsewhere", 5*3600+1800)
	defer func() { time.Local = local }()
	want(t, `
		const d = new Date(2026, 2, 7, 23, 30)
		d.setHours(d.getHours() + 1)
		return [d.toISOString(), d.getDate(), d.getDay(), d.getTimezoneOffset(), String(d), d.toDateString(), d.toLocaleString(), d.toLocaleTimeString(),
			new Date('2026-03-07T10:00').toISOString(), new Date('2026-03-07').toISOString(), new Date('2026-03-07T10:00+02:00').toISOString(),
			new Date('March 7, 2026 10:00').toISOString(), String(new Date(NaN)), new Date('nonsense').getTime() + '', d + 1, JSON.stringify(d)]`,
		`["2026-03-08T00:30:00.000Z",8,0,0,"Sun Mar 08 2026 00:30:00 GMT+0000 (Coordinated Universal Time)","Sun Mar 08 2026","3/8/2026, 12:30:00 AM","12:30:00 AM",`+
			`"2026-03-07T10:00:00.000Z","2026-03-07T00:00:00.000Z","2026-03-07T08:00:00.000Z","2026-03-07T10:00:00.000Z","Invalid Date","NaN",`+
			`"Sun Mar 08 2026 00:30:00 GMT+0000 (Coordinated Universal Time)1","\"2026-03-08T00:30:00.000Z\""]`)
}

func TestNoCodeFromStrings(t *testing.T) {
	for _, body := range []string{
		`eval('1')`, `(0, eval)('1')`, `globalThis.eval('1')`,
		`new Function('return 1')`, `Function('return 1')`, `(() => {}).constructor('1')`,
		`Object.getPrototypeOf(async () => {}).constructor('1')`, `Object.getPrototypeOf(async function () {}).constructor('1')`,
		`Object.getPrototypeOf(function* () {}).constructor('1')`, `(class {}).constructor('1')`,
		`agent.constructor('1')`, `console.log.constructor('1')`, `URL.constructor('1')`,
		`Reflect.construct(Function, ['1'])`, `new (class extends Function {})('1')`, `(function* () {})().constructor.constructor('1')`,
		`setTimeout.constructor.constructor('1')`, `new Date(0).constructor.constructor('1')`,
	} {
		err := wantCode(t, &testHost{}, body, CodeScriptError)
		if !strings.Contains(err.Error(), "code from strings is refused") {
			t.Errorf("%s: %v", body, err)
		}
	}
	want(t, `return [(() => 1) instanceof Function, typeof Function, Function.prototype === Object.getPrototypeOf(() => 1)]`, `[true,"function",true]`)
	want(t, `return ['require', 'process', 'module', 'GoError', 'fetch', 'global'].filter(n => n in globalThis)`, `[]`)
}

func TestLanguageHelpers(t *testing.T) {
	want(t, `
		const u = new URL('https://a.b:8080/c?d=1#e'), q = new URLSearchParams({x: 'y z'})
		return [u.host, u.searchParams.get('d'), q.toString(), u instanceof URL]`,
		`["a.b:8080","1","x=y+z",true]`)
	want(t, `
		const cyclic = {d: new Date(5), m: new Map([[{k: 1}, new Set(['v'])]]), r: /a/gi, b: new Uint8Array([1, 2]), e: new TypeError('t'), u: undefined}
		cyclic.self = cyclic
		const c = structuredClone(cyclic)
		return [c !== cyclic, c.self === c, c.d.getTime(), [...c.m][0][0].k, [...[...c.m][0][1]][0], c.r.source + c.r.flags, c.b[1], c.b !== cyclic.b,
			c.e instanceof TypeError, c.e.message, 'u' in c, structuredClone('x'), structuredClone([1, , 2]).length]`,
		`[true,true,5,1,"v","agi",2,true,true,"t",true,"x",3]`)
	want(t, `try { structuredClone({f() {}}) } catch (e) { return [e.name, e.message] }`, `["DataCloneError","f() {} could not be cloned."]`)
	want(t, `return typeof early(); function early() { return 1 }`, `"number"`)
	want(t, "return 1 // trailing", `1`)
	want(t, "undeclared = 3; return [undeclared, this === globalThis, typeof await null]", `[3,true,"object"]`)
	want(t, `'use strict'; try { undeclared = 3 } catch (e) { return e.name }`, `"ReferenceError"`)
	want(t, `return [await parallel([async () => { const {a, ...r} = {a: 1, b: 2}; return r }])]`, `[[{"b":2}]]`)
}
