package lint_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/lint"
	"github.com/dsh-go/dsh-workflow/vm"
)

// words are the first groups of all matches, sorted, without repetitions.
func words(pattern, text string) []string {
	var out []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// block is the text of a declaration that ends with a brace in the first column.
func block(t *testing.T, head string) string {
	t.Helper()
	_, rest, found := strings.Cut(lint.Declarations(), "\n"+head)
	body, _, closed := strings.Cut(rest, "\n}")
	if !found || !closed {
		t.Fatalf("workflow.d.ts has no %q", head)
	}
	return body
}

// language are globals that ECMAScript has and the bare engine lacks; the
// compiler's own library declares them.
const language = " Intl Iterator WeakRef FinalizationRegistry Atomics SharedArrayBuffer Temporal AsyncIterator DisposableStack AsyncDisposableStack SuppressedError AsyncFunction Float16Array "

// The declarations name what a realm really has besides the language, and the
// options that agent() really takes.
func TestDeclarations(t *testing.T) {
	bare := goja.New().GlobalObject().GetOwnPropertyNames()
	var want []string
	for _, name := range vm.Globals() {
		if !slices.Contains(bare, name) && !strings.Contains(language, " "+name+" ") {
			want = append(want, name)
		}
	}
	got := words(`(?m)^declare (?:function|const|var|class) (\w+)`, lint.Declarations())
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("globals:\n%s", d)
	}
	sorted := func(names []string) []string { return slices.Sorted(slices.Values(names)) }
	options := block(t, "interface AgentOptions {")
	if d := cmp.Diff(sorted(lint.OptionNames()), words(`(?m)^  (\w+)\?:`, options)); d != "" {
		t.Errorf("options:\n%s", d)
	}
	if d := cmp.Diff(sorted(lint.Efforts()), words(`'(\w+)'`, words(`effort\?: (.*);`, options)[0])); d != "" {
		t.Errorf("efforts:\n%s", d)
	}
	for _, field := range words(`(\w+):`, regexp.MustCompile(`(?m)^  \| \{ status: 'completed'.*$`).FindString(lint.Declarations())) {
		if got := found(t, "return (await agent.settled('x'))."+field, lint.Options{}); got != "" {
			t.Errorf("the linter does not know %s: %s", field, got)
		}
	}
	if d := cmp.Diff([]string{"remaining", "spent", "total"}, words(`(?m)^  (?:readonly )?(\w+)[:(]`, block(t, "declare const budget: {"))); d != "" {
		t.Errorf("budget:\n%s", d)
	}
}

// What was shown to the compiler is what is here: see testdata/types/check.mjs.
func TestDeclarationsChecked(t *testing.T) {
	stamp, err := os.ReadFile("testdata/types/checked.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(stamp)), "\n")
	if !regexp.MustCompile(`^typescript \d+\.\d+\.\d+$`).MatchString(lines[0]) || len(lines) != 4 {
		t.Fatalf("%s", stamp)
	}
	for _, line := range lines[1:] {
		sum, name, _ := strings.Cut(line, "  ")
		raw, err := os.ReadFile("testdata/types/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if have := sha256.Sum256(raw); hex.EncodeToString(have[:]) != sum {
			t.Errorf("%s was changed and not compiled: run testdata/types/check.mjs", name)
		}
	}
}
