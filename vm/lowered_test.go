package vm

import (
	"errors"
	"strings"
	"testing"
)

// Positions in a script that was rewritten are the author's: of throws, of hooks,
// of faults in the syntax.
func TestLoweredPositions(t *testing.T) {
	const generator = "async function* g() { yield 1 }\n"
	for body, want := range map[string]Position{
		generator + "for await (const x of g()) throw new Error('x')":                   {2, 34},
		generator + "  throw new Error('x')":                                            {2, 9},
		generator + "const s = '日本語😀'; throw new Error('x')":                            {2, 25},
		"for await (const x of [1]) {\n\n  await null; undefined.x\n}":                  {3, 25},
		generator + "class A {\n  m() {\n    throw new Error('x')\n  }\n}\nnew A().m()": {4, 11},
		"if (true) { function f() { throw new Error('x') } }\nf()":                      {1, 34},
		"async function* g() { throw new Error('x') }\nfor await (const x of g()) {}":   {1, 29},
	} {
		_, err := run(t, &testHost{}, body)
		var script *ScriptError
		if !errors.As(err, &script) || script.Pos != want {
			t.Errorf("%q: %v at %v, want %v", body, err, script, want)
		}
		if strings.Contains(err.Error(), "<hooks>") || strings.Contains(err.Error(), "%") {
			t.Errorf("our own code shows: %v", err)
		}
	}
	h := want(t, generator+"for await (const x of g())\n  await agent('a')", `null`)
	if h.calls[0].Pos != (Position{3, 9}) {
		t.Error(h.calls)
	}
	for body, want := range map[string]Position{
		generator + "const = 5":                           {2, 7},
		generator + "f(\n":                                {2, 2},
		generator + "let a; let a":                        {2, 12},
		generator + "require('x')":                        {2, 1},
		"const f = () => { for await (const x of []) ; }": {1, 23},
	} {
		var parse *ParseError
		if err := Check(Script{Body: body}); !errors.As(err, &parse) || parse.Pos != want {
			t.Errorf("%q: %v at %v, want %v", body, err, parse, want)
		}
	}
}

// The body cannot close the function around it in what is rewritten either.
func TestLoweredBodyStaysInside(t *testing.T) {
	for _, body := range []string{
		"}); async function* g() {} (async () => {", "return 1 }); return (async () => { async function* g() {}",
		"async function* g() {} }, async () => {", "for await (const x of y) {} })(); (async () => {",
		"\"dsh:last\"}); (async () => {\"dsh:first\"; for await (const x of y) {}",
		"}); var __await = 1; return (async () => { async function* g() {}",
	} {
		var parse *ParseError
		if err := Check(Script{Body: body}); !errors.As(err, &parse) {
			t.Errorf("%q: %v", body, err)
		}
	}
	want(t, "async function* g() { yield typeof __await + typeof __asyncGenerator }\nfor await (const x of g()) return [x, Object.keys(globalThis).filter((k) => k.startsWith('__'))]",
		`["undefinedundefined",[]]`)
	want(t, "var __await = 1; async function* g() { yield await __await }\nfor await (const x of g()) return x", `1`)
}

// What needs no rewriting is not rewritten.
func TestLoweredOnlyWhereNeeded(t *testing.T) {
	for body, want := range map[string]bool{
		"return 1": false, "const f = async () => 1; async function g() { function h() {} }": false, "'use strict'; { function f() {} }": false,
		"{ function f() {} }": true, "for await (const x of y) {}": true, "o = { async *g() {} }": true, "switch (1) { case 1: function f() {} }": true,
		"const t = 'for await (x of y)'; return function* () {}": false,
	} {
		p, err := treeOf(body, "t", Options{}.withDefaults())
		if err != nil {
			t.Fatal(body, err)
		}
		tree, err := parseBody(body, "t")
		if rewritten := err != nil || settleTree(tree).lacking(); rewritten != want || p.Program == nil {
			t.Errorf("%s: %v", body, rewritten)
		}
	}
}
