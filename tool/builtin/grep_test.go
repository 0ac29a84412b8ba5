//go:build unix

package builtin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/tool"
)

// proves: A217
func TestGrep(t *testing.T) { engines(t, testGrep) }

func testGrep(t *testing.T, o Options) {
	a := newAgent(t, t.TempDir(), o)
	a.tree("b.go", "a/x.go", "a/y.ts", ".hidden/h.go", ".env", "out/o.go", "gen.go")
	a.put(".gitignore", "out/\n/gen.go\n")
	a.put("b.go", "\ufefffirst\r\nfunc Two()\r\n\r\nlast FUNC")
	a.put("a/x.go", "func X()\nfunc Y()\n")
	a.put("a/y.ts", "function y\n")
	a.put(".env", "func\n")
	a.put("gen.go", "func gen\n")
	a.put("binary", "func\x00")
	a.put("late", "func before\n"+strings.Repeat("x\n", 5000)+"func\x00\nfunc after\n")
	a.put("latin", "func caf\xe9\n")
	late := "\n\nlate\nLine 1: func before"
	latin := "\n\nlatin\nLine 1: (this line is not valid UTF-8)"
	x := "a/x.go\nLine 1: func X()\nLine 2: func Y()"
	for _, tc := range []struct {
		name string
		in   args
		text string
	}{
		{"by file, in order", args{"pattern": "func"}, "Found 6 matches\n\n" + x + "\n\na/y.ts\nLine 1: function y\n\nb.go\nLine 2: func Two()" + late + latin},
		{"one", args{"pattern": "Two"}, "Found 1 match\n\nb.go\nLine 2: func Two()"},
		{"none", args{"pattern": "nothing"}, "No matches found"},
		{"the ends of a line", args{"pattern": `^func Two\(\)$`}, "Found 1 match\n\nb.go\nLine 2: func Two()"},
		{"no mark at the beginning", args{"pattern": "^first$"}, "Found 1 match\n\nb.go\nLine 1: first"},
		{"the last line has no end", args{"pattern": "(?i)last func"}, "Found 1 match\n\nb.go\nLine 4: last FUNC"},
		{"white space is a pattern", args{"pattern": " ", "path": "a/y.ts"}, "Found 1 match\n\na/y.ts\nLine 1: function y"},
		{"an empty line", args{"pattern": "^$", "path": "b.go"}, "Found 1 match\n\nb.go\nLine 3: "},
		{"a directory", args{"pattern": "func", "path": "a"}, "Found 3 matches\n\n" + x + "\n\na/y.ts\nLine 1: function y"},
		{"a file, ignored or not", args{"pattern": "func", "path": "gen.go"}, "Found 1 match\n\ngen.go\nLine 1: func gen"},
		{"include names in any directory", args{"pattern": "func", "include": "*.ts"}, "Found 1 match\n\na/y.ts\nLine 1: function y"},
		{"include with braces", args{"pattern": "func", "include": "a/*.{go,ts}"}, "Found 3 matches\n\n" + x + "\n\na/y.ts\nLine 1: function y"},
		{"include names what is hidden", args{"pattern": "func", "include": ".env"}, "Found 1 match\n\n.env\nLine 1: func"},
		{"include names what is ignored", args{"pattern": "func", "include": "gen.*"}, "Found 1 match\n\ngen.go\nLine 1: func gen"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a.t = t
			a.want("grep", tc.in, tc.text)
		})
	}
}

// proves: A218
func TestGrepRefuses(t *testing.T) { engines(t, testGrepRefuses) }

func testGrepRefuses(t *testing.T, o Options) {
	a := newAgent(t, t.TempDir(), o)
	a.put("a,b", "x\n")
	const comma = "Error: include must be one glob; use braces for alternatives, such as *.{ts,tsx}"
	for _, tc := range []struct {
		in         args
		text, kind string
	}{
		{args{"pattern": ""}, "Error: pattern must be a non-empty string", tool.KindInvalidArgs},
		{args{"pattern": "("}, `Error: invalid regular expression: missing closing ): "("`, InvalidPattern},
		{args{"pattern": `a(?=b)`}, `Error: invalid regular expression: invalid or unsupported Perl syntax: "(?="`, InvalidPattern},
		{args{"pattern": strings.Repeat("a{999}", 21)}, fmt.Sprintf("Error: invalid regular expression: expression too large: %q", strings.Repeat("a{999}", 21)), InvalidPattern},
		{args{"pattern": "x", "include": ""}, "Error: include must not be blank", tool.KindInvalidArgs},
		{args{"pattern": "x", "include": " \t"}, "Error: include must not be blank", tool.KindInvalidArgs},
		{args{"pattern": "x", "include": "!*.go"}, "Error: include must not start with !: name what to search", tool.KindInvalidArgs},
		{args{"pattern": "x", "include": "*.go,*.ts"}, comma, tool.KindInvalidArgs},
		{args{"pattern": "x", "include": "{a,b},c"}, comma, tool.KindInvalidArgs},
		{args{"pattern": "x", "include": "{a"}, `Error: invalid glob "{a"`, InvalidPattern},
		{args{"pattern": "x", "include": "{a,{b,c}}"}, "No matches found", ""},
		{args{"pattern": "x", "include": `a\,b`}, "Found 1 match\n\na,b\nLine 1: x", ""},
		{args{"pattern": "x", "include": "a[,]b"}, "Found 1 match\n\na,b\nLine 1: x", ""},
	} {
		a.want("grep", tc.in, tc.text, tc.kind)
	}
}

// proves: A217
func TestGrepLongLines(t *testing.T) { engines(t, testGrepLongLines) }

func testGrepLongLines(t *testing.T, o Options) {
	a := newAgent(t, t.TempDir(), o)
	euro := strings.Repeat("€", 700)
	a.put("f", strings.Repeat("a", 2000)+"\n"+strings.Repeat("a", 2001)+"\n"+euro+"\n"+
		"b"+strings.Repeat("a", 1<<20)+"END\r\nshort END\n"+"\xff"+strings.Repeat("c", 1<<17)+"\ntail")
	cut := " (line truncated)"
	a.want("grep", args{"pattern": "^a+$"}, "Found 2 matches\n\nf\nLine 1: "+strings.Repeat("a", 2000)+"\nLine 2: "+strings.Repeat("a", 2000)+cut)
	a.want("grep", args{"pattern": "€"}, "Found 1 match\n\nf\nLine 3: "+strings.Repeat("€", 666)+cut)
	a.want("grep", args{"pattern": "END$"}, "Found 2 matches\n\nf\nLine 4: b"+strings.Repeat("a", 1999)+cut+"\nLine 5: short END")
	a.want("grep", args{"pattern": "^ba"}, "Found 1 match\n\nf\nLine 4: b"+strings.Repeat("a", 1999)+cut)
	a.want("grep", args{"pattern": "c$"}, "Found 1 match\n\nf\nLine 6: (this line is not valid UTF-8)")
	a.want("grep", args{"pattern": "tail"}, "Found 1 match\n\nf\nLine 7: tail")
	a.put("g", strings.Repeat("d", 1<<17))
	a.want("grep", args{"pattern": "d$", "include": "g"}, "Found 1 match\n\ng\nLine 1: "+strings.Repeat("d", 2000)+cut)
}

// proves: A217
func TestGrepShowsTwoHundredAndFifty(t *testing.T) { engines(t, testGrepShowsTwoHundredAndFifty) }

func testGrepShowsTwoHundredAndFifty(t *testing.T, o Options) {
	a := newAgent(t, t.TempDir(), o)
	a.put("a", strings.Repeat("hit\nmiss\n", 200))
	a.put("b", strings.Repeat("hit\n", 50))
	if text, _ := a.do("grep", args{"pattern": "hit"}); !strings.HasPrefix(text, "Found 250 matches\n\na\nLine 1: hit\n") || !strings.HasSuffix(text, "Line 50: hit") {
		t.Error(text)
	}
	a.put("b", strings.Repeat("hit\n", 60))
	text, _ := a.do("grep", args{"pattern": "hit"})
	head, footer, ok := strings.Cut(text, "\n\n(Full grep result stored at: ")
	stored, ok2 := strings.CutSuffix(footer, ". "+tool.SpillHint+")")
	if !ok || !ok2 || !strings.HasPrefix(head, "Found 250 of 260 matches\n\na\n") || !strings.HasSuffix(head, "Line 50: hit") {
		t.Fatal(text)
	}
	all, err := os.ReadFile(stored)
	_, shown, _ := strings.Cut(head, "\n\n")
	if err != nil || !strings.HasPrefix(string(all), shown+"\nLine 51: hit\n") || strings.Count(string(all), "Line ") != 260 || !strings.HasSuffix(string(all), "Line 60: hit\n") {
		t.Error(err, string(all))
	}
	a.put("file", "")
	a.call.Outputs = a.path("file/none")
	if text, _ := a.do("grep", args{"pattern": "hit"}); !strings.HasSuffix(text, "\n\n(The complete result could not be saved; narrow pattern, path or include to see more.)") {
		t.Error(text)
	}
}

func TestGrepKeepsWithinAResult(t *testing.T) { engines(t, testGrepKeepsWithinAResult) }

func testGrepKeepsWithinAResult(t *testing.T, o Options) {
	a := newAgent(t, t.TempDir(), o)
	a.put("f", strings.Repeat(strings.Repeat("w", 1990)+"\n", 200))
	text, _ := a.do("grep", args{"pattern": "w"})
	if !strings.HasPrefix(text, "Found 61 of 200 matches\n") || strings.Contains(text, "left out here") {
		t.Errorf("%.100s", text)
	}
}

// proves: A219
func TestSearchOverflowAndAbort(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	line := strings.Repeat("w", 1900) + "\n"
	a.put("f", strings.Repeat(line, searchBytes/1900+10))
	a.want("grep", args{"pattern": "w"}, "Error: the search found more than 20000000 bytes; narrow pattern or path", SearchOverflow)
	if left, err := os.ReadDir(a.outputs()); err != nil || len(left) != 0 {
		t.Error("a file was left:", left, err)
	}

	a.put("many", strings.Repeat(strings.Repeat("w", 280)+"\n", 1000))
	a.put("long", strings.Repeat("w", 10<<20))
	for name, in := range map[string]string{
		"grep": `{"pattern":"(w{900}x|w{901}y)","path":"f"}`,
		"glob": `{"pattern":"**/nothing","path":"/"}`,
		"many": `{"pattern":"(w?){900}x","path":"many"}`,
		"long": `{"pattern":"((w{50}){18}x|(w{90}){10}y)","path":"long"}`,
	} {
		if name != "glob" {
			name = "grep"
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan time.Time, 1)
		time.AfterFunc(20*time.Millisecond, func() { ended <- time.Now(); cancel() })
		a.call.Name = name
		r := a.tools.Run(ctx, a.call, in)
		late := time.Since(<-ended)
		if r.Error == nil || r.Error.Kind != SearchAborted || r.Content[0].(llm.Text).Text != "Error: search aborted" {
			t.Errorf("%s: %+v", name, r)
		}
		if late > 500*time.Millisecond { // 50 ms on a machine that does nothing else
			t.Errorf("%s ended %v late", name, late)
		}
		t.Log(name, late)
	}
}

func TestIgnoreFiles(t *testing.T) { engines(t, testIgnoreFiles) }

func testIgnoreFiles(t *testing.T, o Options) {
	a := newAgent(t, t.TempDir(), o)
	a.tree("repo/.git/info/exclude", "repo/a.log", "repo/keep.log", "repo/sub/b.log", "repo/sub/c.txt", "repo/sub/build/d", "repo/build", "repo/{x}", "repo/x",
		"repo/deep/1/2/t.tmp", "repo/docs/e/f.md", "repo/docs/g.md", "repo/excluded", "repo/#x", "repo/n1", "repo/nx", "repo/trail", "repo/sub/anchored", "repo/anchored")
	a.put("repo/.git/info/exclude", "excluded\n")
	a.put("repo/.gitignore", "# comment\n*.log\n!keep.log\nbuild/\n{x}\ndeep/**/t.tmp\ndocs/**\n!docs/g.md\n\\#x\nn[!x]\ntrail  \r\n/anchored\na[\n\n/\n")
	a.put("repo/sub/.ignore", "!b.log\nc.*\n")
	const want = "Found 7 matches\n\nrepo/build\nLine 1: content of repo/build\n\nrepo/docs/g.md\nLine 1: content of repo/docs/g.md\n\nrepo/keep.log\nLine 1: content of repo/keep.log\n\nrepo/nx\nLine 1: content of repo/nx\n\n" +
		"repo/sub/anchored\nLine 1: content of repo/sub/anchored\n\nrepo/sub/b.log\nLine 1: content of repo/sub/b.log\n\nrepo/x\nLine 1: content of repo/x"
	a.want("grep", args{"pattern": "content", "path": "repo"}, want)
	a.want("grep", args{"pattern": "content", "path": "repo/sub"}, "Found 2 matches\n\nrepo/sub/anchored\nLine 1: content of repo/sub/anchored\n\nrepo/sub/b.log\nLine 1: content of repo/sub/b.log")
	a.want("grep", args{"pattern": "content", "path": "repo/docs/e"}, "No matches found")
}

func FuzzSearchPatterns(f *testing.F) {
	for _, seed := range []string{"*.go", "a/**/b", "{a,b{c,d}}", "[!a]", `\`, "!x/", "/**", "a**b", "{", "[a-", "**/**/**/*a*a*b", " \\ "} {
		f.Add(seed)
	}
	rel := "some/directory/aaaaaaaaaaaaaaaaaaaaaaaa.go"
	f.Fuzz(func(t *testing.T, pattern string) {
		if len(pattern) > 200 {
			return
		}
		if g, err := compileGlob(pattern, "/root"); err == nil && g.matches(rel) && !g.under(filepath.Dir(rel)) {
			t.Errorf("%q matches, but its directory is not entered", pattern)
		}
		g := &ignoring{base: "/root", rules: ignoreRules(pattern)}
		g.ignores("/root/"+rel, false)
	})
}

func BenchmarkGrep(b *testing.B) {
	a := newAgent(b, b.TempDir(), Options{})
	for i := range 200 {
		a.tree(fmt.Sprintf("d%d/f", i))
		a.put(fmt.Sprintf("d%d/f", i), strings.Repeat("some line of a file that is not found\n", 1000))
	}
	b.SetBytes(200 * 1000 * 38)
	for b.Loop() {
		a.want("grep", args{"pattern": "needle[0-9]"}, "No matches found")
	}
}
