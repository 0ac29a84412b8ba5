package meta_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dsh-go/dsh-workflow/meta"
)

func read(t *testing.T, source string) *meta.Script {
	t.Helper()
	s, err := meta.Read(source)
	if err != nil {
		t.Fatalf("Read(%.200q): %v", source, err)
	}
	return s
}

// faults reads a source that must be refused and gives "line:column message".
func faults(t *testing.T, source, code string) []string {
	t.Helper()
	s, err := meta.Read(source)
	if err == nil {
		t.Fatalf("Read(%.200q) = %+v", source, s.Meta)
	}
	var all meta.Diagnostics
	if !errors.As(err, &all) {
		t.Fatalf("error is a %T", err)
	}
	if all.Code() != code {
		t.Errorf("code = %s, want %s", all.Code(), code)
	}
	var texts []string
	for _, d := range all {
		texts = append(texts, fmt.Sprintf("%d:%d %s", d.Line, d.Column, d.Message))
	}
	return texts
}

// mustBeQuick wants an answer within 50 ms. On a busy machine the best of some
// tries counts.
func mustBeQuick(t *testing.T, source string) {
	t.Helper()
	best := time.Hour
	for try := 0; try < 20 && best > 50*time.Millisecond; try++ {
		start := time.Now()
		_, _ = meta.Read(source)
		best = min(best, time.Since(start))
	}
	if best > 50*time.Millisecond {
		t.Errorf("%.100q took %v", source, best)
	}
}

const minimal = `export const meta = {name: 'a', description: 'b'}`

// proves: W1, W2
func TestReadFullMeta(t *testing.T) {
	const source = `export const meta = {
  name: 'review',
  "description": "Reviews a change",
  whenToUse: 'before a merge',
  phases: [
    { title: 'Find', detail: 'per file', model: 'haiku' },
    { title: 'Verify', provider: 'spawn' },
  ],
}
const x = await agent('go')
return x
`
	s := read(t, source)
	want := &meta.Meta{
		Name: "review", Description: "Reviews a change", WhenToUse: "before a merge",
		Phases: []meta.Phase{
			{Title: "Find", Detail: "per file", Model: "haiku"},
			{Title: "Verify", Provider: "spawn"},
		},
	}
	if diff := cmp.Diff(want, s.Meta); diff != "" {
		t.Error(diff)
	}
	before, after := strings.Split(source, "\n"), strings.Split(s.Body, "\n")
	if len(before) != len(after) || strings.Contains(s.Body, "export") {
		t.Errorf("body = %q", s.Body)
	}
	if diff := cmp.Diff(before[9:], after[9:]); diff != "" {
		t.Error(diff)
	}
}

// proves: W3, W4, W5
func TestReadPassesOverComments(t *testing.T) {
	for name, source := range map[string]string{
		"line":             "// one\n// two\n" + minimal,
		"block":            "/* one\n * two } \n */ /**/ " + minimal,
		"mark":             "\ufeff" + minimal,
		"hashbang":         "#!/usr/bin/env dsh\n" + minimal,
		"mark, hashbang":   "\ufeff#!/usr/bin/env dsh\r\n// x\r\n" + minimal,
		"directive":        "'use strict'\n" + minimal,
		"directives":       "// x\n\"use strict\"; 'use x'\n/* y */ " + minimal,
		"odd space":        "\u00a0\u2028\v\f" + minimal,
		"in the statement": "export/* a */const // b\nmeta\n=/* c */ {name: 'a', /* } */ description: 'b' // }\n}",
		"strings":          `export const meta = {name: 'a', description: 'b', x: "}", y: '{\'}', z: [']']}`,
		"continued":        "export const meta = {name: 'a', description: 'b', x: 'y\\\r\nz'}",
		"template":         "export const meta = {name: `a`, description: 'b', x: `} \\` \\${ {`}",
		"newline":          "export const meta = {name: 'a', description: 'b'}\nconst x = 1",
		"spaced keys":      "export\nconst\nmeta = {name: 'a', description: 'b',}",
	} {
		t.Run(name, func(t *testing.T) {
			if m := read(t, source).Meta; m == nil || m.Name != "a" || m.Description != "b" {
				t.Errorf("meta = %+v", m)
			}
		})
	}
}

// proves: W6, W7
func TestReadBlanksTheStatementOnly(t *testing.T) {
	for _, c := range []struct{ source, body string }{
		{minimal + ";return 1", strings.Repeat(" ", len(minimal)+1) + "return 1"},
		{minimal + " \t ; return 1", strings.Repeat(" ", len(minimal)+1+1) + "  " + " return 1"},
		{minimal + "\nreturn 1", strings.Repeat(" ", len(minimal)) + "\nreturn 1"},
		{minimal + " // é\nreturn 1", strings.Repeat(" ", len(minimal)) + " // é\nreturn 1"},
		{minimal + "\n\n;return 1", strings.Repeat(" ", len(minimal)) + "\n\n return 1"},
		{"'use strict'\n" + minimal, "'use strict'\n" + strings.Repeat(" ", len(minimal))},
		{"#!x\n" + minimal + "\n", "   \n" + strings.Repeat(" ", len(minimal)) + "\n"},
		{"// é\n" + minimal, "// é\n" + strings.Repeat(" ", len(minimal))},
		{minimal + "\n++x", strings.Repeat(" ", len(minimal)) + "\n++x"},
	} {
		body := read(t, c.source).Body
		if strings.Contains(c.source, "\t") { // a tab inside the region becomes a space
			body = strings.ReplaceAll(body, "\t", " ")
		}
		if body != c.body {
			t.Errorf("body of %q:\n got %q\nwant %q", c.source, body, c.body)
		}
	}
}

// proves: W8, W9, W11, W13
func TestReadWithoutStatement(t *testing.T) {
	header := "// head\n" + strings.Repeat("    \n", 40) + "// more\n" + strings.Repeat(" ", 200)
	for name, source := range map[string]string{
		"statement":     "return 1",
		"empty":         "",
		"comment only":  "// nothing but this",
		"not exported":  header + "const meta = {name: 'a', description: 'b'}",
		"another":       "export const other = {}",
		"default":       "export default {}",
		"broken body":   "const x = `",
		"broken string": "'abc",
		"in a string":   "const x = `\n" + minimal + "\n`",
		"in a comment":  "f() // " + minimal,
		"in a function": "function f() {\n" + minimal + "\n}",
		"member":        "x.export\nconst meta = {}",
	} {
		t.Run(name, func(t *testing.T) {
			s := read(t, source)
			mustBeQuick(t, source)
			if s.Meta != nil || s.Body != source {
				t.Errorf("meta = %+v, body = %q", s.Meta, s.Body)
			}
			err := s.RequireMeta()
			var d meta.Diagnostics
			if !errors.As(err, &d) || d.Code() != meta.CodeParse || !strings.Contains(err.Error(), "must begin with `export const meta = {...}`") {
				t.Errorf("RequireMeta = %v", err)
			}
			if name == "not exported" && (len(s.Warnings) != 1 || s.Warnings[0].Code != meta.CodeNotExported) {
				t.Errorf("warnings = %+v", s.Warnings)
			}
		})
	}
	if err := read(t, minimal).RequireMeta(); err != nil {
		t.Error(err)
	}
}

// proves: W10, W12, W14, W15, W21
func TestReadRefusesWhatDoesNotParse(t *testing.T) {
	const open = `export const meta = {name: 'a', description: 'b', x: `
	for _, c := range []struct{ source, want string }{
		{"export const meta = [1]", "1:21 `export const meta =` must be followed by an object literal"},
		{"export const meta = ({})", "1:21 `export const meta =` must be followed by an object literal"},
		{"export const meta = f()", "1:21 `export const meta =` must be followed by an object literal"},
		{"export const meta = ", "1:21 `export const meta =` must be followed by an object literal"},
		{"export const meta", "1:18 `export const meta` must be followed by `= {...}`"},
		{"export const meta: Meta = {}", "1:18 `export const meta` must be followed by `= {...}`: a type annotation is TypeScript, not JavaScript"},
		{"/* open\n" + minimal, "1:1 script has an unterminated comment before the meta block"},
		{open + "`${1}`}", "1:54 template interpolation (`${...}`) is not allowed in the meta block — meta must be a pure literal"},
		{open + "1", "1:21 meta block is not a balanced object literal"},
		{open + "[1}]", "1:56 meta block is not a balanced object literal"},
		{open + "'y}\n", "1:54 meta block has an unterminated string literal"},
		{open + "`y}\n", "1:54 meta block has an unterminated string literal"},
		{open + "/* }\n", "1:54 meta block has an unterminated comment"},
		{open + "1 // }", "1:21 meta block is not a balanced object literal"},
		{open + "1 2}", "1:56 meta block does not parse: Unexpected number"},
		{open + "1,\n  y: é 'z'}", "2:8 meta block does not parse: Unexpected string"},
		{open + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + "}", "1:153 meta block is nested deeper than 100 levels"},
		{open + strings.Repeat("`${", 10000), "1:352 meta block is nested deeper than 100 levels"},
		{minimal + " && 3", "1:51 the meta statement must end after the object literal"},
		{minimal + "\n&& 3", "2:1 the meta statement must end after the object literal"},
		{minimal + "\n/x/.test('y')", "2:1 the meta statement must end after the object literal"},
		{minimal + "\n(f)()", "2:1 the meta statement must end after the object literal"},
		{minimal + ".name", "1:50 the meta statement must end after the object literal"},
		{minimal + " return 1", "1:51 the meta statement must end after the object literal"},
		{minimal + ", other = 1", "1:50 the meta statement must declare nothing but meta"},
		{minimal + " as const", "1:51 the meta statement must end after the object literal: `as` is TypeScript, not JavaScript"},
		{"export let meta = {name: 'a', description: 'b'}", "1:8 meta must be declared with const, not let"},
		{"export var meta = {name: 'a', description: 'b'}", "1:8 meta must be declared with const, not var"},
		{"import x from 'y'\n" + minimal, "1:1 the meta statement must come first: this statement stands before it"},
		{"'use strict' + f()\n" + minimal, "1:1 the meta statement must come first: this statement stands before it"},
	} {
		if diff := cmp.Diff([]string{c.want}, faults(t, c.source, meta.CodeParse)); diff != "" {
			t.Errorf("%.100q: %s", c.source, diff)
		}
		mustBeQuick(t, c.source)
	}
}

// Code is refused, whatever it would do: nothing can spin, since nothing runs.
//
// proves: W16, W17, W19, W22
func TestReadRefusesCode(t *testing.T) {
	const open = `export const meta = {name: 'a', description: 'b', `
	for _, c := range []struct{ member, want string }{
		{"x: foo", "meta.x is a variable (`foo`): meta must be a pure literal, nothing in it is evaluated"},
		{"x: undefined", "meta.x is a variable (`undefined`): meta must be a pure literal, nothing in it is evaluated"},
		{"foo", "meta.foo is a variable: meta must be a pure literal, nothing in it is evaluated"},
		{"x: f()", "meta.x is a call: meta must be a pure literal, nothing in it is evaluated"},
		{"x: new F()", "meta.x is a call: meta must be a pure literal, nothing in it is evaluated"},
		{"x: (() => { for (;;) {} })()", "meta.x is a call: meta must be a pure literal, nothing in it is evaluated"},
		{"x: a.b", "meta.x is a member access: meta must be a pure literal, nothing in it is evaluated"},
		{"x: 1 + 2", "meta.x is an expression: meta must be a pure literal, nothing in it is evaluated"},
		{"x: +1", "meta.x is an expression: meta must be a pure literal, nothing in it is evaluated"},
		{"x: -'1'", "meta.x is an expression: meta must be a pure literal, nothing in it is evaluated"},
		{"x: f`y`", "meta.x is a tagged template: meta must be a pure literal, nothing in it is evaluated"},
		{"[x]: 1", "meta has a computed key: meta must be a pure literal, nothing in it is evaluated"},
		{"...x", "meta has a spread: meta must be a pure literal, nothing in it is evaluated"},
		{"x: [...y]", "meta.x[0] is a spread: meta must be a pure literal, nothing in it is evaluated"},
		{"x: [{y: {'a b': z}}]", "meta.x[0].y[\"a b\"] is a variable (`z`): meta must be a pure literal, nothing in it is evaluated"},
		{"x: () => {}", "meta.x is a function: meta must be pure JSON data"},
		{"x: function () {}", "meta.x is a function: meta must be pure JSON data"},
		{"x: class {}", "meta.x is a class: meta must be pure JSON data"},
		{"x() {}", "meta.x is a method: meta must be pure JSON data"},
		{"get x() { for (;;) {} }", "meta.x is a getter or setter: meta must be pure JSON data"},
		{"set x(y) {}", "meta.x is a getter or setter: meta must be pure JSON data"},
		{"x: /[}]/", "meta.x is a regular expression: meta must be pure JSON data"},
		{"x: 1n", "meta.x is a bigint: meta must be pure JSON data"},
		{"x: 1e999", "meta.x is not a finite number: meta must be pure JSON data"},
		{"x: [1,,2]", "meta.x[1] is a hole: meta must be pure JSON data"},
		{"__proto__: {}", "meta.__proto__ is not allowed as a key"},
		{"x: {constructor: 1}", "meta.x.constructor is not allowed as a key"},
		{"'prototype': 1", "meta.prototype is not allowed as a key"},
	} {
		got := faults(t, open+c.member+"}", meta.CodeInvalid)
		mustBeQuick(t, open+c.member+"}")
		if len(got) != 1 || !strings.HasSuffix(got[0], " "+c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.member, got, c.want)
		}
	}
}

// proves: W20
func TestReadReportsEverythingTogether(t *testing.T) {
	const source = `const HOME = 'x'
export let meta = {
	description: 7, phases: [{detail: 1}, '', {title: HOME}, 3],
	whenToUse: null,
} && 3
`
	want := []string{
		"1:1 the meta statement must come first: this statement stands before it",
		"2:8 meta must be declared with const, not let",
		"2:19 meta.name must be a non-empty string",
		"3:15 meta.description must be a non-empty string",
		"3:27 meta.phases[0].title must be a non-empty string",
		"3:36 meta.phases[0].detail must be a string",
		"3:40 meta.phases[1] must be a non-empty string",
		"3:52 meta.phases[2].title is a variable (`HOME`): meta must be a pure literal, nothing in it is evaluated",
		"3:59 meta.phases[3] must be an object or a non-empty string",
		"4:13 meta.whenToUse must be a string",
		"5:3 the meta statement must end after the object literal",
	}
	if diff := cmp.Diff(want, faults(t, source, meta.CodeParse)); diff != "" {
		t.Error(diff)
	}
}

func TestReportShowsWhere(t *testing.T) {
	_, err := meta.Read("// é\nexport const meta = {\n\tname: 'é', description: föö}")
	var d meta.Diagnostics
	if !errors.As(err, &d) {
		t.Fatal(err)
	}
	const want = "3:26: meta.description is a variable (`föö`): meta must be a pure literal, nothing in it is evaluated\n" +
		"    3 | \tname: 'é', description: föö}\n" +
		"      | \t                        ^"
	if diff := cmp.Diff(want, d.Report()); diff != "" {
		t.Error(diff)
	}
	const line = "invalid meta: meta.description is a variable (`föö`): meta must be a pure literal, nothing in it is evaluated (3:26)"
	if err.Error() != line {
		t.Errorf("error = %s", err)
	}
}

// Each fault costs a walk along its line, so a bound on their number keeps this
// from taking minutes.
func TestManyFaultsOnOneLine(t *testing.T) {
	source := "export const meta = {" + strings.Repeat("x: y,", 50_000) + "}"
	got := faults(t, source, meta.CodeInvalid)
	if len(got) != 101 || !strings.HasSuffix(got[100], "more faults") {
		t.Errorf("%d faults, last %s", len(got), got[len(got)-1])
	}
}

// proves: W20, W29
func TestReadKeepsExtraKeys(t *testing.T) {
	const source = `export const meta = {
  name: 'a', description: 'b', phases: ['x', {title: 'y', agents: 2}],
  argsSchema: {type: ['object', 'null'], z: -1.50, 'a b': [true, null, ` + "`t\\n`" + `], 7: 0x10},
  maxAgents: 3, maxAgents: 4,
}`
	s := read(t, source)
	want := map[string]json.RawMessage{
		"argsSchema": json.RawMessage(`{"type":["object","null"],"z":-1.5,"a b":[true,null,"t\n"],"7":16}`),
		"maxAgents":  json.RawMessage(`4`),
	}
	if diff := cmp.Diff(want, s.Meta.Extra); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]meta.Phase{{Title: "x"}, {Title: "y"}}, s.Meta.Phases); diff != "" {
		t.Error(diff)
	}
	var got []string
	for _, w := range s.Warnings {
		got = append(got, fmt.Sprintf("%s %d:%d", w.Code, w.Line, w.Column))
	}
	wantWarnings := []string{"META_UNKNOWN_KEY 2:59", "META_UNKNOWN_KEY 3:3", "META_DUPLICATE_KEY 4:17", "META_UNKNOWN_KEY 4:17"}
	if diff := cmp.Diff(wantWarnings, got); diff != "" {
		t.Error(diff)
	}
}

// checkBody holds what is true of every body: the same length and lines, and no
// byte changed but to a space, in one region besides the head.
func checkBody(t interface{ Errorf(string, ...any) }, source string, s *meta.Script) {
	if len(s.Body) != len(source) {
		t.Errorf("body of %q has %d bytes, not %d", source, len(s.Body), len(source))
		return
	}
	for i := range len(source) {
		if s.Body[i] != source[i] && (s.Body[i] != ' ' || strings.IndexByte("\n\r", source[i]) >= 0) {
			t.Errorf("byte %d of %q became %q", i, source, s.Body[i])
			return
		}
	}
	if strings.Count(s.Body, "\u2028")+strings.Count(s.Body, "\u2029") != strings.Count(source, "\u2028")+strings.Count(source, "\u2029") {
		t.Errorf("%q lost a line separator", source)
	}
}

func TestBodyKeepsEverythingElse(t *testing.T) {
	piece := rapid.SampledFrom([]string{"// c\n", "/* é\u2028 */", "\r\n", "'use strict';\n", " ", "\ufeff"})
	rest := rapid.SampledFrom([]string{"const x = `a${1}b`\n", "return 'é'\r\n", "/* { */", "if (a) /}/.test(b)\n", "{}", "`", ")", "\u2029"})
	rapid.Check(t, func(t *rapid.T) {
		head := strings.Join(rapid.SliceOf(piece).Draw(t, "head"), "")
		statement := rapid.SampledFrom([]string{minimal, "export const meta =\n\n{name: `é`, // }\r\ndescription: 'b'\u2028}"}).Draw(t, "statement")
		end := rapid.SampledFrom([]string{";", "\n", " ;"}).Draw(t, "end")
		tail := "let y;" + strings.Join(rapid.SliceOf(rest).Draw(t, "tail"), "")
		source := head + statement + end + tail
		s, err := meta.Read(source)
		if err != nil {
			t.Fatalf("Read(%q): %v", source, err)
		}
		checkBody(t, source, s)
		if !strings.HasSuffix(s.Body, tail) {
			t.Errorf("the tail of %q changed: %q", source, s.Body)
		}
		if kept := strings.TrimPrefix(head, "\ufeff"); !strings.HasPrefix(s.Body[len(head)-len(kept):], kept) {
			t.Errorf("the head of %q changed: %q", source, s.Body)
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		minimal, "\ufeff#!x\n'use strict'\n" + minimal + ";\nreturn 1",
		"export const meta = {name: `a`, description: \"b\", phases: ['x', {title: 'y'}], z: [-1.5, null, {'k': true}]}\n++x",
		"export const meta = {get a() {}, [b]: 1, ...c, d: f(), __proto__: 1, e: [,], g: `${h}`}",
		"const x = /[/}]/g\nexport var meta = {a: /}/, b: class { #x = 1 }} && 3",
		"export const meta = {name: 'a\\\r\nb', description: '\\u{1F600}\\x41'}\u2028/* x */ ;",
		"export const meta = {a: 1e999, b: 0b11, c: 0o7, d: 1_000, e: .5, f: 5., g: 010}",
		"`${`${export const meta = {}}`}`", "export const meta = {a: async () => { await 1 }, b: function* () { yield }}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		s, err := meta.Read(source)
		if err != nil {
			var d meta.Diagnostics
			if !errors.As(err, &d) || len(d) == 0 {
				t.Fatalf("error %v is none of ours", err)
			}
			for _, one := range d {
				if one.Message == "" || one.Line < 0 || one.Column < 0 || !utf8.ValidString(one.Excerpt) {
					t.Errorf("diagnostic %+v", one)
				}
			}
			return
		}
		checkBody(t, source, s)
		if s.Meta == nil {
			return
		}
		raw, err := json.Marshal(s.Meta)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := meta.FromJSON(raw)
		if err != nil {
			t.Fatalf("FromJSON(%s): %v", raw, err)
		}
		if diff := cmp.Diff(s.Meta, again); diff != "" {
			t.Errorf("%s: %s", raw, diff)
		}
	})
}
