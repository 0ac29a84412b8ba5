//go:build unix

package library_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/library"
)

func link(t *testing.T, to, at string) {
	t.Helper()
	mkdir(t, filepath.Dir(at))
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// treeHash covers names, modes, times and bytes of everything below dir.
func treeHash(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(h, path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			raw, err := os.ReadFile(path)
			h.Write(raw)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Links that lead out of their root, and pipes, give nothing and touch nothing.
func TestNothingOutside(t *testing.T) {
	outside := lay(t, map[string]string{"evil.js": script("evil"), "workflows/evil.js": script("evil"), "user/workflows/evil.js": script("evil")})
	before := treeHash(t, outside)
	dir := lay(t, map[string]string{
		"repo/.git/HEAD":               "ref",
		"repo/evil.js":                 script("evil"),
		"repo/.dsh/workflows/real.js":  script("real"),
		"repo/sub/.claude/workflows/":  "",
		"repo/shared/flows/inside.js":  script("inside"),
		"repo/other/":                  "",
		"repo/.dsh/workflows/a\\b.js":  script("backslash"),
		"repo/.dsh/workflows/\x1bx.js": script("escape"),
	})
	repo, flows := filepath.Join(dir, "repo"), filepath.Join(dir, "repo/.dsh/workflows")
	link(t, filepath.Join(outside, "evil.js"), filepath.Join(flows, "absolute.js"))
	link(t, "../../evil.js", filepath.Join(flows, "climbs.js"))
	link(t, "loop.js", filepath.Join(flows, "loop.js"))
	link(t, "nothing.js", filepath.Join(flows, "dangling.js"))
	link(t, "real.js", filepath.Join(flows, "same.js"))
	link(t, outside, filepath.Join(repo, ".claude/workflows"))
	link(t, outside, filepath.Join(repo, "sub/.dsh"))
	link(t, "../../../shared/flows", filepath.Join(repo, "sub/deep/.dsh/workflows"))
	if err := syscall.Mkfifo(filepath.Join(flows, "pipe.js"), 0o600); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	link(t, filepath.Join(outside, "user"), filepath.Join(home, ".claude"))
	l := library.List(library.Places{Trusted: true, Dir: filepath.Join(repo, "sub/deep"), Home: filepath.Join(home, ".dsh"), UserHome: home})
	want := []string{
		"inside [project] repo/sub/deep/.dsh/workflows/inside.js",
		"real [project] repo/.dsh/workflows/real.js",
		"shadowed real: repo/.dsh/workflows/same.js by repo/.dsh/workflows/real.js",
		"skipped repo/sub/.dsh/workflows: WORKFLOW_OUTSIDE",
		"skipped repo/.dsh/workflows/\x1bx.js: WORKFLOW_NAME",
		"skipped repo/.dsh/workflows/a\\b.js: WORKFLOW_NAME",
		"skipped repo/.dsh/workflows/absolute.js: WORKFLOW_OUTSIDE",
		"skipped repo/.dsh/workflows/climbs.js: WORKFLOW_OUTSIDE",
		"skipped repo/.dsh/workflows/dangling.js: WORKFLOW_UNREADABLE",
		"skipped repo/.dsh/workflows/loop.js: WORKFLOW_UNREADABLE",
		"skipped repo/.dsh/workflows/pipe.js: WORKFLOW_NOT_REGULAR",
		"skipped repo/.claude/workflows: WORKFLOW_OUTSIDE",
		"skipped home/.claude/workflows: WORKFLOW_OUTSIDE",
	}
	if diff := cmp.Diff(want, summary(dir, l)); diff != "" {
		t.Error(diff)
	}
	if _, err := l.Lookup("evil"); err == nil || !strings.Contains(err.Error(), "no saved workflow") {
		t.Errorf("Lookup: %v", err)
	}
	if after := treeHash(t, outside); after != before {
		t.Error("the outside folder changed")
	}
}

// A file that becomes a link between the listing and its use is refused too.
func TestSourceIsReadUnderTheSameRules(t *testing.T) {
	outside := lay(t, map[string]string{"evil.js": script("evil"), "a.js": script("evil")})
	dir := lay(t, map[string]string{".dsh/workflows/a.js": script("a")})
	flows := filepath.Join(dir, ".dsh/workflows")
	w, err := library.List(library.Places{Trusted: true, Dir: dir}).Lookup("a")
	if err != nil {
		t.Fatal(err)
	}
	refused := func(how string) {
		t.Helper()
		var e *library.Error
		if source, err := w.Source(); !errors.As(err, &e) || e.Kind != library.Outside {
			t.Errorf("%s: %q, %v", how, source, err)
		}
	}
	if err := os.Remove(filepath.Join(flows, "a.js")); err != nil {
		t.Fatal(err)
	}
	link(t, filepath.Join(outside, "evil.js"), filepath.Join(flows, "a.js"))
	refused("a linked file")
	if err := os.RemoveAll(flows); err != nil {
		t.Fatal(err)
	}
	link(t, outside, flows)
	refused("a linked folder")
}
