package vm

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// proves: W32, W37, W44, W46, W51
func TestValuesThatCross(t *testing.T) {
	for expr, value := range map[string]string{
		`{s: 'x', n: 1.5, t: true, z: null, a: [1, [], {}], o: {b: 2}}`: `{"s":"x","n":1.5,"t":true,"z":null,"a":[1,[],{}],"o":{"b":2}}`,
		`'plain'`:                               `"plain"`,
		`false`:                                 `false`,
		`null`:                                  `null`,
		`7`:                                     `7`,
		`-0`:                                    `0`,
		`[1e21, 1e-7, 123456789012]`:            `[1e+21,1e-7,123456789012]`,
		`JSON.parse('{"__proto__": {"x": 1}}')`: `{"__proto__":{"x":1}}`,
		`Object.assign(Object.create(null), {a: 1})`:                        `{"a":1}`,
		`(o => ({a: o, b: [o]}))({x: 1})`:                                   `{"a":{"x":1},"b":[{"x":1}]}`,
		`{z: 1, a: 2, 10: 3, 2: 4}`:                                         `{"2":4,"10":3,"z":1,"a":2}`,
		`'\ud83d\ude00 \ud800 x \udc00\ufffd é "\\\n\u0001\u2028</script>'`: `"😀 \ud800 x \udc00` + "\ufffd é \\\"\\\\\\n\\u0001\u2028" + `</script>"`,
		`Object.defineProperty({a: 1}, 'b', {value: () => 1})`:              `{"a":1}`, // not enumerable
		`[].concat(new (class extends Array {})(1, 2), 3)`:                  `[1,2,3]`,
		`{toJSON() { return 1 }}.x ?? {a: {valueOf: 1}}`:                    `{"a":{"valueOf":1}}`,
		`(function () { return arguments })('a', 2)`:                        `{"0":"a","1":2}`,
	} {
		want(t, `return (`+expr+`)`, value)
	}
}

// proves: W35, W38, W40, W41, W42
func TestValuesThatDoNot(t *testing.T) {
	const exotic = "only plain objects and arrays are JSON data (exotic prototype)"
	for expr, fault := range map[string]string{
		`{fn() {}}`:                          `.fn: functions are not plain JSON data`,
		`async () => 1`:                      `: functions are not plain JSON data`,
		`[async () => 1]`:                    `[0]: functions are not plain JSON data`,
		`{s: Symbol('x')}`:                   `.s: symbols are not plain JSON data`,
		`[Symbol.iterator]`:                  `[0]: symbols are not plain JSON data`,
		`{big: 1n}`:                          `.big: bigints are not JSON data`,
		`{a: NaN}`:                           `.a: non-finite numbers are not JSON data`,
		`[1, -Infinity]`:                     `[1]: non-finite numbers are not JSON data`,
		`{[Symbol('k')]: 1}`:                 `: symbol-keyed properties are not plain JSON data`,
		`Object.assign([], {[Symbol()]: 1})`: `: symbol-keyed properties are not plain JSON data`,
		`[new Date(0)]`:                      `[0]: ` + exotic,
		`new Map()`:                          `: ` + exotic,
		`{a: new (class A {})()}`:            `.a: ` + exotic,
		`Object.create({})`:                  `: ` + exotic,
		`new String('x')`:                    `: ` + exotic,
		`new Error('x')`:                     `: ` + exotic,
		`[agent('x')]`:                       `[0]: a promise is not JSON data: put await before the call that gave it`,
		`new Uint8Array(2)`:                  `: ` + exotic,
		`Object.create(new Proxy({}, {getPrototypeOf() { throw 1 }}))`: `: ` + exotic,
		`(o => { o.self = [o]; return o })({})`:                        `.self[0]: circular references are not JSON data`,
		`[1, , 3]`:                                                     `[1]: sparse arrays are not JSON data`,
		`new Array(3)`:                                                 `[0]: sparse arrays are not JSON data`,
		`(a => { a.length = 4e9; return a })([1])`:                     `[1]: sparse arrays are not JSON data`,
		`Object.assign([1], {total: 1})`:                               `.total: arrays with non-index properties are not JSON data`,
		`{a: {get b() { throw log('ran') }}}`:                          `.a.b: accessor properties cannot cross the workflow realm boundary`,
		`Object.defineProperty([1], 0, {get: () => log('ran'), enumerable: true})`:                                      `[0]: accessor properties cannot cross the workflow realm boundary`,
		`[new Proxy([], {get() { log('ran') }, ownKeys() { log('ran'); return [] }, getPrototypeOf() { log('ran') }})]`: `[0]: proxies are not plain JSON data`,
		`{'a key': {'x"y': () => 1}}`: `["a key"]["x\"y"]: functions are not plain JSON data`,
	} {
		h := &testHost{}
		err := wantCode(t, h, `return (`+expr+`)`, CodeUnserializable)
		want := "the workflow's return value is not plain JSON data — workflow result" + fault +
			". Return only JSON-serializable objects/arrays/scalars."
		if err.Error() != want {
			t.Errorf("%s\n got %s\nwant %s", expr, err, want)
		}
		if len(h.of(NoteLog)) > 0 {
			t.Errorf("%s: code of the script ran", expr)
		}
	}
}

// proves: W39, W43, W45, W47, W48
func TestValuesThatDoNotMore(t *testing.T) {
	for expr, part := range map[string]string{
		`Object.assign([], {[Symbol()]: 1})`: "symbol-keyed",
		`{[Symbol()]: 1}`:                    "symbol-keyed",
		`new Map()`:                          "exotic prototype",
		`[new Date(0)]`:                      "exotic prototype",
		`new (class A {})()`:                 "exotic prototype",
		`(o => { o.o = o; return o })({})`:   "circular",
		`[1,,3]`:                             "sparse",
		`Object.assign([], {total: 1})`:      "non-index",
	} {
		if err := wantCode(t, &testHost{}, `return (`+expr+`)`, CodeUnserializable); !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", expr, err)
		}
	}
}

// proves: W49, W50, W52, W74, W125
func TestValueBounds(t *testing.T) {
	want(t, `return Object.defineProperty({a: 1}, 'b', {value: 2})`, `{"a":1}`)
	for _, body := range []string{
		`let o = {}; for (let i = 0; i < 50000; i++) o = {o}; return o`,
		`let o = []; for (let i = 0; i < 50000; i++) o = [o]; return o`,
		`let o = [1]; for (let i = 0; i < 60; i++) o = [o, o]; return o`, // 2^60 numbers
		`return {a: new Date(0)}`,
		`return {get a() { throw new Error('inner') }}`,
		`return Object.defineProperty([1], 0, {get: () => 1, enumerable: true})`,
		`return Object.defineProperty([1], 0, {get: () => 1})`,
		`return {f: () => 1}`,
	} {
		_, err := runWith(t, &testHost{}, Script{Name: "t", Body: body}, Options{MaxValue: 1 << 16})
		var v *ValueError
		if !errors.As(err, &v) || !strings.Contains(err.Error(), "not plain JSON data") {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// proves: W33, W83, W137
func TestUndefinedIsDroppedAndSaid(t *testing.T) {
	h := want(t, `return {a: undefined, b: [1, undefined, {c: undefined}], d: void 0}`, `{"b":[1,null,{}]}`)
	notes := []string{
		"workflow result.a: undefined was dropped: JSON has no undefined",
		"workflow result.b[1]: undefined became null: JSON has no undefined",
		"workflow result.b[2].c: undefined was dropped: JSON has no undefined",
		"workflow result.d: undefined was dropped: JSON has no undefined",
	}
	if diff := cmp.Diff(notes, h.of(NoteCoerced)); diff != "" {
		t.Error(diff)
	}
	want(t, `return new Array(100).fill(undefined).length + [...Array(12)].length`, `112`)
	h = want(t, `return [...Array(12)]`, `[null,null,null,null,null,null,null,null,null,null,null,null]`)
	if got := h.of(NoteCoerced); len(got) != 11 || got[10] != "and 2 more of the kind" {
		t.Error(got)
	}
	h = want(t, `for (let i = 0; i < 3; i++) await agent('x', {label: undefined, schema: {type: 'object'}})`, `null`)
	if got := h.of(NoteCoerced); len(got) != 1 || got[0] != "agent() options.label: undefined was dropped: JSON has no undefined" {
		t.Error(got)
	}
	if string(h.calls[2].Options) != `{"schema":{"type":"object"}}` {
		t.Error(string(h.calls[2].Options))
	}
}

// Polluted prototypes must not turn our own look-ups into calls of the script.
func TestBoundaryIgnoresPollution(t *testing.T) {
	pollute := func(keys string) string {
		return `
		const bad = {__proto__: null, get() { log('ran') }, set() { log('ran') }, configurable: true}
		Object.getOwnPropertyDescriptor = JSON.stringify = Object.keys = Reflect.ownKeys = () => log('ran')
		const keys = ` + keys + `
		for (let i = 0; i < keys.length; i++) Object.defineProperty(Object.prototype, keys[i], bad)
		return agent('x', {label: 'l'})`
	}
	h := &testHost{}
	if got, err := run(t, h, pollute(`['length', 'toJSON', 'stack', '0', 'label']`)); err != nil || got != `"answer to x"` {
		t.Error(got, err)
	}
	if len(h.of(NoteLog)) > 0 || string(h.calls[0].Options) != `{"label":"l"}` {
		t.Error("code of the script ran", h.notes, h.calls)
	}
	for _, key := range []string{"value", "writable", "get", "set", "enumerable", "configurable"} {
		h := &testHost{}
		err := wantCode(t, h, pollute(`['`+key+`']`), CodeArgument)
		if !strings.Contains(err.Error(), "Object.prototype was changed ("+key+")") || len(h.of(NoteLog)) > 0 {
			t.Error(err, h.notes)
		}
	}
}

// JSON text goes into the realm and comes out the same.
func TestValuesRoundTrip(t *testing.T) {
	leaf := rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.Float64Range(-1e300, 1e300), func(f float64) any { return f }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just[any](nil),
	)
	var tree func(depth int) *rapid.Generator[any]
	tree = func(depth int) *rapid.Generator[any] {
		if depth == 0 {
			return leaf
		}
		below := tree(depth - 1)
		return rapid.OneOf(leaf,
			rapid.Map(rapid.SliceOfN(below, 0, 4), func(s []any) any { return s }),
			rapid.Map(rapid.MapOfN(rapid.String(), below, 0, 4), func(m map[string]any) any { return m }))
	}
	rapid.Check(t, func(rt *rapid.T) {
		value := tree(3).Draw(rt, "value")
		args, err := json.Marshal(value)
		if err != nil {
			rt.Skip()
		}
		r, err := InProcess{}.Run(t.Context(), Script{Name: "t", Args: args, Body: `return args`}, &testHost{})
		if err != nil {
			rt.Fatal(err)
		}
		var back any
		if err := json.Unmarshal(r.Value, &back); err != nil {
			rt.Fatalf("%s: %v", r.Value, err)
		}
		if err := json.Unmarshal(args, &value); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(value, back); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// The walker and JSON.stringify agree on everything that both accept.
func FuzzBoundary(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-0,1e400,"\ud800"]}`, `[]`, `"\u2028"`, `{"":{"":0}}`, `1e21`, `[[[[]]]]`, `{"__proto__":1}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		o := Options{MaxValueDepth: 50}
		if !json.Valid([]byte(in)) || jsonDepth(in, 50) > 50 {
			t.Skip()
		}
		h := &testHost{}
		r, err := InProcess{Options: o}.Run(t.Context(), Script{Name: "t", Args: json.RawMessage(in),
			Body: `await agent(JSON.stringify(args), {o: args}); return args`}, h)
		var v *ValueError
		if errors.As(err, &v) || err != nil && strings.Contains(err.Error(), "args cannot enter") || err != nil && strings.Contains(err.Error(), "non-finite") {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.calls[0].Prompt != string(r.Value) || `{"o":`+string(r.Value)+`}` != string(h.calls[0].Options) {
			t.Fatalf("JSON.stringify says %q, the boundary %q", h.calls[0].Prompt, r.Value)
		}
	})
}

func TestEncodeStopsWithTheRealm(t *testing.T) {
	r, _ := realmOf(t, &testHost{}, ``)
	err := r.slice(func() error {
		if err := r.furnish(); err != nil {
			return err
		}
		items := make([]any, 3000)
		big := r.rt.NewArray(items...)
		r.guard.cut(&fault{"X", "stop"})
		r.rt.ClearInterrupt()
		_, _, err := r.encode(big, "x")
		return err
	})
	if codeOf(err) != "X" {
		t.Error(err)
	}
}
