package vm

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// expected is one fault: its place, and parts of its reason and hint.
type expected struct {
	line, column int
	reason, hint string
}

func checkFaults(t *testing.T, body string, want ...expected) {
	t.Helper()
	err := Check(Script{Name: "t", Body: body})
	var parse *ParseError
	if !errors.As(err, &parse) || parse.Code() != CodeScriptParse {
		t.Errorf("%s\n got %v", body, err)
		return
	}
	got := append([]ParseError{*parse}, parse.More...)
	if len(got) != len(want) {
		t.Errorf("%s\n got %d faults, want %d:\n%v", body, len(got), len(want), err)
		return
	}
	types := false
	for i, w := range want {
		g := got[i]
		if (g.Pos != Position{w.line, w.column}) || !strings.Contains(g.Reason, w.reason) || !strings.Contains(g.Hint, w.hint) ||
			(w.hint == "") != (g.Hint == "") {
			t.Errorf("%s\n got %+v\nwant %+v", body, g, w)
		}
		if shown, _, _ := strings.Cut(g.Excerpt, "\n"); !strings.HasPrefix(strings.TrimSpace(shown), fmt.Sprint(w.line)+" |") {
			t.Errorf("%s\nthe excerpt is of another line:\n%s", body, g.Excerpt)
		}
		types = types || strings.Contains(w.reason, "TypeScript")
	}
	if strings.Contains(err.Error(), "TypeScript") != types {
		t.Errorf("%s\nTypeScript is named out of place, or not at all:\n%v", body, err)
	}
}

const isTypes = "is TypeScript, not JavaScript"

// proves: C02
func TestFaultsAndHints(t *testing.T) {
	for body, want := range map[string]expected{
		// back-ticks
		"agent(`Look at the `foo file`)\nb = 2":                        {1, 20, "a stray back-tick", "write a back-tick as \\`"},
		"agent(`Use `code` here`)\nb = 2":                              {1, 12, "back-ticks inside a template", "write each back-tick as \\`"},
		"p = `\nUse `a` and\ncheck `b` too.\n`":                        {2, 5, "back-ticks inside a template: the first one ends it here (also on line 3)", "as \\`"},
		"p = `日本 `foo` 語`":                                             {1, 9, "back-ticks inside a template", "as \\`"},
		"agent(`Write a report``)\nb = 2\nagent(`Hello you there`)":    {1, 22, "a stray back-tick", "as \\`"},
		"agent(`Write a report)\nb = 2\nagent(`Hello you`)":            {1, 7, "the template that begins here is not closed", "missing at line 1, column 22"},
		"agent(`Write ${a}, {label: 'x'})\nb = 2\nagent(`Hello you`)":  {1, 7, "the template that begins here is not closed", "missing at line 1, column 18"},
		"const s = `abc\nfoo()":                                        {1, 11, "the template that begins here is not closed", "missing at line 1, column 15"},
		"`${a":                                                         {1, 2, "this ${ is never closed", "add the missing }"},
		"p = `\nAs in:\n```json\n{}\n```\nDone.\n`\nq = `x`":           {3, 1, "a Markdown fence inside a template", "as \\`"},
		"const a = agent(\\`hello \\${x}\\`)":                          {1, 17, "must not be escaped", "remove the backslash"},
		"```js\nreturn 1\n```":                                         {1, 1, "a Markdown code fence stands around the script", "without the lines of the fence"},
		"\n```\nreturn `x`\n```\n":                                     {2, 1, "a Markdown code fence stands around the script", "without the lines of the fence"},
		"Here is the script:\n\n~~~js\nreturn 1\n~~~\nEnjoy it's good": {3, 1, "text and a Markdown code fence", "without the text"},
		// types
		"const a: string[] = []":                              {1, 8, isTypes, "take the types out"},
		"let u: string | undefined":                           {1, 6, isTypes, "take the types out"},
		"const {a, b}: {a: number; b: string} = x":            {1, 13, isTypes, "take the types out"},
		"const f = (x: string, y?: number): Promise<A> => x":  {1, 13, isTypes, "take the types out"},
		"function f(a?: string): a is B { return a }":         {1, 13, isTypes, "take the types out"},
		"try { f() } catch (e: any) { g() }":                  {1, 21, isTypes, "take the types out"},
		"interface A { a: string }\nreturn 1":                 {1, 1, isTypes, "take the types out"},
		"type A = 'x' | {\n  y: 1\n}\nreturn 1":               {1, 1, isTypes, "take the types out"},
		"export type A = B":                                   {1, 1, isTypes, "take the types out"},
		"enum E { A, B }":                                     {1, 1, isTypes, "take the types out"},
		"const x = y as string":                               {1, 13, isTypes, "take the types out"},
		"let v = (await agent(`x`) as any).foo":               {1, 27, isTypes, "take the types out"},
		"const x = {a: 1} satisfies Foo":                      {1, 18, isTypes, "take the types out"},
		"const m = new Map<string, number>()":                 {1, 18, isTypes, "take the types out"},
		"f(new Map<string, A<B>>())":                          {1, 10, isTypes, "take the types out"},
		"function id<T>(x) { return x }":                      {1, 12, isTypes, "take the types out"},
		"const x = a!.b":                                      {1, 12, isTypes, "take the types out"},
		"class A { private x = 1 }":                           {1, 11, isTypes, "take the types out"},
		"class A implements B {}":                             {1, 9, isTypes, "take the types out"},
		"const a: A = 1\nlet b = 2\nlet c: B\nlet d = e as F": {1, 8, isTypes + " (also on line 3, 4)", "take the types out"},
		// not types
		"foo(a: 1)":                 {1, 6, "unexpected token :", ""},
		"foo(a: b)":                 {1, 6, "unexpected token :", ""},
		"const x = c ? a : b : d":   {1, 21, "unexpected token :", ""},
		"const x = <div>hi</div>":   {1, 11, "unexpected token <", ""},
		"def f(x):\n  return x":     {1, 5, "unexpected identifier f", ""},
		"const b = = 2":             {1, 11, "unexpected token =", ""},
		"const s = '日本'; = 2":       {1, 17, "unexpected token =", ""},
		"let a; let a":              {1, 12, "already been declared", ""},
		"const x = #a":              {1, 11, "a private name", ""},
		"x = 08n":                   {1, 5, "malformed number", ""},
		"class A extends { }":       {1, 20, "unexpected end of the script", ""},
		"a = 1\n/* never\nends":     {2, 1, "the comment that begins here is never closed", "*/"},
		"const s = “hello world”":   {1, 11, "“ is a typographic quote", "use \" or '"},
		"f('日', ‘a’)\nb = ’c’":      {1, 8, "‘ is a typographic quote, not one of the language (also on line 2)", "use \" or '"},
		"return\u200b 1":            {1, 7, "an invisible character, U+200B", "remove it"},
		"a = 1；":                    {1, 6, "unexpected character ；", ""},
		`a = 1\nb = 2`:              {1, 6, "a backslash outside of strings", "escaped twice"},
		"const s = 'don't do this'": {1, 15, "a ' inside the string ends it here", "write \\'"},
		"const s = 'abc\nb = 1":     {1, 11, "the string that begins here does not end", "close it with '"},
		"f(\"it is\nbroken\")":      {1, 3, "the string that begins here does not end", "close it with \""},
		// modules
		"import x from 'y'":             {1, 1, "import is not available", "agents read files"},
		"const x = await import('y')":   {1, 17, "import is not available", "agents read files"},
		"export default 1":              {1, 1, "export is not available", "return the result"},
		"export async function f() { }": {1, 1, "export is not available", "return the result"},
		"const fs = require('fs')":      {1, 12, "require() is not available", ""},
		"using x = f()":                 {1, 1, "using declarations are not supported by this version", "finally"},
		"await using x = f()":           {1, 1, "using declarations are not supported by this version", "finally"},
		"@dec('a') class A {}":          {1, 1, "decorators are not supported by this version", "call the function"},
		"const r = /a/dd":               {1, 11, "invalid regular expression: invalid regular expression flags", ""},
		"const r = /[a--b&&c]/v":        {1, 11, "invalid regular expression: invalid set operation in character class", ""},
		"const r = /(?i:a)b/":           {1, 11, "modifiers such as (?i:…)", "whole expression"},
		`const r = /\\\p{Foo}+/u`:       {1, 11, "invalid regular expression: invalid property name", ""},
		"const {a: [b = {}] = []} = o":  {1, 12, "an array pattern with defaults inside an object pattern", "two steps"},
		// await
		"items.map(x => { await agent('x') })":         {1, 18, "await in a function that is not async", "line 1, column 11 async: async x => …"},
		"items.map(x => await agent('x'))":             {1, 16, "await in a function that is not async", "async x => …"},
		"items.map((x, i) => {\n return await f(x) })": {2, 9, "await in a function that is not async", "line 1, column 11 async: async (x, i) => …"},
		"a.forEach(function (x) { y = await f(x) })":   {1, 30, "await in a function that is not async", "line 1, column 11 async: async function"},
		"o = { run(x) { if (x) { await f(x) } } }":     {1, 25, "await in a function that is not async", "async run(…) { … }"},
		"items.map(x => { await (f()) })":              {1, 18, "await in a function that is not async", "async x => …"},
		"f(x => { await a(x)\nawait b(x) })":           {1, 10, "await in a function that is not async (also on line 2)", "async x => …"},
		// brackets and commas
		"foo(":                                  {1, 4, "this ( is never closed", "add the missing )"},
		"foo(1))\nb = 1":                        {1, 7, "unexpected )", "no bracket is open"},
		"foo([1, 2)\nb = 1":                     {1, 5, "this [ is never closed", "before the ) at line 1, column 10"},
		"b = (1, 2]":                            {1, 5, "this ( is never closed", "the ] at line 1, column 10 stands where its ) should be"},
		"if (x) {\n  foo()\n\nconst a = 1":      {1, 8, "this { is never closed", "add the missing }"},
		"if (x {\n  foo()\n}":                   {1, 4, "this ( is never closed", "add the missing )"},
		"o = {\n  a: {\n    b: 1,\n  c: 2,\n}":  {2, 6, "this { is never closed", "add the missing }"},
		"o = {\n  a: [1, 2,\n  b: 2,\n}\nc = 1": {2, 6, "this [ is never closed", "add the missing ]"},
		"f(a, {\n  b: 1\n}\nconst c = 2":        {1, 2, "this ( is never closed", "add the missing )"},
		"return a\n}":                           {2, 1, "unexpected }", "no bracket is open"},
		"f = () => {\n  if (x) {\n    a()\n  }\n  }\n  b()\n}\nc()": {5, 3, "unexpected }", "no bracket is open"},
		"return 1 })(); (async () => { return 2":                    {1, 10, "closes the function", "no bracket is open"},
		"o = {\n a: 1,\n b: 2\n c: 3\n}":                            {4, 2, "unexpected identifier c", "a comma seems to be missing at line 3, column 6"},
		"o = {\n a: 1 // one\n b: `x`\n c: 3\n}":                    {3, 2, "unexpected identifier b (also on line 4)", "a comma seems to be missing at line 2, column 6"},
		"agent('x', { label: 'a' schema: S })":                      {1, 25, "unexpected identifier schema", "a comma seems to be missing at line 1, column 24"},
		"o = {a: 1, b: [1, 2 3]}":                                   {1, 21, "unexpected number", "missing at line 1, column 20"},
		"pipeline(a,\n  (x) => f(x)\n  (y) => g(y))":                {3, 3, "unexpected token (", "missing at line 2, column 14"},
	} {
		checkFaults(t, body, want)
	}
}

// proves: C02
func TestIndependentFaultsTogether(t *testing.T) {
	checkFaults(t, `import fs from 'fs'
const x = require('x')
export default async function main() { return 1 }
const s = “smart”
for await (const x of y) {}
log('x')`,
		expected{1, 1, "import", "agents"}, expected{2, 11, "require()", ""}, expected{3, 1, "export", "return"},
		expected{4, 11, "typographic", "use"})
	checkFaults(t, "const a: A = 1\nitems.map(x => { await f(x) })\nreturn /\\p{Foo}/u",
		expected{1, 8, isTypes, "types"}, expected{2, 18, "await", "async x"}, expected{3, 8, "invalid property name", ""})
	// What cannot be mended ends the search: the rest may follow from it.
	checkFaults(t, "const b = = 2\nimport 'x'", expected{1, 11, "unexpected token =", ""})
}

func TestTextOfAParseError(t *testing.T) {
	err := Check(Script{Body: "import 'x'\nconst a: A = 1"})
	want := `workflow script does not parse: import is not available in workflow scripts: they have no modules (line 1, column 1)
    1 | import 'x'
      | ^
hint: agents read files and run programs; the script has agent(), parallel(), pipeline() and the language
and: a type annotation is TypeScript, not JavaScript (line 2, column 8)
    2 | const a: A = 1
      |        ^
hint: this version runs JavaScript only: take the types out and keep the script as .js`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// longScript has 100 lines, with a prompt on line 4.
func longScript() string {
	lines := []string{"phase('Scan')", "const dirs = ['a', 'b']", "const scope = await agent(", "  `Read ${dirs.join(', ')} and say (briefly) what each file does; don't guess.`,", "  { label: 'scope' },", ")"}
	for i := 0; len(lines) < 98; i++ {
		switch i % 4 {
		case 0:
			lines = append(lines, fmt.Sprintf("const r%d = await parallel(dirs.map((d) => () => agent(`Review ${d} for bugs no. %d: be strict.`, { label: `r ${d}` })))", i, i))
		case 1:
			lines = append(lines, fmt.Sprintf("log(`found ${r%d.length} things`)", i-1))
		case 2:
			lines = append(lines, fmt.Sprintf("if (r%d.length > 2) {", i-2), "  await agent(`", "Summarise these:", fmt.Sprintf("${r%d}", i-2), "in one line.", "`)", "}")
		case 3:
			lines = append(lines, "")
		}
	}
	return strings.Join(append(lines[:98], "", "return scope"), "\n")
}

// The fault is on line 4 wherever in the prompt the back-tick stands.
//
// proves: C02
func TestStrayBacktickOnLineFour(t *testing.T) {
	source := longScript()
	if err := Check(Script{Body: source}); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	start, end := strings.Index(source, "`"), 0
	for _, piece := range tokenize(source).tokens {
		if piece.kind != tokenTemplate || bytePosition(source, piece.start).Line != 4 {
			continue
		}
		end = piece.end - 1
		for at := piece.start + 1; at < piece.end; at++ {
			if source[at-1] != '$' {
				checkLine(t, source[:at]+"`"+source[at:], 4, "back-tick")
			}
		}
	}
	checkLine(t, source[:end]+source[end+1:], 4, "the template that begins here is not closed")
	checkLine(t, source[:start]+source[start+1:], 4, "")
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

func checkLine(t *testing.T, body string, line int, reason string) {
	t.Helper()
	var parse *ParseError
	if err := Check(Script{Body: body}); !errors.As(err, &parse) || parse.Pos.Line != line || !strings.Contains(parse.Reason, reason) {
		t.Errorf("%s\n got %v", lineOf(body, line), err)
	}
}

// One bracket or comma less is found on the line where it was, or on that of its
// partner.
func TestOneTokenLess(t *testing.T) {
	source := longScript()
	src := tokenize(source)
	for i, tok := range src.tokens {
		if i%3 != 0 || tok.kind != tokenPunct { // a third is enough
			continue
		}
		lines := map[int]bool{bytePosition(source, tok.start).Line: true}
		switch {
		case tok.opener >= 0:
			lines[bytePosition(source, src.tokens[tok.opener].start).Line] = true
		case src.is(i, ",") && i+1 < len(src.tokens):
			lines[bytePosition(source, src.tokens[i+1].start).Line] = true
		default:
			continue
		}
		var parse *ParseError
		err := Check(Script{Body: source[:tok.start] + source[tok.end:]})
		if err != nil && (!errors.As(err, &parse) || !lines[parse.Pos.Line]) {
			t.Errorf("without %s of %v:\n%v", src.word(i), bytePosition(source, tok.start), err)
		}
	}
}

// Diagnosis is bounded, whatever the script.
func TestDiagnosisIsBounded(t *testing.T) {
	for name, body := range map[string]string{
		"ticks":    strings.Repeat("a(`x y` z`)\n", 3_000),
		"types":    strings.Repeat("let a: b = 1;\n", 3_000),
		"brackets": strings.Repeat("f({[(\n", 80) + strings.Repeat("x = 1\n", 6_000),
		"imports":  strings.Repeat("import 'x'\n", 3_000),
		"quotes":   strings.Repeat("f = 'don't';\n", 3_000),
	} {
		var parse *ParseError
		if err := Check(Script{Body: body}); !errors.As(err, &parse) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
