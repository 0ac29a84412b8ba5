//go:build unix

package builtin

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/tool"
)

const (
	unreadText = `Error: write requires reading "f" first — read the file, then retry`
	staleText  = `Error: "f" has changed since it was read — re-read the file, then retry`
)

// noLeftovers fails if a staging folder is left anywhere below dir.
func noLeftovers(t *testing.T, dir string) {
	t.Helper()
	_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, _ error) error {
		if strings.HasSuffix(path, ".tmpdir") {
			t.Errorf("left %s", path)
		}
		return nil
	})
}

// proves: A205
func TestWriteWantsToHaveRead(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	a.put("f", "old")
	a.want("write", args{"file_path": "f", "content": "new"}, unreadText, NotObserved)
	a.has("f", "old")
	a.do("read", args{"file_path": "f"})
	a.want("write", args{"file_path": "f", "content": "new"}, shown("f", "Updated file"))
	a.has("f", "new")
	a.put("f", "theirs")
	a.want("write", args{"file_path": "f", "content": "mine"}, staleText, StaleVersion)
	a.has("f", "theirs")
	a.do("read", args{"file_path": "f"})
	a.want("write", args{"file_path": "f", "content": "mine"}, shown("f", "Updated file"))
	a.want("write", args{"file_path": "f", "content": "again"}, shown("f", "Updated file"))
	noLeftovers(t, a.call.Cwd)
}

// proves: A206
func TestWriteCreates(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	a.want("write", args{"file_path": "a/b/f", "content": "x"}, shown("a/b/f", "Created file"))
	a.has("a/b/f", "x")
	a.want("write", args{"file_path": a.path("g"), "content": ""}, shown("g", "Created file"))
	a.has("g", "")

	f := files{seen: NewObserved(), locks: NewLocks()}
	to, err := locate(a.call, "write", "raced")
	if err == nil {
		to, err = to.confine(a.call, "write")
	}
	if err != nil {
		t.Fatal(err)
	}
	ch, err := f.begin(t.Context(), to, "write")
	if err != nil {
		t.Fatal(err)
	}
	defer ch.close()
	a.put("raced", "theirs")
	if _, err := ch.publish([]byte("mine")); !errors.Is(err, errRaced) {
		t.Errorf("got %v", err)
	}
	a.has("raced", "theirs")
	noLeftovers(t, a.call.Cwd)
}

// proves: A207
func TestWriteAfterDeletion(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	a.put("f", "old")
	a.do("read", args{"file_path": "f"})
	if err := os.Remove(a.path("f")); err != nil {
		t.Fatal(err)
	}
	a.want("write", args{"file_path": "f", "content": "new"}, staleText, StaleVersion)
	a.want("read", args{"file_path": "f"}, `Error: cannot read "f": not found`, NotFound)
	a.want("write", args{"file_path": "f", "content": "new"}, shown("f", "Created file"))
	if err := os.Remove(a.path("f")); err != nil {
		t.Fatal(err)
	}
	a.do("read", args{"file_path": "f"})
	a.put("f", "theirs")
	a.want("write", args{"file_path": "f", "content": "new"}, staleText, StaleVersion)
	a.has("f", "theirs")
}

// proves: A213
func TestModes(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	plain, err := os.OpenFile(a.path("plain"), os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	_ = plain.Close()
	usual, _ := os.Stat(a.path("plain"))
	a.do("write", args{"file_path": "new", "content": "x"})
	a.put("tool.sh", "#!/bin/sh\n")
	if err := os.Chmod(a.path("tool.sh"), 0o751); err != nil {
		t.Fatal(err)
	}
	a.do("read", args{"file_path": "tool.sh"})
	a.want("write", args{"file_path": "tool.sh", "content": "#!/bin/bash\n"}, shown("tool.sh", "Updated file"))
	a.want("edit", args{"file_path": "tool.sh", "old_string": "bash", "new_string": "sh"}, "The file tool.sh has been updated successfully.")
	created, _ := os.Stat(a.path("new"))
	kept, _ := os.Stat(a.path("tool.sh"))
	if created.Mode() != usual.Mode() || kept.Mode().Perm() != 0o751 {
		t.Errorf("new file %v, usual %v, kept %v", created.Mode(), usual.Mode(), kept.Mode())
	}
}

func TestWriteRefusesWhatIsProtected(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everything")
	}
	a := newAgent(t, t.TempDir(), Options{})
	a.put("f", "x")
	if err := os.Chmod(a.path("f"), 0o444); err != nil {
		t.Fatal(err)
	}
	a.do("read", args{"file_path": "f"})
	a.want("write", args{"file_path": "f", "content": "y"}, `Error: cannot write "f": permission denied`, PermissionDenied)
	if err := os.Chmod(a.call.Cwd, 0o555); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(a.call.Cwd, 0o755) }()
	a.want("write", args{"file_path": "g", "content": "y"}, `Error: cannot write "g": permission denied`, PermissionDenied)
	a.has("f", "x")
	noLeftovers(t, a.call.Cwd)
}

func TestConfinement(t *testing.T) {
	root := t.TempDir()
	outside := t.TempDir()
	a := newAgent(t, root, Options{})
	o := newAgent(t, outside, Options{})
	o.put("secret", "s")
	for link, to := range map[string]string{
		"dir": outside, "file": o.path("secret"), "dangling": o.path("not yet"), "inside": "real", "loop": "loop",
		"up": "../" + filepath.Base(outside) + "/relative",
	} {
		if err := os.Symlink(to, a.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"../f", o.path("secret"), "dir/f", "dir/secret", "dir/deep/er/f", "file", "dangling", "up", "/f", a.path("../x"), "inside/../../y", "~/../../../z"} {
		for _, call := range []struct {
			name string
			in   args
		}{
			{"write", args{"file_path": path, "content": "x"}},
			{"edit", args{"file_path": path, "old_string": "s", "new_string": "x"}},
		} {
			got, kind := a.do(call.name, call.in)
			if kind != SandboxDenied || !strings.Contains(got, "is outside the root "+a.call.Root) {
				t.Errorf("%s %s: %s %s", call.name, path, kind, got)
			}
		}
	}
	if got, _ := os.ReadDir(outside); len(got) != 1 {
		t.Errorf("outside has %v", got)
	}
	o.has("secret", "s")
	a.want("write", args{"file_path": "inside", "content": "x"}, shown("inside", "Created file"))
	a.has("real", "x")
	if _, kind := a.do("write", args{"file_path": "loop", "content": "x"}); kind != IOFault {
		t.Errorf("loop: %q", kind)
	}
	a.want("write", args{"file_path": ".", "content": "x"}, `Error: cannot write "`+a.call.Cwd+`": `+a.call.Cwd+" is outside the root "+a.call.Root, SandboxDenied)
	a.call.Root = ""
	if _, kind := a.do("write", args{"file_path": "f", "content": "x"}); kind != SandboxDenied {
		t.Errorf("without a root: %q", kind)
	}
}

// The path is checked before the lock is taken; a link that appears afterwards
// must not lead out either.
func TestConfinementHoldsAfterTheCheck(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	outside := t.TempDir()
	if err := os.Mkdir(a.path("dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	to, err := locate(a.call, "write", "dir/f")
	if err == nil {
		to, err = to.confine(a.call, "write")
	}
	if err != nil {
		t.Fatal(err)
	}
	up, err := filepath.Rel(a.call.Cwd, outside)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(a.path("dir")), os.Symlink(up, a.path("dir"))); err != nil {
		t.Fatal(err)
	}
	ch, err := (files{seen: NewObserved(), locks: NewLocks()}).begin(t.Context(), to, "write")
	if err == nil {
		_, err = ch.publish([]byte("x"))
		ch.close()
	}
	if left, _ := os.ReadDir(outside); err == nil || len(left) != 0 {
		t.Errorf("err %v, outside %v", err, left)
	}
}

func TestWriteRefusesWhatIsNoFile(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	if err := os.Mkdir(a.path("d"), 0o755); err != nil {
		t.Fatal(err)
	}
	a.put("f", "x")
	a.want("write", args{"file_path": "d", "content": "x"}, `Error: cannot write "d": not a regular file`, NotRegular)
	a.want("write", args{"file_path": "f/g", "content": "x"}, `Error: cannot write "f/g": a parent is not a directory`, NotDirectory)
	a.want("write", args{"file_path": "", "content": "x"}, "Error: file_path must be a non-empty string", tool.KindInvalidArgs)
	long := strings.Repeat("n", 250)
	a.want("write", args{"file_path": long, "content": "x"}, shown(long, "Created file"))
	if got, kind := a.do("write", args{"file_path": long + long, "content": "x"}); kind != IOFault {
		t.Errorf("%s %s", kind, got)
	}
}

// proves: A212
func TestLinkAndTargetAreOneFile(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	a.put("f", "old")
	if err := os.Symlink("f", a.path("link")); err != nil {
		t.Fatal(err)
	}
	a.do("read", args{"file_path": "link"})
	a.want("write", args{"file_path": "f", "content": "new"}, shown("f", "Updated file"))
	a.want("edit", args{"file_path": "link", "old_string": "new", "new_string": "newer"}, "The file link has been updated successfully.")
	a.has("f", "newer")
	if info, err := os.Lstat(a.path("link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
}

// proves: A215
func TestAgentsDoNotShareWhatTheySaw(t *testing.T) {
	dir := t.TempDir()
	locks := NewLocks()
	a, b := newAgent(t, dir, Options{Locks: locks}), newAgent(t, dir, Options{Locks: locks})
	checkApart(t, a, b)
}

func TestSessionsDoNotShareWhatTheySaw(t *testing.T) {
	seen := NewObserved()
	a := newAgent(t, t.TempDir(), Options{Observed: seen})
	b := a
	b.call.Session = "s2"
	checkApart(t, a, b)
	a.do("read", args{"file_path": "f"})
	b.do("read", args{"file_path": "f"})
	seen.Forget("s1")
	a.want("edit", args{"file_path": "f", "old_string": "a", "new_string": "x"}, `Error: edit requires reading "f" first — read the file, then retry`, NotObserved)
	b.want("edit", args{"file_path": "f", "old_string": "a", "new_string": "x"}, "The file f has been updated successfully.")
	seen.Forget("s2")
	if len(seen.seen) > 0 {
		t.Errorf("kept %v", seen.seen)
	}
}

// checkApart lets two agents change one file, each of whom must have seen it.
func checkApart(t *testing.T, a, b agent) {
	t.Helper()
	a.put("f", "old")
	a.do("read", args{"file_path": "f"})
	b.want("write", args{"file_path": "f", "content": "b"}, unreadText, NotObserved)
	b.do("read", args{"file_path": "f"})
	a.want("write", args{"file_path": "f", "content": "a"}, shown("f", "Updated file"))
	b.want("write", args{"file_path": "f", "content": "b"}, staleText, StaleVersion)
	a.has("f", "a")
}

// proves: A211
func TestConcurrentEditsOfOneVersion(t *testing.T) {
	locks := NewLocks()
	a := newAgent(t, t.TempDir(), Options{Locks: locks})
	a.put("f", "value: old\n")
	a.do("read", args{"file_path": "f"})
	unlock, err := locks.lock(t.Context(), a.path("f"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := make(chan string)
	for _, to := range []string{"one", "two"} {
		go func() {
			_, kind := a.do("edit", args{"file_path": "f", "old_string": "value", "new_string": to + " value"})
			kinds <- kind
		}()
	}
	for waiting := 0; waiting < 3; { // the holder and both edits, which have their version by then
		locks.mu.Lock()
		waiting = locks.held[a.path("f")].users
		locks.mu.Unlock()
		runtime.Gosched()
	}
	unlock()
	if got := <-kinds + <-kinds; got != StaleVersion {
		t.Errorf("got %q", got)
	}
	text, err := os.ReadFile(a.path("f"))
	if got := string(text); err != nil || got != "one value: old\n" && got != "two value: old\n" {
		t.Errorf("%q %v", got, err)
	}
}

// Someone else, who knows no lock, changes the file at the last moment.
func TestReplaceIsNotBlind(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	a.put("f", "seen")
	to, err := locate(a.call, "write", "f")
	if err == nil {
		to, err = to.confine(a.call, "write")
	}
	if err != nil {
		t.Fatal(err)
	}
	ch, err := (files{seen: NewObserved(), locks: NewLocks()}).begin(t.Context(), to, "write")
	if err != nil {
		t.Fatal(err)
	}
	defer ch.close()
	a.put("f", "new!")
	if _, err := ch.publish([]byte("mine")); !errors.Is(err, errRaced) {
		t.Errorf("got %v", err)
	}
	a.has("f", "new!")
	noLeftovers(t, a.call.Cwd)
}

// TestFailedWriteKeepsTheOldFile runs itself where no file may grow over 64 KiB.
// proves: A213
func TestFailedWriteKeepsTheOldFile(t *testing.T) {
	const role = "BUILTIN_TEST_SMALL_FILES"
	if os.Getenv(role) == "" {
		cmd := exec.CommandContext(t.Context(), "bash", "-c", `ulimit -f 64; exec "$0" -test.run='^TestFailedWriteKeepsTheOldFile$'`, os.Args[0])
		cmd.Env = append(os.Environ(), role+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	a := newAgent(t, t.TempDir(), Options{})
	a.put("f", "old")
	a.do("read", args{"file_path": "f"})
	big := strings.Repeat("x", 200000)
	for _, name := range []string{"f", "new"} {
		if got, kind := a.do("write", args{"file_path": name, "content": big}); kind != IOFault || !strings.Contains(got, "file too large") {
			t.Errorf("%s: %s %s", name, kind, got)
		}
	}
	a.has("f", "old")
	if _, err := os.Stat(a.path("new")); err == nil {
		t.Error("a part of a file was created")
	}
	noLeftovers(t, a.call.Cwd)
	a.want("write", args{"file_path": "f", "content": "small"}, shown("f", "Updated file"))
}

// proves: C22
func TestCutCallWritesNothing(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	a.call.Name = "write"
	r := a.tools.Run(t.Context(), a.call, `{"file_path":"f","content":"half of a sen`)
	if r.Error == nil || r.Error.Kind != tool.KindInvalidArgs || !strings.Contains(r.Error.Message, "cut off") {
		t.Errorf("got %+v", r)
	}
	if left, _ := os.ReadDir(a.call.Cwd); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestLockWaitsAndGivesUp(t *testing.T) {
	l := NewLocks()
	unlock, err := l.lock(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.lock(ctx, "p"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	other, err := l.lock(t.Context(), "q")
	if err != nil {
		t.Fatal(err)
	}
	other()
	unlock()
	if len(l.held) != 0 {
		t.Errorf("%d locks are kept", len(l.held))
	}
}

func TestManyCreatorsOneFile(t *testing.T) {
	dir := t.TempDir()
	won := make(chan bool)
	const creators = 8
	for range creators {
		a := newAgent(t, dir, Options{}) // with locks of its own, like another process
		go func() {
			text, _ := a.do("write", args{"file_path": "f", "content": "x"})
			won <- strings.Contains(text, "Created file")
		}()
	}
	n := 0
	for range creators {
		if <-won {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d agents created the file", n)
	}
	noLeftovers(t, dir)
}
