//go:build linux || darwin

package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// hushed waits until the picture has the terminal, or has given it back.
func (c *seat) hushed(want bool) {
	c.t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for c.modes()&unix.ECHO == 0 != want {
		if time.Now().After(deadline) {
			c.t.Fatalf("the terminal is in modes %x:\n%s", c.modes(), c.text())
		}
		time.Sleep(10 * time.Millisecond) // polls a terminal that another process sets
	}
}

// stopped waits until the process is stopped.
func (c *seat) stopped() {
	c.t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for time.Now().Before(deadline) {
		out, err := exec.Command("ps", "-o", "stat=", "-p", fmt.Sprint(c.cmd.Process.Pid)).Output()
		if err == nil && strings.HasPrefix(strings.TrimSpace(string(out)), "T") {
			return
		}
		time.Sleep(20 * time.Millisecond) // polls the state of another process
	}
	c.t.Fatal("the process was not stopped")
}

// TestTerminalIsGivenBack ends a run in each way that a program can see: the
// modes of the terminal and its cursor are as they were.
func TestTerminalIsGivenBack(t *testing.T) {
	s := newSite(t)
	for sig, code := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		c := sit(s, strings.Replace(twoPhases, "WAIT", "60", 1), pty.Winsize{Rows: 24, Cols: 80}, []string{"TERM=xterm"})
		c.await("bash sleep 60")
		c.hushed(true)
		if err := c.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if got, text := c.end(); got != code || !strings.Contains(text, "look: cancelled") {
			t.Errorf("%v: exit code %d:\n%s", sig, got, text)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := sitAt(t, &exec.Cmd{Path: exe, Args: []string{"panics"}}, t.TempDir(), pty.Winsize{Rows: 24, Cols: 80}, append(os.Environ(), "TERM=xterm"))
	c.await("starting")
	c.hushed(true)
	c.key("x")
	if code, text := c.end(); code != 2 || !strings.Contains(text, "panic: a mistake of ours") {
		t.Errorf("exit code %d:\n%s", code, text)
	}
}

// TestSuspend presses the key: the terminal is given back while the process is
// stopped, and taken again when it goes on.
func TestSuspend(t *testing.T) {
	if _, err := exec.LookPath("ps"); err != nil {
		t.Skip(err)
	}
	s := newSite(t)
	c := sit(s, strings.Replace(twoPhases, "WAIT", "60", 1), pty.Winsize{Rows: 24, Cols: 80}, []string{"TERM=xterm"})
	c.await("bash sleep 60")
	c.hushed(true)
	c.key("\x1a")
	c.stopped()
	c.hushed(false)
	c.mu.Lock()
	hidden, screen := c.screen.CursorHidden(), c.screen.String()
	c.mu.Unlock()
	if hidden || strings.Contains(screen, "bash sleep 60") {
		t.Errorf("cursor hidden: %v; the screen while it is stopped:\n%s", hidden, screen)
	}
	if err := c.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	c.hushed(true)
	c.await("bash sleep 60")
	c.key("\x03")
	if code, text := c.end(); code != 130 || !strings.Contains(text, "look: cancelled") {
		t.Errorf("exit code %d:\n%s", code, text)
	}
}

// TestBlockedTerminal has nobody take what the terminal is sent: the run ends all
// the same, by itself and by the key that interrupts, and the terminal gets its
// modes back.
func TestBlockedTerminal(t *testing.T) {
	for name, c := range map[string]struct {
		wait string
		key  string
		code int
	}{"ends": {"300", "", exitOK}, "is interrupted": {"60000", "\x03", 130}} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.write("home", "flood.js", "export const meta = { name: 'flood', description: 'd' }\n"+
				"for (let i = 0; i < 3000; i++) log('z'.repeat(200))\nawait new Promise((r) => setTimeout(r, "+c.wait+"))\nreturn 'the end'")
			cmd := exec.Command(s.binary, "run", s.home+"/flood.js", "--home", s.home, "--model", "sim", "--trust")
			seat := &seat{t: t, cmd: cmd}
			master, slave, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer master.Close()
			defer slave.Close()
			seat.master = master
			cmd.Dir, cmd.Env = s.repo, append(os.Environ(), "TERM=xterm")
			cmd.Stdin, cmd.Stderr, cmd.Stdout = slave, slave, &seat.stdout
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill() // it has usually ended
			if c.key != "" {
				seat.hushed(true)
				for n := 0; n < 3000; {
					n = 0
					for range records(s) {
						n++
					}
					time.Sleep(20 * time.Millisecond) // polls a file that another process writes
				}
				seat.key(c.key)
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				_ = cmd.Wait()
			}()
			select {
			case <-done:
			case <-time.After(30 * time.Second):
				t.Fatal("the run did not end")
			}
			if code := cmd.ProcessState.ExitCode(); code != c.code || c.code == exitOK && seat.stdout.String() != "the end\n" {
				t.Errorf("exit code %d, stdout %q", code, seat.stdout.String())
			}
			if m := seat.modes(); m != unix.ECHO|unix.ICANON|unix.ISIG {
				t.Errorf("the terminal is left in modes %x", m)
			}
		})
	}
}

// TestPlainTerminals has lines where a picture cannot be, and a picture without
// colour where none is wanted; it fits into twenty columns.
func TestPlainTerminals(t *testing.T) {
	s := newSite(t)
	script := strings.Replace(twoPhases, "WAIT", "1", 1)
	c := sit(s, script, pty.Winsize{Rows: 40, Cols: 80}, []string{"TERM=dumb"})
	if _, text := c.end(); !strings.Contains(text, "start     #2 the slow one [Check]") || strings.Contains(c.raw.String(), "\x1b[?25l") {
		t.Errorf("on a dumb terminal:\n%s", text)
	}
	c = sit(s, script, pty.Winsize{Rows: 40, Cols: 80}, []string{"TERM=xterm"}, "--verbose")
	if _, text := c.end(); !strings.Contains(text, "call      #2 the slow one [Check]: bash sleep 1") || !strings.Contains(text, "prompt    #2 the slow one [Check]: slow @@mock") {
		t.Errorf("verbose:\n%s", text)
	}
	script = strings.Replace(twoPhases, "sleep WAIT", untilGo, 1)
	c = sit(s, script, pty.Winsize{Rows: 24, Cols: 20}, []string{"TERM=xterm-256color", "NO_COLOR=1"})
	c.await("● #2 the")
	s.write("repo", "go", "")
	c.end()
	for _, colour := range []string{"\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[2m"} {
		if strings.Contains(c.raw.String(), colour) {
			t.Errorf("%q in %q", colour, c.raw.String())
		}
	}
}
