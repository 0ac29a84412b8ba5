package vm

import (
	"strings"
	"testing"
)

// What the engine says is in V8's words wherever a script can see it, and what
// the script throws itself is left alone.
func TestErrorsAreInV8sWords(t *testing.T) {
	const words = `"o.f is not a function"`
	for _, body := range []string{
		`const o = {}; try { o.f() } catch (e) { return e.message }`,
		`const o = {}; try { o.f() } catch ({message}) { return message }`,
		`const o = {}; return Promise.resolve().then(() => o.f()).catch((e) => e.message)`,
		`const o = {}; return (async () => o.f())().then(null, (e) => e.message)`,
		`const o = {}; return (await Promise.allSettled([(async () => { await null; o.f() })()]))[0].reason.message`,
		`const o = {}; const f = async () => { try { await null; o.f() } finally { await null } }; try { await f() } catch (e) { return e.message }`,
		`function* g() { try { o.f() } catch (e) { yield e.message } } const o = {}; return [...g()][0]`,
	} {
		want(t, body, words)
	}
	h := want(t, `const o = {}; await parallel([() => o.f()]); log(new Error('kept')); Promise.reject(new TypeError('kept too'))`, `null`)
	if notes := h.of(NoteDropped); len(notes) != 1 || !strings.Contains(notes[0], "TypeError: o.f is not a function\n    at workflow:t:1:") {
		t.Errorf("%q", notes)
	}
	err := wantCode(t, &testHost{}, "const o = {}\no.items.map(1)", CodeScriptError)
	if !strings.HasPrefix(err.Error(), "TypeError: Cannot read properties of undefined (reading 'map')\n    at workflow:t:2:") {
		t.Error(err)
	}
	want(t, `const mine = new TypeError("Object has no member 'x'"); try { throw mine } catch (e) { return [e === mine, e.message, Object.keys(e), e.stack.includes('\t')] }`,
		`[true,"Object has no member 'x'",[],false]`)
	want(t, `const e = Object.freeze(new Error('cold')); try { throw e } catch (c) { return c.message }`, `"cold"`)
	want(t, `try { throw new Proxy(new Error('p'), {get() { throw 1 }}) } catch { return 'asked nothing' }`, `"asked nothing"`)
	want(t, `try { throw 1 } catch (e) { e = 2; { let e = 3 } return e }`, `2`)
	want(t, `try { throw [1, 2] } catch ([a, ...b]) { a++; return [a, b] }`, `[2,[2]]`)
}
