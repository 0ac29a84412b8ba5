//go:build unix

package builtin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSieveTellsFilesApart(t *testing.T) {
	withRipgrep(t)
	a := newAgent(t, t.TempDir(), Options{})
	a.tree("a", "sub/b", "c", "-d", ".e", "f g")
	a.put("c", "caf\xe9\n")
	a.put("-d", "\ufeffneedle\r\n")
	a.put(".e", "x\x00y needle z\n")
	r := newRipgrep([]string{"PATH=" + os.Getenv("PATH")})
	all := []string{"a", "sub/b", "c", "-d", ".e", "f g"}
	for pattern, want := range map[string]map[string]bool{
		"^needle$":          {"-d": true},
		"needle":            {"-d": true, ".e": true},
		"of (sub|f)":        {"sub/b": true, "f g": true},
		"caf.":              {"c": true},
		"nothing like that": {"": true},
	} {
		got, ok := r.sieved(a.call, a.call.Cwd, pattern).pass(t.Context(), all)
		if d := cmp.Diff(want, got); d != "" || !ok {
			t.Error(pattern, ok, d)
		}
	}
	if _, ok := r.sieved(a.call, a.call.Cwd, "x").pass(t.Context(), []string{"a", "gone"}); ok {
		t.Error("the answer was used although a file was missing")
	}
	for _, p := range []string{"", "a*", "^$", "(a|)", `\b`, `\n`, "[^\\x00-\\x{10FFFF}]", "(", strings.Repeat(`\pL`, 10)} {
		if s := r.sieved(a.call, a.call.Cwd, p); s != nil {
			t.Errorf("%q became %q", p, s.pattern)
		}
	}
}

// stand puts a program named rg into a folder.
func stand(t *testing.T, dir, script string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "rg"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
}

const isRipgrep = `case "$*" in *--version*) echo ripgrep 13.0.0; exit 0;; esac` + "\n"

// Whatever stands in the place of ripgrep, the result is ours.
func TestWhatIsNoRipgrepIsNotBelieved(t *testing.T) {
	for name, script := range map[string]string{
		"another program": "echo rg, the random generator\n",
		"too old":         "echo ripgrep 0.10.0\n",
		"fails":           isRipgrep + "exit 2\n",
		"half of it":      isRipgrep + "printf './b\\0'; exit 2\n",
		"killed":          isRipgrep + "kill -9 $$\n",
		"talks too much":  isRipgrep + "head -c 100000 /dev/zero; exit 0\n",
		"complains":       isRipgrep + "head -c 100000 /dev/zero >&2; exit 2\n",
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			stand(t, bin, script)
			a := newAgent(t, t.TempDir(), Options{Env: []string{"PATH=" + bin + ":/usr/bin:/bin"}, sieveFrom: 1})
			a.tree("a", "b")
			t.Setenv("TMPDIR", t.TempDir())
			a.want("grep", args{"pattern": "content"}, "Found 2 matches\n\na\nLine 1: content of a\n\nb\nLine 1: content of b")
			if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
				t.Error("left", left, err)
			}
		})
	}
}

func TestRipgrepIsFoundOnceAndGetsNothing(t *testing.T) {
	bin, seen := t.TempDir(), filepath.Join(t.TempDir(), "seen")
	stand(t, bin, fmt.Sprintf("echo run >> %[1]s; env >> %[1]s; %[2]s printf './a\\0'\n", seen, isRipgrep))
	a := newAgent(t, t.TempDir(), Options{sieveFrom: 1, Env: []string{
		"PATH=relative:" + bin + ":/usr/bin:/bin", "API_KEY=k", "RIPGREP_CONFIG_PATH=/config", "HOME=/home/x", "LANG=C",
	}})
	a.tree("a", "b")
	for range 2 { // b is overlooked: this ripgrep is believed
		a.want("grep", args{"pattern": "content"}, "Found 1 match\n\na\nLine 1: content of a")
	}
	got, err := os.ReadFile(seen)
	if err != nil || strings.Count(string(got), "run\n") != 3 { // its version, and twice its work
		t.Fatal(err, string(got))
	}
	for _, word := range []string{"API_KEY", "RIPGREP_CONFIG_PATH", "HOME", "LANG"} {
		if strings.Contains(string(got), word) {
			t.Errorf("ripgrep was told %s:\n%s", word, got)
		}
	}
}

// A program in the place of the work is nobody's tool.
func TestRipgrepOfThePlaceIsNotRun(t *testing.T) {
	dir := t.TempDir()
	ran := filepath.Join(t.TempDir(), "ran")
	stand(t, filepath.Join(dir, "bin"), "touch "+ran+"\n"+isRipgrep+"exit 1\n")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(dir, "bin"), link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "bin"), link, "bin", "."} {
		a := newAgent(t, dir, Options{Env: []string{"PATH=" + path}, sieveFrom: 1})
		if text, _ := a.do("grep", args{"pattern": "ripgrep"}); !strings.HasPrefix(text, "Found 1 match\n") {
			t.Error(path, text)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("it was run")
	}
}

func TestHuntGoesOnWithoutAUselessSieve(t *testing.T) {
	bin, seen := t.TempDir(), filepath.Join(t.TempDir(), "seen")
	stand(t, bin, isRipgrep+"echo run >> "+seen+`; for f in "$@"; do case "$f" in ./*) printf '%s\0' "$f";; esac; done`+"\n")
	a := newAgent(t, t.TempDir(), Options{Env: []string{"PATH=" + bin + ":/usr/bin:/bin"}, sieveFrom: 1})
	var names []string
	for i := range 2 * huntNames / 200 {
		names = append(names, fmt.Sprintf("%0200d", i))
	}
	a.tree(names...)
	if text, _ := a.do("grep", args{"pattern": "content"}); !strings.HasPrefix(text, fmt.Sprintf("Found 250 of %d matches\n", len(names))) {
		t.Errorf("%.80s", text)
	}
	if got, err := os.ReadFile(seen); err != nil || string(got) != "run\n" {
		t.Error(err, string(got))
	}
}

// A search that waits for ripgrep ends when its caller does, and so does ripgrep.
func TestAbortWhileRipgrepWorks(t *testing.T) {
	bin, seen := t.TempDir(), filepath.Join(t.TempDir(), "seen")
	stand(t, bin, isRipgrep+"echo $$ > "+seen+"; exec sleep 600\n")
	a := newAgent(t, t.TempDir(), Options{Env: []string{"PATH=" + bin + ":/usr/bin:/bin"}, sieveFrom: 1})
	a.tree("a", "b")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for {
			if raw, err := os.ReadFile(seen); err == nil && strings.HasSuffix(string(raw), "\n") {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	a.call.Name = "grep"
	r := a.tools.Run(ctx, a.call, `{"pattern":"[a-z]ontent of"}`)
	if r.Error == nil || r.Error.Kind != SearchAborted {
		t.Errorf("%+v", r)
	}
	raw, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	id, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil || syscall.Kill(id, 0) == nil {
		t.Error("it still runs:", id, err)
	}
}
