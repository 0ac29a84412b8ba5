package tool

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/llm"
)

// speaks makes a tool that answers with these blocks.
func speaks(name string, content ...llm.Block) Tool {
	t := bodied(func(context.Context, Call) (Result, error) { return Result{Content: content}, nil })
	t.Name = name
	return t
}

var notice = regexp.MustCompile(`(?s)^(.*)\n\[\.\.\.\]\n(.*)\n\n\((\d+) bytes left out\. Full formatted result stored at: (/\S+)\. ` + regexp.QuoteMeta(SpillHint) + `\)$`)

// proves: A198
func TestSpill(t *testing.T) {
	const inline = 1000
	long := "head" + strings.Repeat("€", 5000) + "tail"
	reader := speaks("reader", llm.Text{Text: long})
	reader.Inline = true
	r := registry(t, speaks("long", llm.Text{Text: long[:7]}, llm.Text{Text: long[7:]}), speaks("short", llm.Text{Text: strings.Repeat("x", inline)}),
		speaks("other", llm.Text{Text: long}, llm.Unknown{Type: "image", Raw: []byte(`{"type":"image"}`)}), reader).Inlined(inline)
	call := Call{Session: "s", Outputs: filepath.Join(t.TempDir(), "outputs")}
	run := func(name string, c Call) string {
		c.Name = name
		return text(r.Run(t.Context(), c, fine).Content)
	}
	for name, want := range map[string]string{"short": strings.Repeat("x", inline), "other": long, "reader": long} {
		if got := run(name, call); got != want {
			t.Errorf("%s became %d bytes", name, len(got))
		}
	}
	if _, err := os.Stat(call.Outputs); err == nil {
		t.Error("something was kept of what was left alone")
	}
	got := run("long", call)
	m := notice.FindStringSubmatch(got)
	if m == nil || len(got) > inline || len(got) < inline-8 || !utf8.ValidString(got) {
		t.Fatalf("%d bytes: %s", len(got), got)
	}
	if !strings.HasPrefix(long, m[1]) || !strings.HasSuffix(long, m[2]) || m[3] != fmt.Sprint(len(long)-len(m[1])-len(m[2])) {
		t.Errorf("head %q, tail %q, %s left out", m[1], m[2], m[3])
	}
	if whole, err := os.ReadFile(m[4]); err != nil || string(whole) != long {
		t.Error("the whole is not kept:", err)
	}
	// What has no session, no folder, a folder that cannot be made, or no room for
	// the notice stays as it was.
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]Call{"no session": {Outputs: call.Outputs}, "no folder": {Session: "s"}, "no store": {Session: "s", Outputs: filepath.Join(file, "x")}} {
		if got := run("long", c); got != long {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
	before := files(t, call.Outputs)
	r = r.Inlined(100)
	if got := run("long", call); got != long {
		t.Errorf("without room for the notice: %d bytes", len(got))
	}
	if d := cmp.Diff(before, files(t, call.Outputs)); d != "" {
		t.Error("a file is left of what was not shown", d)
	}
}

// proves: A199
func TestKeptTextsArePrivate(t *testing.T) {
	r := registry(t, speaks("long-one", llm.Text{Text: "\x1b" + strings.Repeat("x", 2000)})).Inlined(1000)
	outputs := filepath.Join(t.TempDir(), "a", "outputs")
	for _, session := range []string{"../../escape", "s", "s"} {
		if got := text(r.Run(t.Context(), Call{Name: "long-one", Session: session, Outputs: outputs}, fine).Content); !notice.MatchString(got) {
			t.Fatal(got)
		}
	}
	found := files(t, outputs)
	folders := map[string]int{}
	name := regexp.MustCompile(`^\d+-long-one\.txt$`)
	for _, path := range found {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 || !name.MatchString(filepath.Base(path)) {
			t.Error(path, info, err)
		}
		dir, err := os.Stat(filepath.Dir(path))
		if err != nil || dir.Mode().Perm() != 0o700 {
			t.Error(dir, err)
		}
		if raw, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(raw), "␛xxx") {
			t.Error("kept as it was printed:", err)
		}
		folders[filepath.Dir(path)]++
	}
	of := func(session string) string {
		return filepath.Join(outputs, fmt.Sprintf("session-%x", sha256.Sum256([]byte(session))))
	}
	if d := cmp.Diff(map[string]int{of("s"): 2, of("../../escape"): 1}, folders); d != "" {
		t.Error(d)
	}
}

// files lists the regular files of a tree.
func files(t *testing.T, root string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
