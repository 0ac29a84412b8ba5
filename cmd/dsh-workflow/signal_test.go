//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-go/dsh-workflow/journal"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// atWork is a run of the binary that has not ended.
type atWork struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout bytes.Buffer
	lines  *bufio.Scanner // of stderr
}

func (s *site) begin(script string) *atWork {
	s.t.Helper()
	s.write("home", "script.js", script)
	l := &atWork{t: s.t, cmd: exec.Command(s.binary, "run", filepath.Join(s.home, "script.js"), "--output", "json", "--trust",
		"--home", s.home, "--base-url", s.server.URL, "--model", "mock", "--concurrency", "8")}
	l.cmd.Dir = s.repo
	l.cmd.Env = append(os.Environ(), "DSH_API_KEY="+secret)
	l.cmd.Stdout = &l.stdout
	stderr, err := l.cmd.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := l.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = l.cmd.Process.Kill() }) // it has usually ended
	l.lines = bufio.NewScanner(stderr)
	return l
}

// await reads progress until a line holds each of the words, in any order.
func (l *atWork) await(words ...string) {
	l.t.Helper()
	for len(words) > 0 && l.lines.Scan() {
		for i, w := range words {
			if strings.Contains(l.lines.Text(), w) {
				words = append(words[:i], words[i+1:]...)
				break
			}
		}
	}
	if len(words) > 0 {
		l.t.Fatalf("the run ended before it said %q", words)
	}
}

// end waits for the process and returns its exit code, or -1 if a signal ended it.
func (l *atWork) end() int {
	l.t.Helper()
	for l.lines.Scan() {
		l.t.Log(l.lines.Text())
	}
	err := l.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		l.t.Fatal(err)
	}
	return l.cmd.ProcessState.ExitCode()
}

const halfDone = `
export const meta = { name: 'half', description: 'd' }
const mock = (text, ...steps) => text + ' @@mock ' + JSON.stringify(steps)
return await parallel([
  () => agent(mock('quick', { text: 'kept' }), { label: 'quick' }),
  () => agent(mock('slow', { tool: 'bash', args: { command: 'echo $$ > pid.txt; echo begun >&2; sleep 300', description: 'd' } }, { text: 'never' }), { label: 'slow' }),
  () => agent(mock('stalled', { stallMs: 100000, text: 'never' }), { label: 'stalled' }),
])`

// sleeping is the process that the slow agent's command started.
func (s *site) sleeping() int {
	s.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for time.Now().Before(deadline) {
		b, err := os.ReadFile(filepath.Join(s.repo, "pid.txt"))
		if pid, perr := strconv.Atoi(strings.TrimSpace(string(b))); err == nil && perr == nil {
			return pid
		}
		time.Sleep(10 * time.Millisecond) // polls a file that another process writes
	}
	s.t.Fatal("the command did not begin")
	return 0
}

// proves: C10
func TestSignalsCancel(t *testing.T) {
	for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		t.Run(sig.String(), func(t *testing.T) {
			s := newSite(t)
			l := s.begin(halfDone)
			l.await("done      #1 quick", "start     #2", "start     #3")
			pid := s.sleeping()
			begin := time.Now()
			if err := l.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if got := l.end(); got != code {
				t.Errorf("exit code %d, want %d", got, code)
			}
			if took := time.Since(begin); took > 10*time.Second {
				t.Errorf("the run took %s to end", took)
			}
			var res workflow.Result
			if err := json.Unmarshal(l.stdout.Bytes(), &res); err != nil {
				t.Fatal(err)
			}
			if res.Status != workflow.StatusCancelled || res.Agents.Completed != 1 || res.Agents.Cancelled != 2 {
				t.Errorf("%s %+v", res.Status, res.Agents)
			}
			if err := syscall.Kill(pid, 0); err == nil {
				t.Errorf("the command %d outlived the run", pid)
			}
		})
	}
}

// TestKillLosesNothingThatEnded ends a run with SIGKILL: what its observer saw
// ended is in the journal, whole, and the journal has no torn line.
func TestKillLosesNothingThatEnded(t *testing.T) {
	s := newSite(t)
	l := s.begin(halfDone)
	l.await("done      #1 quick", "start     #2", "start     #3")
	pid := s.sleeping()
	if err := l.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	l.end()
	_ = syscall.Kill(-pid, syscall.SIGKILL) // the command survives a killed harness; a resume would end it
	runs, err := journal.NewDir(filepath.Join(s.home, "workflow", "runs"), journal.Options{}).Runs()
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v, %v", runs, err)
	}
	var ended []string
	for rec, err := range journal.NewDir(filepath.Join(s.home, "workflow", "runs"), journal.Options{}).Records(runs[0]) {
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := rec.Fact.(workflow.AgentEnded); ok {
			ended = append(ended, fmt.Sprintf("%d %s", e.Seq, e.Value))
		}
	}
	if len(ended) != 1 || ended[0] != `1 "kept"` {
		t.Errorf("ended %q", ended)
	}
}

// TestBlockedStderrHoldsNothingUp has nobody read stderr while the run writes
// more than a pipe takes: a signal still cancels, and the result still comes.
func TestBlockedStderrHoldsNothingUp(t *testing.T) {
	s := newSite(t)
	l := s.begin(`
export const meta = { name: 'flood', description: 'd' }
for (let i = 0; i < 3000; i++) log('z'.repeat(200))
await new Promise((r) => setTimeout(r, 60000))`)
	deadline := time.Now().Add(20 * time.Second)
	for {
		logged := 0
		for rec := range records(s) {
			if _, ok := rec.Fact.(workflow.Logged); ok {
				logged++
			}
		}
		if logged == 3000 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d lines logged", logged)
		}
		time.Sleep(20 * time.Millisecond) // polls a file that another process writes
	}
	if err := l.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- l.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("the run did not end")
	}
	if code := l.cmd.ProcessState.ExitCode(); code != 130 || !bytes.Contains(l.stdout.Bytes(), []byte(`"status":"cancelled"`)) {
		t.Errorf("exit code %d, stdout %s", code, l.stdout.Bytes())
	}
}

// records yields what the journal of the site's only run holds so far.
func records(s *site) iter.Seq[workflow.Record] {
	return func(yield func(workflow.Record) bool) {
		store := journal.NewDir(filepath.Join(s.home, "workflow", "runs"), journal.Options{})
		runs, err := store.Runs()
		if err != nil || len(runs) == 0 {
			return
		}
		for rec, err := range store.Records(runs[0]) {
			if err != nil || !yield(rec) {
				return
			}
		}
	}
}

// TestSecondSignalLeavesNoProcess ends a run at once: what its agents started
// ends with it.
func TestSecondSignalLeavesNoProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux makes what detaches itself a child again")
	}
	s := newSite(t)
	l := s.begin(halfDone)
	l.await("start     #2", "start     #3")
	pid := s.sleeping()
	if err := l.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1200 * time.Millisecond)      // signals of one second count as one
	_ = l.cmd.Process.Signal(syscall.SIGINT) // the run may have ended by now, which is as good
	if code := l.end(); code != 130 {
		t.Errorf("exit code %d", code)
	}
	if err := syscall.Kill(pid, 0); err == nil {
		t.Errorf("the command %d outlived the run", pid)
	}
}
