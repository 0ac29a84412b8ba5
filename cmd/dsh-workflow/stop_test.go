//go:build unix

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dsh-go/dsh-workflow/journal"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// slowScript has one agent at a time, many times over.
const slowScript = `export const meta = { name: 'slow', description: 'd' }
for (let i = 0; i < 1000; i++) { await agent('say ' + i); await new Promise((f) => setTimeout(f, 20)) }`

// detached starts the script in a process of its own and returns the run's id.
func (s *site) detached() string {
	s.t.Helper()
	s.write("repo", "slow.js", slowScript)
	cmd := exec.Command(s.binary, "run", "slow.js", "--model", "sim", "--detach", "--home", s.home)
	cmd.Dir = s.repo
	// Stdout is a pipe that is read to its end: whoever went on must not hold it.
	out, err := cmd.Output()
	id := strings.TrimSpace(string(out))
	if err != nil || !strings.HasPrefix(id, "wf_") || strings.Contains(id, "\n") {
		s.t.Fatalf("%q, %v", out, err)
	}
	s.t.Cleanup(func() {
		h := journal.NewDir(filepath.Join(s.home, "workflow", "runs"), journal.Options{})
		if owner, writing := h.Writing(workflow.RunID(id)); writing {
			_ = syscall.Kill(owner.PID, syscall.SIGKILL)
		}
	})
	return id
}

func TestDetachPauseResumeStop(t *testing.T) {
	s := newSite(t)
	id := s.detached()
	h := journal.NewDir(filepath.Join(s.home, "workflow", "runs"), journal.Options{})
	owner, writing := h.Writing(workflow.RunID(id))
	if !writing || owner.Socket == "" {
		t.Fatalf("nobody runs it: %+v", owner)
	}
	// The terminal goes away; the run does not.
	if sid, err := unix.Getsid(owner.PID); err != nil || sid != owner.PID {
		t.Errorf("session %d of process %d, %v", sid, owner.PID, err)
	}
	if out, errs, code := s.command("pause", id); code != 0 || out != id+" paused\n" {
		t.Errorf("pause: %d %q %q", code, out, errs)
	}
	if out, _, _ := s.command("pause", "last"); out != id+" paused already\n" {
		t.Errorf("pause again: %q", out)
	}
	started := func() (n int) {
		for r, err := range h.Records(workflow.RunID(id)) {
			if _, ok := r.Fact.(workflow.AgentStarted); ok && err == nil {
				n++
			}
		}
		return n
	}
	before := started()
	time.Sleep(300 * time.Millisecond) // some fifteen agents would have started
	if now := started(); now > before+1 {
		t.Errorf("%d agents started in the pause", now-before)
	}
	if out, _, _ := s.command("runs", "list"); !strings.Contains(out, "  paused  ") {
		t.Errorf("the list says\n%s", out)
	}
	if out, errs, code := s.command("resume", id); code != 0 || out != id+" running\n" {
		t.Errorf("resume: %d %q %q", code, out, errs)
	}
	if _, errs, code := s.command("resume", id); code != exitInvalid || !strings.Contains(errs, "running, and not paused") {
		t.Errorf("resume again: %d %q", code, errs)
	}
	if _, errs, code := s.command("runs", "rm", id); code != exitInvalid || !strings.Contains(errs, "is running") {
		t.Errorf("rm of a run: %d %q", code, errs)
	}
	if out, errs, code := s.command("stop", id, "--reason", "wrong branch"); code != 0 || out != id+" cancelled\n" {
		t.Errorf("stop: %d %q %q", code, out, errs)
	}
	if out, _, _ := s.command("runs", "show", id); !strings.Contains(out, "stopped: wrong branch") {
		t.Errorf("the run says\n%s", out)
	}
	if _, errs, code := s.command("stop", id); code != exitInvalid || !strings.Contains(errs, "is not running: it is cancelled") {
		t.Errorf("stop again: %d %q", code, errs)
	}
}

func TestDetachTellsWhatIsInvalid(t *testing.T) {
	s := newSite(t)
	if out, errs, code := s.command("run", "nothing.js", "--model", "sim", "-d"); code != exitInvalid || out != "" || !strings.Contains(errs, "nothing.js does not exist") {
		t.Errorf("%d %q %q", code, out, errs)
	}
}
