package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/lint"
	"github.com/dsh-go/dsh-workflow/meta"
	"github.com/dsh-go/dsh-workflow/vm"
)

// Nothing is said about scripts that are fine: ours, and such as people write.
func TestSilence(t *testing.T) {
	for _, pattern := range []string{"../examples/*.js", "testdata/corpus/*.js"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal(pattern, err)
		}
		for _, p := range paths {
			raw, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range check(t, string(raw), lint.Options{}).Findings {
				t.Errorf("%s:%d:%d %s: %s\n%s", p, f.Pos.Line, f.Pos.Column, f.Rule, f.Message, f.Excerpt)
			}
		}
	}
}

// found lists the findings of a body as line:rule.
func found(t *testing.T, source string, o lint.Options) string {
	t.Helper()
	var out []string
	for _, f := range check(t, source, o).Findings {
		out = append(out, fmt.Sprintf("%d:%s", f.Pos.Line, f.Rule))
	}
	return strings.Join(out, " ")
}

// Each case is a body; what follows //! on a line is expected there.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, body := range strings.Split(string(raw), "\n----\n") {
			var want []string
			for n, line := range strings.Split(body, "\n") {
				if _, rules, ok := strings.Cut(line, "//! "); ok {
					for _, r := range strings.Fields(rules) {
						want = append(want, fmt.Sprintf("%d:%s", n+1, r))
					}
				}
			}
			if got := found(t, body, lint.Options{}); got != strings.Join(want, " ") {
				t.Errorf("%s, case %d:\n%s\nfound %s\nwant  %s", file, i+1, body, got, strings.Join(want, " "))
			}
		}
	}
}

func TestSuppression(t *testing.T) {
	const use = "const r = await agent('List.')\n"
	for _, c := range []struct{ name, source, want string }{
		{"none", use + "return r.length", "2:unchecked-result"},
		{"same line", use + "return r.length // dsh-ignore unchecked-result it may end the run", ""},
		{"line above", use + "// dsh-ignore unchecked-result it may end the run\nreturn r.length", ""},
		{"two lines above", use + "// dsh-ignore unchecked-result far\n\nreturn r.length", "2:unused-suppression 4:unchecked-result"},
		{"stacked", use + "// dsh-ignore unchecked-result a\n// dsh-ignore const-assign b\nreturn r.length", "3:unused-suppression"},
		{"list", use + "// dsh-ignore unchecked-result, null-in-text both\nreturn r.length + `${r}`", ""},
		{"block", use + "return r.length /* dsh-ignore unchecked-result */", ""},
		{"file", "/* dsh-ignore-file unchecked-result */\n" + use + "return r.length", ""},
		{"another rule", use + "return r.length // dsh-ignore null-in-text", "2:unchecked-result 2:unused-suppression"},
		{"no rule", use + "return r.length // dsh-ignore", "2:unchecked-result 2:unused-suppression"},
		{"misspelt", use + "return r.length // dsh-ignore uncheked-result", "2:unchecked-result 2:unused-suppression"},
		{"in a text", use + "return r.length + ' // dsh-ignore unchecked-result'", "2:unchecked-result"},
		{"in a template", use + "return r.length + ` // dsh-ignore unchecked-result`", "2:unchecked-result"},
	} {
		if got := found(t, c.source, lint.Options{}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	r := check(t, use+"return r.length // dsh-ignore unchecked-result", lint.Options{})
	if r.Suppressed != 1 {
		t.Errorf("%d suppressed, want 1", r.Suppressed)
	}
}

func TestSeverities(t *testing.T) {
	const source = "const r = await agent('List.')\nreturn r.length"
	severityOf := func(o lint.Options) lint.Severity {
		r := check(t, source, o)
		if len(r.Findings) == 0 {
			return lint.Off
		}
		return r.Findings[0].Severity
	}
	set := func(s lint.Severity) lint.Options {
		return lint.Options{Severities: map[lint.RuleID]lint.Severity{"unchecked-result": s}}
	}
	strict := set(lint.Off)
	strict.Strict = true
	for _, c := range []struct {
		o    lint.Options
		want lint.Severity
	}{
		{lint.Options{}, lint.Warn}, {set(lint.Error), lint.Error}, {set(lint.Off), lint.Off},
		{lint.Options{Strict: true}, lint.Error}, {strict, lint.Off},
	} {
		if got := severityOf(c.o); got != c.want {
			t.Errorf("%+v: %s, want %s", c.o, got, c.want)
		}
	}
	// A rule that is off needs no suppression, and does not miss one.
	if got := found(t, source+" // dsh-ignore unchecked-result", set(lint.Off)); got != "" {
		t.Error(got)
	}
}

func TestPlaces(t *testing.T) {
	source := "export const meta = { name: 'x', description: 'y', phases: ['Größe', 'Größe'] }\n\tlog('ä😀'); agent('x'); phase('Größe')\nreturn 1"
	r := check(t, source, lint.Options{})
	want := []lint.Finding{
		{Rule: "duplicate-phase", Severity: lint.Warn, Pos: vm.Position{Line: 1, Column: 70}, End: vm.Position{Line: 1, Column: 77}},
		{Rule: "floating-promise", Severity: lint.Warn, Pos: vm.Position{Line: 2, Column: 13}, End: vm.Position{Line: 2, Column: 23}},
	}
	got := []lint.Finding{}
	for _, f := range r.Findings {
		if lines := strings.Split(f.Excerpt, "\n"); f.Rule == "floating-promise" && lines[1] != "      | \t           ^" {
			t.Errorf("excerpt:\n%s", f.Excerpt)
		}
		f.Message, f.Suggestion, f.Excerpt = "", "", ""
		got = append(got, f)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// big makes a script of about the greatest size, of statements that keep every
// rule busy.
func big(size int) string {
	part := "{ const r%d = await agent(`Judge ${shared} and ${r}`, { label: 'x', schema: S }); if (r%d === null) log('no'); else shared.push(r%d.what)\n" +
		"for (const q of [1, 2]) { const t = await agent('Read ' + q); if (t) notes.push(t.trim()) } }\n"
	var b strings.Builder
	b.WriteString("const S = { type: 'object', properties: { what: { type: 'string' } } }; const shared = [], notes = []; let r = null; r = await agent('x')\n")
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, part, i, i, i)
	}
	b.WriteString("return shared")
	return b.String()
}

func BenchmarkCheck(b *testing.B) {
	source := big(500 << 10)
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		if _, err := lint.Check(lint.Script{Source: source, Body: source}, lint.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzCheck: nothing that parses makes the linter fail, and every finding has a
// place in the script.
func FuzzCheck(f *testing.F) {
	for _, pattern := range []string{"../examples/*.js", "testdata/corpus/*.js", "testdata/*.txt"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, p := range paths {
			raw, err := os.ReadFile(p)
			if err != nil {
				f.Fatal(err)
			}
			for part := range strings.SplitSeq(string(raw), "\n----\n") {
				f.Add(part)
			}
		}
	}
	f.Fuzz(func(t *testing.T, source string) {
		read, err := meta.Read(source)
		if err != nil {
			return
		}
		s := lint.Script{Source: source, Body: read.Body}
		if read.Meta != nil {
			s.Meta = *read.Meta
		}
		r, err := lint.Check(s, lint.Options{})
		if err != nil {
			return
		}
		lines := strings.Count(source, "\n") + 1
		for _, f := range r.Findings {
			if f.Pos.Line < 1 || f.Pos.Line > lines || f.Pos.Column < 1 || f.End.Line < f.Pos.Line || f.Message == "" {
				t.Errorf("%+v", f)
			}
		}
	})
}
