package vm

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
)

const spinLimit = 60 * time.Millisecond

// proves: C05, W73
func TestEndlessScriptsEnd(t *testing.T) {
	for _, body := range []string{
		`while (true) {}`,
		`try { for (;;) {} } catch { log('catch') } finally { log('finally') }`,
		`for (;;) { try { for (;;) {} } finally { log('finally') } }`,
		`const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})`,
		`for (;;) await null`,
		`await agent('x'); for (;;) {}`,
		`setTimeout(() => { for (;;) {} }, 1); await new Promise(() => {})`,
		`[3, 1, 2].sort(() => { for (;;) {} })`,
		`[1].map(() => { for (;;) {} })`,
		`'a'.replace(/a/, () => { for (;;) {} })`,
		`JSON.stringify({toJSON() { for (;;) {} }})`,
		`new Proxy({}, {get() { for (;;) {} }}).x`,
		`await agent({toString() { for (;;) {} }}).catch(() => {}); for (;;) {}`,
		`throw {toString() { for (;;) {} }}`,
		`throw {get stack() { for (;;) {} }}`,
		`await parallel([() => { throw {toString() { for (;;) {} }} }])`,
		`Promise.reject({toString() { for (;;) {} }})`,
		`log({toString() { for (;;) {} }, get x() { return 1 }})`,
		`return {then() { for (;;) {} }}`,
		`structuredClone({get x() { for (;;) {} }})`,
		`(function* () { for (;;) yield 1 })().next(); for (const x of (function* () { for (;;) yield 1 })());`,
	} {
		h := &testHost{}
		start := time.Now()
		_, err := runWith(t, h, Script{Name: "t", Body: body}, Options{SyncLimit: spinLimit})
		var limit *LimitError
		if !errors.As(err, &limit) || limit.Limit != CodeSyncTimeout || !strings.Contains(err.Error(), "timed out") {
			t.Errorf("%s: %v", body, err)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: took %v", body, took)
		}
		if logs := h.of(NoteLog); len(logs) > 0 {
			t.Errorf("%s: ran on: %v", body, logs)
		}
	}
}

func TestLimitNamesTheLine(t *testing.T) {
	_, err := runWith(t, &testHost{}, Script{Name: "t", Body: "const x = 1\nawait null\nif (x) {\n  while (true) { x + 1 }\n}"}, Options{SyncLimit: spinLimit})
	var limit *LimitError
	if !errors.As(err, &limit) || limit.Pos.Line != 4 {
		t.Error(err)
	}
}

// A limit bounds a stretch, not the run.
func TestStretchesAreBoundedOneByOne(t *testing.T) {
	h := &testHost{agent: func(_ AgentCall, settle Settle) error {
		time.AfterFunc(30*time.Millisecond, func() { settle(nil, nil) })
		return nil
	}}
	body := `for (let i = 0; i < 20; i++) await agent('x'); return 'done'`
	got, err := runWith(t, h, Script{Name: "t", Body: body}, Options{SyncLimit: 400 * time.Millisecond})
	if err != nil || got != `"done"` {
		t.Error(got, err)
	}
}

// proves: C05, C07
func TestEndOfContextStopsTheScript(t *testing.T) {
	because := errors.New("enough")
	for _, body := range []string{
		`for (;;) {}`,
		`try { for (;;) {} } catch { log('catch') } finally { log('finally') }`,
		`for (;;) await null`,
		`try { await agent('never') } catch { log('catch') } finally { log('finally') }`,
		`await new Promise(r => setTimeout(r, 1e9))`,
		`for (;;) { try { await agent('never') } catch {} }`,
		`await agent('never').finally(() => log('finally'))`,
		`await parallel([() => agent('never'), () => agent('never')]); log('on')`,
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		h := &testHost{agent: func(AgentCall, Settle) error { return nil }}
		time.AfterFunc(30*time.Millisecond, func() {
			cancel(because)
			cancel(errors.New("a second reason"))
		})
		_, err := InProcess{}.Run(ctx, Script{Name: "t", Body: body}, h)
		if err != because {
			t.Errorf("%s: %v", body, err)
		}
		if logs := h.of(NoteLog); len(logs) > 0 {
			t.Errorf("%s: ran on: %v", body, logs)
		}
	}
}

// proves: W67
func TestEndedContextRunsNothing(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	because := errors.New("before")
	cancel(because)
	cancel(errors.New("after"))
	h := &testHost{}
	r, err := InProcess{}.Run(ctx, Script{Name: "t", Body: `log('ran'); return 1`}, h)
	if err != because || r.Value != nil || len(h.notes) > 0 {
		t.Error(r, err, h.notes)
	}
}

// proves: W69, W133, W164
func TestCancelCannotBeSwallowed(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	because := errors.New("enough")
	h := &testHost{}
	h.agent = func(_ AgentCall, settle Settle) error {
		cancel(because)
		settle(nil, &fault{"CANCELLED", "cancelled"})
		return nil
	}
	_, err := InProcess{}.Run(ctx, Script{Name: "t", Body: `
		try { await agent('x') } catch {}
		phase('later'); log('later')
		try { await agent('y') } catch {}
		return 'fine'`}, h)
	if err != because || len(h.calls) != 1 || len(h.notes)+len(h.phases) > 0 {
		t.Error(err, h.calls, h.notes, h.phases)
	}
}

// proves: W190, C06
func TestGuardsOfTheHost(t *testing.T) {
	deep := strings.Repeat("(", 50_000) + "1" + strings.Repeat(")", 50_000)
	for body, code := range map[string]string{
		`return new Array(1e7).fill(0).length`:                       CodeMemory,
		`return Array(3e8).join('x').length`:                         CodeMemory,
		`return Array.from({length: 1e9}).length`:                    CodeMemory,
		`return 'x'.repeat(2 ** 40)`:                                 CodeMemory,
		`try { 'x'.padEnd(2 ** 33) } catch {} return 1`:              CodeMemory,
		`return new ArrayBuffer(2 ** 40)`:                            CodeMemory,
		`return new Float64Array(2 ** 37)`:                           CodeMemory,
		`new (class extends Uint8Array {})(2 ** 36)`:                 CodeMemory,
		`const o = {get self() { return this.self }}; return o.self`: CodeStack,
		`function f() { f() } try { f() } catch {} return 1`:         CodeStack,
		`const f = async () => { await f() }; await f()`:             CodeStack,
		`let a = []; a.toString = () => [a] + ''; return a + ''`:     CodeStack,
		`return ` + deep: CodeTooComplex,
		`return ` + strings.Repeat("1+", 20_000) + `1`: CodeTooComplex,
		strings.Repeat("(", 2_000_000):                 CodeTooComplex,
	} {
		err := wantCode(t, &testHost{}, body, code)
		if len(err.Error()) > 300 {
			t.Errorf("%.40s: a message of %d bytes", body, len(err.Error()))
		}
	}
	want(t, `try { JSON.parse('['.repeat(5e6)) } catch (e) { return e.name }`, `"RangeError"`)
	want(t, `let a = []; for (let i = 0; i < 3000; i++) a = [a]; return a.flat(Infinity).length`, `1`)
	want(t, `return ['ab'.repeat(2), 'x'.padStart(3, '-'), [1, 2].fill(0), [1, [2, [3]]].flat(Infinity), new Uint8Array([1, 2]).length, JSON.parse('[1]', (k, v) => v)]`,
		`["abab","--x",[0,0],[1,2,3],2,[1]]`)
}

// A match that the matcher gave up must never read as no match.
//
// proves: C06
func TestCatastrophicRegex(t *testing.T) {
	h := &testHost{}
	_, err := runWith(t, h, Script{Name: "t", Body: `
		const found = /^(a+)+(?=x)$/.test('a'.repeat(40))
		log('went on with ' + found)`}, Options{SyncLimit: time.Second})
	var limit *LimitError
	if len(h.notes) > 0 || !errors.As(err, &limit) || limit.Limit != CodeRegex || limit.Pos.Line != 2 {
		t.Errorf("%+v %v", err, h.notes)
	}
	if o := (Options{SyncLimit: time.Hour}).withDefaults(); o.SyncLimit > regexBound() {
		t.Error("a stretch may outlast the bound of a match")
	}
}

// A dead realm leaves no goroutine and no timer behind.
//
// proves: W191
func TestNothingIsLeftBehind(t *testing.T) {
	base := runtime.NumGoroutine()
	for range 20 {
		_, _ = runWith(t, &testHost{}, Script{Name: "t", Body: `setTimeout(() => {}, 1e9); await null; for (;;) {}`}, Options{SyncLimit: 5 * time.Millisecond})
		_, _ = run(t, &testHost{}, `setTimeout(() => {}, 1e9); agent('x'); return 1`)
	}
	for range 100 {
		if runtime.NumGoroutine() <= base {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), base)
}

// proves: W111
func TestStalled(t *testing.T) {
	for _, body := range []string{
		`await new Promise(() => {})`,
		`agent('x'); await new Promise(() => {})`,
		`const t = setTimeout(() => {}, 1e9); await agent('x'); clearTimeout(t); await new Promise(() => {})`,
		`return {then() {}}`,
	} {
		start := time.Now()
		wantCode(t, &testHost{}, body, CodeNothingPending)
		if time.Since(start) > 5*time.Second {
			t.Errorf("%s: not at once", body)
		}
	}
}

func TestHostPanicIsContained(t *testing.T) {
	cause := errors.New("bug")
	h := &testHost{agent: func(AgentCall, Settle) error { panic(cause) }}
	_, err := run(t, h, `try { await agent('x') } catch { return 1 }`)
	var p *PanicError
	if !errors.As(err, &p) || !errors.Is(err, cause) || !strings.Contains(string(p.Stack), "Agent") {
		t.Error(err)
	}
}

// TestLeavesAStuckCallBehind runs built-in calls that nothing can interrupt: the
// run ends with its reason, though the call goes on.
func TestLeavesAStuckCallBehind(t *testing.T) {
	// One of the calls that have no bound of their own yet; it ends by itself.
	body := `const a = []; a.length = 2 ** 28; a.reverse(); return 1`
	begin := time.Now()
	_, err := runWith(t, &testHost{}, Script{Name: "t", Body: body}, Options{SyncLimit: 100 * time.Millisecond})
	var limit *LimitError
	if !errors.As(err, &limit) || limit.Limit != CodeSyncTimeout {
		t.Fatalf("%v", err)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("the run took %s", took)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("operator")
	time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
	if _, err := (InProcess{}).Run(ctx, Script{Name: "t", Body: body}, &testHost{}); !errors.Is(err, why) {
		t.Errorf("%v, want the cause of the context", err)
	}
}

// A delegation without end is a recursion like any other.
//
// proves: W190
func TestGeneratorsThatDelegateForEver(t *testing.T) {
	for _, body := range []string{
		`function* walk(n) { yield* walk(n) } for (const x of walk({})) return x`,
		`function* leaves(n) { if (!n.kids) yield n; else for (const k of n.kids) yield* leaves(k) }
		const n = {}; n.kids = [n]; return [...leaves(n)]`,
		`function* g() { yield* g() } g().next()`,
	} {
		// The engine's cost of a level grows with the depth, so this one is low.
		_, err := runWith(t, &testHost{}, Script{Name: "t", Body: body}, Options{MaxStack: 200})
		var limit *LimitError
		if !errors.As(err, &limit) || limit.Limit != CodeStack {
			t.Errorf("%s: %v", body, err)
		}
	}
	want(t, `function* g(k) { if (k > 0) yield* g(k - 1); yield k }
		const it = g(1); return [[...g(3)], it.next(), it.return(7), it.next().done, it.next.name]`,
		`[[0,1,2,3],{"value":0,"done":false},{"value":7,"done":true},true,"next"]`)
}
