package vm

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// proves: W72
func TestParseErrors(t *testing.T) {
	for body, want := range map[string]struct {
		pos  Position
		part string
	}{
		"const b = = 2":                            {Position{1, 11}, "unexpected token ="},
		"\n\tconst b = = 2":                        {Position{2, 12}, "unexpected token ="},
		"const s = '日本'; = 2":                      {Position{1, 17}, "unexpected token ="},
		"import x from 'y'":                        {Position{1, 1}, "import is not available"},
		"\n  import 'y'":                           {Position{2, 3}, "import is not available"},
		"export const x = 1":                       {Position{1, 1}, "export is not available"},
		"const a = 1\nconst m = await import('x')": {Position{2, 17}, "import is not available"},
		"const fs = require('fs')":                 {Position{1, 12}, "require() is not available"},
		"if (1) { (() => { require('x') })() }":    {Position{1, 19}, "require() is not available"},
		"let a; let a":                             {Position{1, 12}, "already been declared"},
		"return 1 })(); (async () => { return 2":   {Position{1, 10}, "closes the function"},
		"}), (async () => {":                       {Position{1, 1}, "closes the function"},
		"}, async () => {":                         {Position{1, 1}, "closes the function"},
		"return 1\n}); ({":                         {Position{2, 1}, "closes the function"},
		"foo(":                                     {Position{1, 4}, "this ( is never closed"},
		"`unterminated":                            {Position{1, 1}, ""},
		"const a: string[] = []":                   {Position{1, 8}, "a type annotation is typescript"},
	} {
		err := Check(Script{Name: "t", Body: body})
		var parse *ParseError
		if !errors.As(err, &parse) || parse.Code() != CodeScriptParse {
			t.Errorf("%q: %v", body, err)
			continue
		}
		if want.part != "" && parse.Pos != want.pos {
			t.Errorf("%q: at %v, want %v (%v)", body, parse.Pos, want.pos, err)
		}
		if !strings.HasPrefix(err.Error(), "workflow script does not parse: ") || !strings.Contains(strings.ToLower(err.Error()), want.part) {
			t.Errorf("%q: %v", body, err)
		}
		if _, err := run(t, &testHost{}, body); !errors.As(err, &parse) {
			t.Errorf("%q: Run says %v", body, err)
		}
	}
}

func TestExcerpt(t *testing.T) {
	var parse *ParseError
	if !errors.As(Check(Script{Body: "const a = 1\n\tconst é = = 2\n"}), &parse) {
		t.Fatal("parsed")
	}
	if want := "    2 |  const é = = 2\n      |            ^"; parse.Excerpt != want {
		t.Errorf("got\n%s\nwant\n%s", parse.Excerpt, want)
	}
	errors.As(Check(Script{Body: strings.Repeat("a; ", 5000) + "= 1" + strings.Repeat("; b", 5000)}), &parse)
	if line, caret, _ := strings.Cut(parse.Excerpt, "\n"); len(line) > 120 || line[len(caret)-1] != '=' {
		t.Errorf("caret misplaced:\n%s", parse.Excerpt)
	}
}

func TestRequireMayBeTheScriptsOwn(t *testing.T) {
	for _, body := range []string{
		`const require = x => x; return require(1)`,
		`function require(x) { return x } return require(1)`,
		`return (require => require(1))(x => x)`,
	} {
		want(t, body, `1`)
	}
	if err := Check(Script{Body: `const t = "import x; require('fs')" // import() export`}); err != nil {
		t.Error("text was taken for code:", err)
	}
}

func TestComplexityBounds(t *testing.T) {
	deep := func(open, mid, shut string, n int) string {
		return strings.Repeat(open, n) + mid + strings.Repeat(shut, n)
	}
	for name, body := range map[string]string{
		"parens": deep("(", "1", ")", 600), "arrays": deep("[", "", "]", 600), "blocks": deep("{", "", "}", 600),
		"objects": "x = " + deep("{a:", "1", "}", 600), "templates": deep("`${", "1", "}`", 600), "calls": "f" + strings.Repeat("()", 5000),
		"plus": "1" + strings.Repeat("+1", 5000), "lines": "1" + strings.Repeat("+\n1", 5000), "not": strings.Repeat("!", 5000) + "1",
		"typeof": strings.Repeat("typeof ", 5000) + "1", "arrows": strings.Repeat("a=>", 5000) + "1", "ternary": strings.Repeat("a?1:", 5000) + "1",
		"else": strings.Repeat("if(a){}else ", 5000) + "{}", "if": strings.Repeat("if(a)\n", 5000) + "{}", "dots": "a" + strings.Repeat(".b", 5000),
		"assign": strings.Repeat("a=", 5000) + "1", "labels": strings.Repeat("a:\n", 5000) + "1", "await": strings.Repeat("await ", 5000) + "1",
		"tags": "f" + strings.Repeat("`x`", 5000), "new": strings.Repeat("new ", 5000) + "a", "hidden": "x\n/1/\n" + deep("(", "1", ")", 600),
		"in regex class": "/[/(]/\n" + deep("(", "1", ")", 600), "long": strings.Repeat(" ", 600<<10),
		"disguised": strings.Repeat("{}/`/;", 30_000) + deep("(", "1", ")", 300_000),
	} {
		start := time.Now()
		var parse *ParseError
		if err := Check(Script{Body: body}); !errors.As(err, &parse) || parse.Code() != CodeTooComplex {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
	}
	for name, body := range map[string]string{
		"statements": strings.Repeat("a = b + c\n", 20_000), "semicolons": strings.Repeat("a=b+c;", 20_000),
		"elements": "x = [" + strings.Repeat("a + b, ", 20_000) + "]", "calls": strings.Repeat("f(a)(b).c\n", 10_000),
		"text": "x = '" + strings.Repeat("([{+-", 10_000) + "'", "template": "x = `" + strings.Repeat("([{+- ", 10_000) + "`",
		"comment": "/*" + strings.Repeat("([{+-", 10_000) + "*/", "regexes": strings.Repeat("x = /[(\\/]({/.test(y)\n", 2000),
		"ifs": strings.Repeat("if (a) /[(]/.test(b)\nelse { c() }\n", 3000), "nested": deep("(", "1", ")", 400),
		"division": strings.Repeat("x = (a + b) / c / d[1] / 2\n", 5000), "long sum": "x = 'a'" + strings.Repeat("\n + 'b'", 3000),
	} {
		if err := Check(Script{Body: body}); err != nil {
			if p := (*ParseError)(nil); errors.As(err, &p) && p.TooComplex {
				t.Errorf("%s: %v\n%s", name, err, p.Excerpt)
			}
		}
	}
}

// No comment in a script makes the parser read a file.
func TestSourceMapsAreNotLoaded(t *testing.T) {
	for _, url := range []string{"/etc/passwd", "data:application/json;base64,e30=", "missing.map"} {
		want(t, "return 1\n//# sourceMappingURL="+url, `1`)
	}
}

func FuzzScript(f *testing.F) {
	for _, seed := range []string{
		"return await agent('x', {a: [1, undefined]})", "return parallel([() => 1, agent('x'), 3])", "`${`${1}`}`", "})(); (() => {",
		"const {a, ...b} = {a: 1}; for (const x of [1]) { log(x) }", "throw {toString() { throw 1 }}", "for (;;) {}", "import('x')",
		"/[/]`/.test(`}`)", "class A { #x = 1; static { log(this) } }", "setTimeout(() => { throw 1 }, 1)", "return {get a() { return 1 }}",
		"label: for (;;) { continue label }", "async function* f() {}", "x = y / 1 / `", "return new Proxy({}, {})", "<!-- x\n--> y", "\u2028return 1",
		"agent(`a `b c`)\nd = `e`", "const a: B<C>[] = x as D", "f(x => { await y(z) })", "o = {a: 1\n b: [2 3]", "f(“x”, 'don't')", "```js\nx\n```", "x(]\n}", "for await (a of b) {}\n@c class D { private e!: F }",
	} {
		f.Add(seed)
	}
	o := Options{SyncLimit: 20 * time.Millisecond, MaxItems: 8, MaxDepth: 30, MaxStack: 100, MaxValueDepth: 20, MaxValue: 1 << 12, MaxString: 1 << 16, MaxArray: 1 << 10, MaxSource: 1 << 12}
	f.Fuzz(func(t *testing.T, body string) {
		s := Script{Name: "f", Body: body}
		checked := Check(s)
		_, err := InProcess{Options: o}.Run(t.Context(), s, &testHost{})
		if err == nil {
			return
		}
		var coded interface{ Code() string }
		if !errors.As(err, &coded) {
			t.Fatalf("an error without a code: %T %v", err, err)
		}
		var bug *PanicError
		if errors.As(err, &bug) {
			t.Fatalf("%v\n%s", bug, bug.Stack)
		}
		var parse *ParseError
		if checked == nil && errors.As(err, &parse) && !parse.TooComplex {
			t.Fatalf("Check passed what Run refused: %v", err)
		}
		_ = fmt.Sprint(err)
	})
}
