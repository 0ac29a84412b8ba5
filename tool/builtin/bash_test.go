//go:build unix

package builtin

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/internal/proc"
	"github.com/dsh-go/dsh-workflow/tool"
)

// sh runs a command and returns the text of the result.
func (a agent) sh(command string, more ...args) string {
	a.t.Helper()
	in := args{"command": command, "description": "a test"}
	for _, m := range more {
		for k, v := range m {
			in[k] = v
		}
	}
	text, kind := a.do("bash", in)
	if kind != "" {
		a.t.Errorf("%s: %s %s", command, kind, text)
	}
	return text
}

// proves: A220, A221
func TestBashRendering(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	for command, want := range map[string]string{
		"true":                               "(no output)",
		"echo out":                           "out\n",
		"printf out":                         "out",
		"echo err >&2":                       "[stderr]\nerr\n",
		"printf out; echo err >&2":           "out\n[stderr]\nerr\n",
		"echo out; echo err >&2":             "out\n[stderr]\nerr\n",
		"exit 3":                             "(no output)\n[exit code: 3]",
		"echo out; exit 3":                   "out\n[exit code: 3]",
		"printf out; exit 3":                 "out\n[exit code: 3]",
		"printf err >&2; exit 1":             "[stderr]\nerr\n[exit code: 1]",
		"kill -KILL $$":                      "(no output)\n[killed by signal: SIGKILL]",
		"no_such_command_here 2>/dev/null":   "(no output)\n[exit code: 127]",
		`printf '\033[1;31mred\033[0m\r\n'`:  "red\n",
		`printf '\033]0;title\007x\0y\377z'`: "x␀y\ufffdz",
		"yes | head -1":                      "y\n",
	} {
		if d := cmp.Diff(want, a.sh(command)); d != "" {
			t.Errorf("%s: %s", command, d)
		}
	}
}

// proves: A222
func TestBashTimeoutMarkers(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	got := a.sh("exec 2>/dev/null; trap 'exit 0' TERM; echo begun; while :; do sleep 0.02; done", args{"timeoutMs": 400})
	if got != "begun\n[timed out after 400ms]" {
		t.Errorf("got %q", got)
	}
	got = a.sh("sleep 600", args{"timeoutMs": 100})
	if got != "(no output)\n[timed out after 100ms]\n[killed by signal: SIGTERM]" {
		t.Errorf("got %q", got)
	}
}

func TestBashArguments(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	a.put("file", "")
	for _, tc := range []struct {
		in         args
		text, kind string
	}{
		{args{"command": " \n", "description": "d"}, "invalid command: expected a non-empty string", tool.KindInvalidArgs},
		{args{"command": "a\x00b", "description": "d"}, "invalid command: it must not contain a NUL character", tool.KindInvalidArgs},
		{args{"command": "true", "description": ""}, "invalid description: expected a non-empty string", tool.KindInvalidArgs},
		{args{"command": "true", "description": "d", "timeoutMs": 0}, "invalid timeoutMs: expected a positive number, got 0", tool.KindInvalidArgs},
		{args{"command": "true", "description": "d", "timeoutMs": -2.5}, "invalid timeoutMs: expected a positive number, got -2.5", tool.KindInvalidArgs},
		{args{"command": "true", "description": "d", "workdir": "gone"}, `cannot run in "` + a.path("gone") + `": not found`, NotFound},
		{args{"command": "true", "description": "d", "workdir": "file"}, `cannot run in "` + a.path("file") + `": not a directory`, NotDirectory},
	} {
		a.want("bash", tc.in, "Error: "+tc.text, tc.kind)
	}
	for ms, want := range map[float64]time.Duration{1e12: maxTimeout, 1500: 1500 * time.Millisecond, 0.001: time.Millisecond} {
		if got, err := (bashArgs{Command: "x", Description: "y", TimeoutMs: &ms}).check(); err != nil || got != want {
			t.Errorf("%v: %v %v", ms, got, err)
		}
	}
}

// proves: A221
func TestBashThatCannotStart(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{Shell: "/no/such/shell"})
	got, _ := a.do("bash", args{"command": "true", "description": "d"})
	if !strings.HasPrefix(got, "Error: spawn failed: ") {
		t.Errorf("got %q", got)
	}
}

// proves: A223
func TestBashAbort(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	ctx, cancel := context.WithCancelCause(t.Context())
	a.call.Name, a.call.Session = "bash", "abort-"+filepath.Base(t.TempDir())
	begun := a.path("begun")
	go func() {
		for t.Context().Err() == nil {
			if _, err := os.Stat(begun); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		cancel(errors.New("run cancelled"))
	}()
	start := time.Now()
	r := a.tools.Run(ctx, a.call, `{"command":"(trap '' TERM; sleep 600) & touch begun; sleep 600","description":"d"}`)
	if r.Error == nil || r.Error.Kind != tool.KindAborted || r.Error.Message != "tool call aborted" {
		t.Errorf("got %+v", r)
	}
	if took := time.Since(start); took > proc.DefaultGrace+2*time.Second {
		t.Errorf("took %v", took)
	}
	a.nothingLeft()
}

// nothingLeft fails if a process lives that a command of the agent started.
func (a agent) nothingLeft() {
	a.t.Helper()
	dirs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, d := range dirs {
		env, err := os.ReadFile(d)
		if err == nil && strings.Contains("\x00"+string(env), "\x00"+proc.Mark(a.call.Session)+"\x00") {
			a.t.Errorf("%s of the agent is left", filepath.Dir(d))
		}
	}
}

// proves: A224
func TestBashDirectory(t *testing.T) {
	a, b := newAgent(t, t.TempDir(), Options{}), newAgent(t, t.TempDir(), Options{})
	if err := os.Mkdir(a.path("sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		got, want string
	}{
		{a.sh("cd sub; pwd"), a.path("sub\n")},
		{a.sh("pwd"), a.call.Cwd + "\n"},
		{b.sh("pwd"), b.call.Cwd + "\n"},
		{a.sh("pwd", args{"workdir": "sub"}), a.path("sub\n")},
		{a.sh("pwd", args{"workdir": b.call.Cwd}), b.call.Cwd + "\n"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}

// proves: A225
func TestBashEnvironment(t *testing.T) {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=/h", "OPENAI_API_KEY=k", "my_secret=s", "X_TOKEN_Y=t", "DbPassword=p",
		"DSH_RUN=outer", "DSH_HOME=outer", "TERM=xterm", "PAGER=less", "KEPT=yes", "EDITOR=vi"}
	a := newAgent(t, t.TempDir(), Options{Env: env})
	a.call.Home, a.call.Session = "/home/dsh", "s-7"
	var got []string
	for line := range strings.Lines(a.sh("env")) {
		name, _, _ := strings.Cut(line, "=")
		switch name {
		case "PWD", "OLDPWD", "SHLVL", "_", "PATH":
		default:
			if !strings.HasPrefix(name, "_DSH_TREE_") {
				got = append(got, strings.TrimSpace(line))
			}
		}
	}
	want := []string{"HOME=/h", "KEPT=yes", "EDITOR=vi", "NO_COLOR=1", "TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0",
		"GIT_EDITOR=:", "DSH_HOME=/home/dsh", "DSH_SHELL=1", "DSH_SESSION_ID=s-7"}
	if d := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))); d != "" {
		t.Error(d)
	}
}

func TestBashHugeOutput(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	got := a.sh("yes € | head -c 300000; echo end; exit 2")
	at := strings.LastIndex(got, "\n[output truncated; full output: ")
	if at < 0 || !strings.HasSuffix(got, "]\n[exit code: 2]") || !strings.HasSuffix(got[:at], "end\n") || at > proc.DefaultKeep {
		t.Fatalf("%d bytes, ends %q", len(got), got[max(0, len(got)-200):])
	}
	if strings.ContainsRune(got, utf8.RuneError) {
		t.Error("a code point was cut")
	}
	spill := strings.TrimSuffix(got[at+len("\n[output truncated; full output: "):], "]\n[exit code: 2]")
	if info, err := os.Stat(spill); err != nil || info.Size() != 300004 {
		t.Errorf("spill %q: %v", spill, err)
	}
	if text, kind := a.do("read", args{"file_path": spill, "offset": 2, "limit": 1}); kind != "" || !strings.Contains(text, "2: €\n") {
		t.Errorf("the spill cannot be read: %s %.200s", kind, text)
	}
	if text := a.sh("head -c 70000000 /dev/zero | tr '\\0' x"); !strings.HasSuffix(text, "x\n[output truncated; full output: (unavailable)]") {
		t.Errorf("ends %q", text[len(text)-100:])
	}
}

// Every command of this table ends by itself, soon, and says why.
//
// proves: C28
func TestBashEndsWithTheShell(t *testing.T) {
	const hint = "[hint: there is no terminal"
	for _, tc := range []struct {
		name, command string
		limit         int
		want          []string
	}{
		{"background", "sleep 600 & echo ok", 0, []string{"ok\n"}},
		{"own session", "setsid sleep 600 & sleep 0.1; echo ok", 0, []string{"ok\n"}},
		{"daemon", "setsid bash -c 'sleep 600 & exec >/dev/null 2>&1; wait' & disown; sleep 0.1; echo ok", 0, []string{"ok\n"}},
		{"ignores TERM", "trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & while :; do sleep 1; done", 1000,
			[]string{"[timed out after 1000ms]\n[killed by signal: SIGKILL]"}},
		{"closed pipe", "yes | head -1", 0, []string{"y\n"}},
		{"commit without message", "git init -q . && touch f && git add f && git -c user.name=a -c user.email=a@b commit", 0,
			[]string{"empty commit message", hint, "[exit code: 1]"}},
		{"pager", "seq 3 | less", 0, []string{"1\n2\n3\n"}},
		{"pager of a file", "seq 300 >f; less f | tail -1", 0, []string{"300\n"}},
		{"terminal", "read x </dev/tty", 0, []string{"/dev/tty", hint, "[exit code: 1]"}},
		{"input", "read x || echo none", 0, []string{"none\n"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := newAgent(t, t.TempDir(), Options{})
			a.call.Session = "c28-" + filepath.Base(t.TempDir()) + "-" + strings.ReplaceAll(tc.name, " ", "-")
			var more []args
			if tc.limit > 0 {
				more = append(more, args{"timeoutMs": tc.limit})
			}
			start := time.Now()
			got := a.sh(tc.command, more...)
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("took %v", took)
			}
			for _, want := range tc.want {
				if !strings.Contains(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			}
			a.nothingLeft()
		})
	}
}

// TestBashUnderTerminal runs itself under a pseudo-terminal, where a program of
// the same session could ask the user for a password.
func TestBashUnderTerminal(t *testing.T) {
	const role = "BUILTIN_TEST_UNDER_TERMINAL"
	if os.Getenv(role) != "" {
		if tty, err := os.Open("/dev/tty"); err != nil {
			t.Fatal("there is no terminal: ", err)
		} else {
			_ = tty.Close()
		}
		a := newAgent(t, t.TempDir(), Options{})
		if got := a.sh("read x </dev/tty; echo code $?", args{"timeoutMs": 5000}); !strings.Contains(got, "code 1") || strings.Contains(got, "timed out") {
			t.Errorf("got %q", got)
		}
		return
	}
	script, err := exec.LookPath("script")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("the program script of util-linux makes the terminal")
	}
	cmd := exec.CommandContext(t.Context(), script, "-qec", os.Args[0]+" -test.run=^TestBashUnderTerminal$ -test.v", "/dev/null")
	cmd.Env = append(os.Environ(), role+"=1")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestBashUnderTerminal") {
		t.Errorf("%v: %s", err, out)
	}
}

// proves: A220
func TestMarkerOrder(t *testing.T) {
	r := proc.Result{Stderr: proc.Capture{Tail: []byte("cannot open /dev/tty"), Total: 20}, ExitCode: 1, TimedOut: true, Survivors: []int{7}}
	want := "[stderr]\ncannot open /dev/tty\n" +
		"[hint: there is no terminal and nobody can answer here; use flags that need no input, such as git commit -m, --yes or sudo -n]\n" +
		"[still running after SIGKILL: [7]]\n[timed out after 5ms]\n[exit code: 1]"
	if d := cmp.Diff(want, render(r, 5*time.Millisecond)); d != "" {
		t.Error(d)
	}
}

// proves: A220
func TestTwoStreamsTruncated(t *testing.T) {
	r := proc.Result{
		Stdout: proc.Capture{Tail: []byte("\x82\xacout"), Total: 9, Spill: "/spill/1"},
		Stderr: proc.Capture{Tail: []byte("err\n"), Total: 10},
	}
	want := "out\n[output truncated; full output: /spill/1]\n[stderr]\nerr\n\n[output truncated; full output: (unavailable)]"
	if d := cmp.Diff(want, render(r, time.Second)); d != "" {
		t.Error(d)
	}
}

func FuzzRender(f *testing.F) {
	f.Add([]byte("a\x1b[31mb"), []byte("\x1b]0;t\x07"), int64(3), 1)
	f.Add([]byte{0x82, 0x82, 0x82, 0x82}, []byte{}, int64(9), 0)
	f.Fuzz(func(t *testing.T, out, errs []byte, more int64, code int) {
		r := proc.Result{Stdout: proc.Capture{Tail: out, Total: int64(len(out)) + max(0, more%9)}, Stderr: proc.Capture{Tail: errs, Total: int64(len(errs))}, ExitCode: code}
		text := render(r, time.Second)
		if text == "" {
			t.Fatal("no text")
		}
		if lines := strings.Split(text, "\n"); code != 0 && (len(lines) < 2 || !strings.HasPrefix(lines[len(lines)-1], "[exit code: ")) {
			t.Fatalf("the marker is not the last line of %q", text)
		}
		if got := withoutEscapes(string(out)); strings.Count(got, "\n") != strings.Count(string(out), "\n") {
			t.Fatal("a line end was taken for a part of an escape")
		}
	})
}
