//go:build linux || darwin

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// seat is a person's terminal with a command that runs in it.
//
// Concurrency: one goroutine copies what the command writes to the emulated
// screen; mu guards it.
type seat struct {
	t      *testing.T
	cmd    *exec.Cmd
	master *os.File
	stdout bytes.Buffer
	copied chan struct{}

	mu     sync.Mutex
	screen *vt.Emulator
	raw    bytes.Buffer
}

// sit starts the binary with a terminal as stdin and stderr.
func sit(s *site, script string, size pty.Winsize, environ []string, flags ...string) *seat {
	s.t.Helper()
	s.write("home", "script.js", script)
	args := append([]string{"run", filepath.Join(s.home, "script.js"), "--home", s.home, "--base-url", s.server.URL, "--model", "mock", "--concurrency", "4", "--trust"}, flags...)
	return sitAt(s.t, exec.Command(s.binary, args...), s.repo, size, append(os.Environ(), append([]string{"DSH_API_KEY=" + secret}, environ...)...))
}

func sitAt(t *testing.T, cmd *exec.Cmd, dir string, size pty.Winsize, environ []string) *seat {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &size); err != nil {
		t.Fatal(err)
	}
	c := &seat{t: t, cmd: cmd, master: master, copied: make(chan struct{}), screen: vt.NewEmulator(int(size.Cols), int(size.Rows))}
	cmd.Dir, cmd.Env = dir, environ
	cmd.Stdin, cmd.Stderr, cmd.Stdout = slave, slave, &c.stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has usually ended
		master.Close()
		slave.Close()
	})
	go c.copy()
	return c
}

func (c *seat) copy() {
	defer close(c.copied)
	b := make([]byte, 4096)
	for {
		n, err := c.master.Read(b)
		c.mu.Lock()
		c.raw.Write(b[:n])
		_, _ = c.screen.Write(b[:n])
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// text is what stands on the screen, what has scrolled off it included.
func (c *seat) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.screen == nil {
		return "(nobody reads the terminal)"
	}
	var b strings.Builder
	for y := range c.screen.ScrollbackLen() {
		for x := range c.screen.Width() {
			if cell := c.screen.ScrollbackCellAt(x, y); cell != nil {
				b.WriteString(cell.Content)
			}
		}
		b.WriteByte('\n')
	}
	return b.String() + c.screen.String()
}

// await waits until the screen shows all the words.
func (c *seat) await(words ...string) string {
	c.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		text := c.text()
		missing := ""
		for _, w := range words {
			if !strings.Contains(text, w) {
				missing = w
			}
		}
		if missing == "" {
			return text
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("no %q on the screen:\n%s\nraw %q", missing, text, c.raw.String())
		}
		time.Sleep(10 * time.Millisecond) // polls a screen that another process draws
	}
}

// key types.
func (c *seat) key(keys string) {
	c.t.Helper()
	if _, err := c.master.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// modes are the flags of the terminal that a program may have changed.
func (c *seat) modes() uint32 {
	c.t.Helper()
	tio, err := unix.IoctlGetTermios(int(c.master.Fd()), getTermios)
	if err != nil {
		c.t.Fatal(err)
	}
	return uint32(tio.Lflag) & (unix.ECHO | unix.ICANON | unix.ISIG)
}

// end waits for the command, checks that the terminal is as it was, and returns
// the exit code and the last screen.
func (c *seat) end() (int, string) {
	c.t.Helper()
	err := c.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // what was written is on its way through the terminal
	if m := c.modes(); m != unix.ECHO|unix.ICANON|unix.ISIG {
		c.t.Errorf("the terminal is left in modes %x", m)
	}
	text := c.text()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.screen.CursorHidden() {
		c.t.Error("the cursor is left hidden")
	}
	return c.cmd.ProcessState.ExitCode(), text
}

const twoPhases = `
export const meta = { name: 'look', description: 'd', phases: ['Find', 'Check', 'Report'] }
const mock = (text, ...steps) => text + ' @@mock ' + JSON.stringify(steps)
phase('Find')
await agent(mock('quick', { text: 'kept' }), { label: 'quick' })
log('one line of log')
phase('Check')
return await parallel([
  () => agent(mock('slow', { tool: 'bash', args: { command: 'sleep WAIT', description: 'd' } }, { text: 'slow done' }), { label: 'the slow one' }),
  () => agent(mock('fails', { fail: { status: 400, times: 9 } }), { label: 'the failing one' }),
])`

// untilGo is a command that ends when the test writes the file "go".
const untilGo = "until test -e go; do sleep 0.05; done"

// TestTreeOnATerminal runs the binary on a terminal: the tree is drawn and
// follows the size of the terminal, then it is gone, the summary stays and the
// result is on stdout.
func TestTreeOnATerminal(t *testing.T) {
	s := newSite(t)
	c := sit(s, strings.Replace(twoPhases, "sleep WAIT", untilGo, 1), pty.Winsize{Rows: 24, Cols: 80}, []string{"TERM=xterm-256color", "NO_COLOR="})
	c.await("look  running", "✓ Find", "● Check", "#2 the slow one", "bash until test", "○ Report", "one line of log")
	c.mu.Lock()
	hidden := c.screen.CursorHidden()
	c.screen.Resize(30, 24)
	c.mu.Unlock()
	if !hidden {
		t.Error("the cursor stands in the picture")
	}
	if err := pty.Setsize(c.master, &pty.Winsize{Rows: 24, Cols: 30}); err != nil {
		t.Fatal(err)
	}
	c.await("● #2 the slow")
	s.write("repo", "go", "")
	code, text := c.end()
	t.Logf("%s", text)
	if code != exitFailures || c.stdout.String() != "[\n  \"slow done\",\n  null\n]\n" {
		t.Errorf("code %d, stdout %q", code, c.stdout.String())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !strings.Contains(text, "completed_with_failures") || strings.Contains(c.screen.String(), "running") {
		t.Errorf("the last screen:\n%s", c.screen.String())
	}
}

// TestInterruptOnATerminal presses the key: the run is cancelled as by a signal,
// and the terminal is as it was.
func TestInterruptOnATerminal(t *testing.T) {
	s := newSite(t)
	c := sit(s, strings.Replace(twoPhases, "WAIT", "60", 1), pty.Winsize{Rows: 24, Cols: 80}, []string{"TERM=xterm"})
	c.await("bash sleep 60")
	c.key("q")
	c.key("\x03")
	code, text := c.end()
	if code != 130 || !strings.Contains(text, "look: cancelled") || !strings.Contains(text, "interrupt: cancelling") {
		t.Errorf("code %d:\n%s", code, text)
	}
	if strings.Contains(text, "^C") || c.stdout.Len() > 0 {
		t.Errorf("keys are seen:\n%s\nstdout %q", text, c.stdout.String())
	}
}

const crowd = `
export const meta = { name: 'crowd', description: 'd' }
const mock = (text, ...steps) => text + ' @@mock ' + JSON.stringify(steps)
const first = await agent(mock('first', { text: 'one' }))
const rest = await parallel([...Array(9).keys()].map((i) => () => agent(mock('n' + i, { text: 'x' }), { label: 'agent ' + i })))
return rest.length`

// TestQuestionOnATerminal asks before the fifth agent: in the picture, as lines
// where there is none, and not with --yes.
func TestQuestionOnATerminal(t *testing.T) {
	s := newSite(t)
	size := pty.Winsize{Rows: 24, Cols: 100}
	for name, c := range map[string]struct {
		environ []string
		flags   []string
		keys    string
		code    int
		words   []string
	}{
		"yes in the picture": {[]string{"TERM=xterm"}, nil, "y", exitOK, []string{"crowd: completed", "10 completed"}},
		"no in the picture":  {[]string{"TERM=xterm"}, nil, "n", exitLimit, []string{"crowd: limit_reached", "DECLINED", "4 completed", "6 refused"}},
		"enter is no":        {[]string{"TERM=xterm"}, nil, "\r", exitLimit, []string{"crowd: limit_reached"}},
		"interrupt":          {[]string{"TERM=xterm"}, nil, "\x03", 130, []string{"crowd: cancelled", "4 completed"}},
		"yes as a line":      {[]string{"TERM=dumb"}, nil, "y\r", exitOK, []string{"crowd: completed", "start     #10 agent 8"}},
		"quiet asks too":     {[]string{"TERM=xterm"}, []string{"-q"}, "no\r", exitLimit, []string{"crowd: limit_reached"}},
		"told before":        {[]string{"TERM=xterm"}, []string{"--yes"}, "", exitOK, []string{"crowd: completed"}},
	} {
		t.Run(name, func(t *testing.T) {
			here := *s
			here.t = t
			seat := sit(&here, crowd, size, c.environ, append(c.flags, "--ask-above", "4")...)
			if c.keys != "" {
				seat.await("the script asks for more than 4 agents", "tokens each on average; cost unknown", "Go on? [y/N]")
				seat.key(c.keys)
			}
			code, text := seat.end()
			if code != c.code {
				t.Errorf("exit code %d, want %d:\n%s", code, c.code, text)
			}
			flat := strings.ReplaceAll(text, "\n", "")
			for _, w := range c.words {
				if !strings.Contains(flat, w) {
					t.Errorf("no %q in\n%s", w, text)
				}
			}
			if c.keys == "" && strings.Contains(text, "[y/N]") {
				t.Errorf("it was asked:\n%s", text)
			}
		})
	}
}
