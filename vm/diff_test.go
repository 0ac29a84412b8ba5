package vm

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The programs of testdata/diff give what Node gives. Beside each family lies
// what Node printed, made by make.mjs; known.txt lists what differs on purpose
// or because the engine cannot do better, with the reason.
func TestDifferential(t *testing.T) {
	known := knownDifferences(t)
	families, err := filepath.Glob("testdata/diff/*.out")
	if err != nil || len(families) == 0 {
		t.Fatal(families, err)
	}
	programs := 0
	for _, out := range families {
		family := strings.TrimSuffix(filepath.Base(out), ".out")
		stamp, wants := blocks(t, out)
		if !strings.HasPrefix(stamp, "// node v22.") {
			t.Errorf("%s: made by %q", out, stamp)
		}
		_, sources := blocks(t, strings.TrimSuffix(out, ".out")+".js")
		programs += len(sources)
		if len(sources) != len(wants) {
			t.Errorf("%s has %d outputs for %d programs: run make.mjs", out, len(wants), len(sources))
		}
		for _, p := range sources {
			t.Run(family+"/"+p.name, func(t *testing.T) {
				t.Parallel()
				compare(t, p.text, wants.of(p.name), known[family+"/"+p.name])
			})
		}
	}
	if programs < 400 {
		t.Error("only", programs, "programs")
	}
}

type block struct{ name, text string }

type blockList []block

func (l blockList) of(name string) string {
	for _, b := range l {
		if b.name == name {
			return b.text
		}
	}
	return "no such program"
}

// blocks cuts a file at its lines "// == name". The first value is what stands
// before them.
func blocks(t *testing.T, path string) (string, blockList) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(raw), "// == ")
	var list blockList
	for part := range strings.SplitSeq(rest, "\n// == ") {
		name, text, _ := strings.Cut(part, "\n")
		list = append(list, block{strings.TrimSpace(name), strings.TrimSuffix(text, "\n")})
	}
	return head, list
}

func knownDifferences(t *testing.T) map[string]bool {
	t.Helper()
	raw, err := os.ReadFile("testdata/diff/known.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		if name, reason, ok := strings.Cut(strings.TrimSpace(line), " | "); ok && !strings.HasPrefix(line, "#") && reason != "" {
			known[name] = true
		}
	}
	return known
}

func compare(t *testing.T, source, want string, differs bool) {
	t.Helper()
	got := strings.TrimSuffix(outcome(t, source), "\n")
	switch {
	case differs && got == want:
		t.Error("known.txt lists it, and it is the same now")
	case !differs && got != want:
		t.Errorf("%s\n(-node +ours)\n%s", source, cmp.Diff(want, got))
	}
}

var prologueComment = regexp.MustCompile(`(?m)^//.*\n`)

// outcome runs a program as make.mjs does.
func outcome(t *testing.T, source string) string {
	t.Helper()
	raw, err := os.ReadFile("testdata/diff/prologue.js")
	if err != nil {
		t.Fatal(err)
	}
	prologue := regexp.MustCompile(`\n\s*`).ReplaceAllString(prologueComment.ReplaceAllString(string(raw), ""), " ")
	h := &clockHost{}
	value, err := run(t, h, prologue+"\n"+source)
	lines := h.of(NoteLog)
	var parse *ParseError
	var script *ScriptError
	switch {
	case errors.As(err, &parse):
		lines = append(lines, "refused: SyntaxError")
	case errors.As(err, &script):
		text, _, _ := strings.Cut(script.Rendered, "\n    at ")
		lines = append(lines, "failed: "+text)
	case err != nil:
		lines = append(lines, "failed: "+err.Error())
	case value != "null":
		lines = append(lines, "returned "+value)
	}
	return strings.Join(lines, "\n")
}

// clockHost has a clock of its own, which goes on when the script waits: timers
// fire in the order of their times, whatever the machine does.
type clockHost struct {
	testHost
	now    time.Duration
	timers []*virtualTimer
}

type virtualTimer struct {
	at   time.Duration
	fire func()
}

func (h *clockHost) After(d time.Duration, fire func()) func() {
	timer := &virtualTimer{at: h.now + max(d, time.Millisecond), fire: fire}
	h.timers = append(h.timers, timer)
	return func() { h.timers = slices.DeleteFunc(h.timers, func(t *virtualTimer) bool { return t == timer }) }
}

func (h *clockHost) Waiting(int) {
	if len(h.timers) == 0 {
		return
	}
	next := slices.MinFunc(h.timers, func(a, b *virtualTimer) int { return int(a.at - b.at) })
	h.timers = slices.DeleteFunc(h.timers, func(t *virtualTimer) bool { return t == next })
	h.now = next.at
	next.fire()
}
