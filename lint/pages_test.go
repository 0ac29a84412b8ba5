package lint_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/lint"
	"github.com/dsh-go/dsh-workflow/meta"
)

// check looks at a source, with a meta of its own or without.
func check(t *testing.T, source string, o lint.Options) lint.Report {
	t.Helper()
	read, err := meta.Read(source)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	s := lint.Script{Source: source, Body: read.Body}
	if read.Meta != nil {
		s.Meta = *read.Meta
	}
	r, err := lint.Check(s, o)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return r
}

func ids(r lint.Report) []string {
	out := []string{}
	for _, f := range r.Findings {
		out = append(out, string(f.Rule))
	}
	return out
}

var (
	example  = regexp.MustCompile("(?s)(Bad|Good):\n\n```js\n(.*?)```")
	severity = regexp.MustCompile(`(?m)^Severity: (\w+)`)
)

// Every rule has a page, whose bad example has this finding and no other, and
// whose good one has none.
func TestPages(t *testing.T) {
	pages, err := filepath.Glob("../docs/rules/*.md")
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]bool{}
	for _, p := range pages {
		written[strings.TrimSuffix(filepath.Base(p), ".md")] = true
	}
	for _, r := range lint.Rules() {
		if !written[string(r.ID)] {
			t.Errorf("docs/rules has no page for %s", r.ID)
			continue
		}
		raw, err := os.ReadFile("../docs/rules/" + string(r.ID) + ".md")
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, m := range example.FindAllStringSubmatch(string(raw), -1) {
			found[m[1]] = true
			want := []string{}
			if m[1] == "Bad" {
				want = []string{string(r.ID)}
			}
			report := check(t, m[2], lint.Options{})
			if d := cmp.Diff(want, ids(report)); d != "" {
				t.Errorf("%s, %s:\n%s\n%+v", r.ID, m[1], d, report.Findings)
			}
			for _, f := range report.Findings {
				if s := severity.FindSubmatch(raw); string(s[1]) != map[lint.Severity]string{lint.Warn: "warning", lint.Error: "error"}[r.Severity] {
					t.Errorf("%s: the page says %s, the rule %s", r.ID, s[1], r.Severity)
				}
				if f.Suggestion == "" && r.ID != "option-value" {
					t.Errorf("%s gives no way out", r.ID)
				}
			}
		}
		if !found["Bad"] || !found["Good"] {
			t.Errorf("%s: the page lacks an example", r.ID)
		}
		if !strings.Contains(string(raw), "dsh-ignore "+string(r.ID)+" ") {
			t.Errorf("%s: the page does not say how to silence it", r.ID)
		}
	}
}
