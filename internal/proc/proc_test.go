//go:build unix

package proc

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv("PROC_TEST_ROLE") == "reaper" {
		os.Exit(reaperRole())
	}
	goleak.VerifyTestMain(m)
}

// bash is a command under the name of the test, so that the test can look for
// what it leaves behind.
func bash(t *testing.T, script string) Cmd {
	t.Helper()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), Mark(t.Name())}
	return Cmd{Path: "bash", Args: []string{"-c", script}, Dir: t.TempDir(), Env: env, SpillDir: filepath.Join(t.TempDir(), "spill")}
}

// run fails the test unless the command could be run and nothing is left of it.
func run(t *testing.T, c Cmd) Result {
	t.Helper()
	r, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	nothingLeft(t)
	return r
}

func within(t *testing.T, limit time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > limit {
		t.Errorf("took %v, want at most %v", took, limit)
	}
}

func TestRunReportsEndAndStreams(t *testing.T) {
	for _, tc := range []struct {
		name, script string
		stdout       string
		stderr       string
		code         int
		signal       string
	}{
		{"success", "echo out; echo err >&2", "out\n", "err\n", 0, ""},
		{"failure", "exit 7", "", "", 7, ""},
		{"signal", "kill -KILL $$", "", "", -1, "SIGKILL"},
		{"stdin is empty", "cat; echo end", "end\n", "", 0, ""},
		{"closed reader", "yes | head -1", "y\n", "", 0, ""},
		{"binary", `printf '\0\377\1'`, "\x00\xff\x01", "", 0, ""},
		{"no terminal", "{ read x </dev/tty; } 2>/dev/null || echo none", "none\n", "", 0, ""},
		{"blocking pipe", "head -c 300000 /dev/zero | tr '\\0' x | tail -c 5", "xxxxx", "", 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := run(t, bash(t, tc.script))
			got := []any{string(r.Stdout.Tail), string(r.Stderr.Tail), r.ExitCode, r.Signal, r.TimedOut}
			want := []any{tc.stdout, tc.stderr, tc.code, tc.signal, false}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestBackgroundProcessEndsWithTheShell(t *testing.T) {
	within(t, 2*time.Second, func() {
		r := run(t, bash(t, "sleep 600 & echo ok"))
		if string(r.Stdout.Tail) != "ok\n" || r.ExitCode != 0 || r.Survivors != nil {
			t.Errorf("got %+v", r)
		}
	})
}

func TestOutputOfSubstitutionIsNotLost(t *testing.T) {
	r := run(t, bash(t, "echo hello > >(sleep 0.05; cat)"))
	if string(r.Stdout.Tail) != "hello\n" {
		t.Errorf("got %q", r.Stdout.Tail)
	}
}

// proves: A227
func TestBackgroundThatIgnoresTermIsKilled(t *testing.T) {
	within(t, 4*time.Second, func() {
		r := run(t, bash(t, "bash -c 'trap \"\" TERM; while :; do sleep 60; done' & sleep 0.1; echo ok"))
		if string(r.Stdout.Tail) != "ok\n" || r.Survivors != nil {
			t.Errorf("got %+v", r)
		}
	})
}

func TestTimeoutEndsTree(t *testing.T) {
	c := bash(t, "trap '' TERM; (trap '' TERM; sleep 600) & echo before; while :; do sleep 60; done")
	c.Timeout, c.Grace = 300*time.Millisecond, 200*time.Millisecond
	within(t, 3*time.Second, func() {
		r := run(t, c)
		if !r.TimedOut || r.Signal != "SIGKILL" || string(r.Stdout.Tail) != "before\n" {
			t.Errorf("got %+v", r)
		}
	})
}

func TestTimeoutIsToldWhenTheProcessExitsWell(t *testing.T) {
	c := bash(t, "trap 'exit 0' TERM; echo ready; while :; do sleep 0.02; done")
	c.Timeout = 500 * time.Millisecond
	if r := run(t, c); !r.TimedOut || r.ExitCode != 0 || r.Signal != "" {
		t.Errorf("got %+v", r)
	}
}

func TestStoppedProcessObeysTerm(t *testing.T) {
	c := bash(t, "kill -STOP $$")
	c.Timeout = 300 * time.Millisecond
	within(t, 2*time.Second, func() {
		if r := run(t, c); r.Signal != "SIGTERM" {
			t.Errorf("got %+v", r)
		}
	})
}

func TestCancelReturnsCause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	c := bash(t, "echo started; touch there; sleep 600")
	go func() {
		awaitFile(t, filepath.Join(c.Dir, "there"))
		cancel(cause)
	}()
	within(t, 3*time.Second, func() {
		r, err := Run(ctx, c)
		if !errors.Is(err, cause) || string(r.Stdout.Tail) != "started\n" || r.TimedOut {
			t.Errorf("got %+v, %v", r, err)
		}
	})
	nothingLeft(t)
	if _, err := Run(ctx, c); !errors.Is(err, cause) {
		t.Errorf("started under an ended context: %v", err)
	}
}

// awaitFile returns when the file is there; the test's own limit ends the wait.
func awaitFile(t *testing.T, path string) {
	for t.Context().Err() == nil {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestStartFailures(t *testing.T) {
	c := bash(t, "true")
	c.Path = "no-such-program-here"
	if _, err := Run(t.Context(), c); err == nil {
		t.Error("a missing program started")
	}
	c = bash(t, "true")
	c.Dir = filepath.Join(c.Dir, "missing")
	if _, err := Run(t.Context(), c); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	c = bash(t, "true")
	c.Env = []string{"PATH=.:"}
	if _, err := Run(t.Context(), c); err == nil {
		t.Error("a program of the working directory was looked for")
	}
	c.Env = nil
	if r, err := Run(t.Context(), c); err != nil || r.ExitCode != 0 {
		t.Errorf("without a PATH: %+v, %v", r, err)
	}
}

func TestLongOutputKeepsTailAndSpills(t *testing.T) {
	for _, tc := range []struct {
		name                string
		bytes, keep, cap    int
		truncated, spillsIt bool
	}{
		{"fits exactly", 100, 100, 1000, false, false},
		{"one over", 101, 100, 1000, true, true},
		{"twice and more", 250, 100, 1000, true, true},
		{"exactly the cap", 1000, 100, 1000, true, true},
		{"over the cap", 1001, 100, 1000, true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			whole := []byte(strings.Repeat("0123456789", 200))[:tc.bytes]
			r := recorder{keep: tc.keep, cap: int64(tc.cap), dir: filepath.Join(t.TempDir(), "s"), name: "stdout"}
			for chunk := range sliced(whole, 7) {
				_, _ = r.Write(chunk)
			}
			got := r.finish()
			if tail := whole[max(0, len(whole)-tc.keep):]; !bytes.Equal(got.Tail, tail) || got.Total != int64(tc.bytes) || got.Truncated() != tc.truncated {
				t.Errorf("tail %q total %d", got.Tail, got.Total)
			}
			if (got.Spill != "") != tc.spillsIt {
				t.Fatalf("spill %q", got.Spill)
			}
			if got.Spill == "" {
				if left, _ := filepath.Glob(filepath.Join(r.dir, "*")); left != nil {
					t.Errorf("left %v", left)
				}
				return
			}
			checkSpill(t, got.Spill, whole)
		})
	}
}

func sliced(b []byte, n int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			m := min(n, len(b))
			if !yield(b[:m]) {
				return
			}
			b = b[m:]
		}
	}
}

func checkSpill(t *testing.T, path string, want []byte) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(text, want) {
		t.Errorf("spill: %v, %d bytes, want %d", err, len(text), len(want))
	}
	file, _ := os.Stat(path)
	dir, _ := os.Stat(filepath.Dir(path))
	if file.Mode().Perm() != 0o600 || dir.Mode().Perm() != 0o700 {
		t.Errorf("modes %v, %v", file.Mode(), dir.Mode())
	}
}

// proves: A226
func TestHugeOutputOfProcess(t *testing.T) {
	c := bash(t, "head -c 5000000 /dev/zero | tr '\\0' a; echo end; head -c 70000000 /dev/zero >&2")
	r := run(t, c)
	if r.Stdout.Total != 5000004 || len(r.Stdout.Tail) != DefaultKeep || !bytes.HasSuffix(r.Stdout.Tail, []byte("aend\n")) {
		t.Errorf("total %d, tail %d", r.Stdout.Total, len(r.Stdout.Tail))
	}
	if info, err := os.Stat(r.Stdout.Spill); err != nil || info.Size() != 5000004 {
		t.Errorf("spill: %v", err)
	}
	if r.Stderr.Total != 70000000 || r.Stderr.Spill != "" {
		t.Errorf("a stream of %d bytes was spilled to %q", r.Stderr.Total, r.Stderr.Spill)
	}
}

func TestSpillThatCannotBeMadeLosesOnlyItself(t *testing.T) {
	c := bash(t, "echo 0123456789")
	c.Keep = 4
	c.SpillDir = filepath.Join(c.Dir, "file")
	if err := os.WriteFile(c.SpillDir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t, c); string(r.Stdout.Tail) != "789\n" || r.Stdout.Spill != "" || !r.Stdout.Truncated() {
		t.Errorf("got %+v", r.Stdout)
	}
}

func TestSpillFolderOfItsOwnIsPrivate(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	c := bash(t, "echo 0123456789")
	c.Keep, c.SpillDir = 4, ""
	checkSpill(t, run(t, c).Stdout.Spill, []byte("0123456789\n"))
}

func TestScrub(t *testing.T) {
	in := []string{"PATH=/bin", "OPENAI_API_KEY=x", "my_token=x", "DbPassword=x", "a_Secret_b=x", "dsh_home=x", "DSH_X=x", "MONKEY=x",
		"HOME=/h", "junk", "=C:=x", "DSHX=1", "_DSH_TREE_outer=1", "EMPTY="}
	want := []string{"PATH=/bin", "HOME=/h", "DSHX=1", "_DSH_TREE_outer=1", "EMPTY="}
	before := append([]string{}, in...)
	if d := cmp.Diff(want, Scrub(in)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(before, in); d != "" {
		t.Error("changed its argument", d)
	}
}

func TestSessionOfItsOwn(t *testing.T) {
	r := run(t, bash(t, "ps -o pid=,pgid=,sid= -p $$"))
	f := strings.Fields(string(r.Stdout.Tail))
	if len(f) != 3 || f[0] != f[1] || f[0] != f[2] {
		t.Errorf("pid, group and session differ: %q", r.Stdout.Tail)
	}
}
