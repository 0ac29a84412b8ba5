package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh-workflow/journal"
	"github.com/dsh-go/dsh-workflow/meta"
	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// shelf is a home with runs that the test itself writes.
type shelf struct {
	t     *testing.T
	home  string
	store *journal.Dir
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	home := t.TempDir()
	return &shelf{t, home, journal.NewDir(filepath.Join(home, "workflow", "runs"), journal.Options{})}
}

// open begins a run that this process writes to until it is closed.
func (s *shelf) open(id, name string, age time.Duration) workflow.Journal {
	s.t.Helper()
	j, err := s.store.Create(context.Background(), workflow.Header{
		RunID: workflow.RunID(id), Format: workflow.FormatVersion, Meta: meta.Meta{Name: name, Description: "d"},
		Root: s.home, Cwd: s.home, CreatedAt: time.Now().Add(-age).UnixMilli(),
	}, []byte("return 1"))
	if err != nil {
		s.t.Fatal(err)
	}
	return j
}

// write appends facts under the numbers from first on.
func (s *shelf) write(j workflow.Journal, first int, facts ...workflow.Fact) {
	s.t.Helper()
	var records []workflow.Record
	for i, f := range facts {
		records = append(records, workflow.Record{N: first + i, Time: time.Now(), Fact: f})
	}
	if err := j.Append(records, true); err != nil {
		s.t.Error(err)
	}
}

func (s *shelf) close(j workflow.Journal) {
	s.t.Helper()
	if err := j.Close(); err != nil {
		s.t.Error(err)
	}
}

// dsh runs a command line and returns its exit code and both streams.
func (s *shelf) dsh(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(s.env(&out, &errs, args))
	return code, out.String(), errs.String()
}

func (s *shelf) env(stdout, stderr io.Writer, args []string) env {
	return env{args: append(args, "--home", s.home), dir: s.home, home: s.home, stdin: strings.NewReader(""), stdout: stdout, stderr: stderr}
}

func begun(name string) []workflow.Fact {
	return []workflow.Fact{
		workflow.RunStarted{Format: 1, Name: name},
		workflow.AgentQueued{Seq: 1, Label: "one", Phase: new("P")},
		workflow.AgentStarted{Seq: 1, Child: "c1"},
		workflow.AgentEnded{Seq: 1, Child: "c1", Outcome: subagent.Failed, Error: &subagent.Failure{Code: "TIMEOUT", Message: "slow"}},
		workflow.AgentQueued{Seq: 2, Label: "two"},
		workflow.AgentStarted{Seq: 2, Child: "c2"},
	}
}

func expect(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), p) {
			t.Errorf("no %q in\n%s", p, text)
		}
	}
}

// TestRunsTellLiveFromDead has a run with a writer, one whose writer is gone, and
// one whose lock names a process that lives but is another one by now.
func TestRunsTellLiveFromDead(t *testing.T) {
	s := newShelf(t)
	live := s.open("wf_3", "live", 0)
	s.write(live, 1, begun("live")...)
	for id, name := range map[string]string{"wf_1": "gone", "wf_2": "reused"} {
		j := s.open(id, name, 0)
		s.write(j, 1, begun(name)...)
		s.close(j)
	}
	lock := fmt.Sprintf(`{"pid":%d}`, os.Getpid())
	if err := os.WriteFile(filepath.Join(s.store.Path("wf_2"), "lock"), []byte(lock), 0o600); err != nil {
		t.Fatal(err)
	}
	_, out, _ := s.dsh("runs")
	expect(t, out, "running 0 1 live", "interrupted 0 1 gone", "interrupted 0 1 reused")
	if strings.Index(out, "wf_3") > strings.Index(out, "wf_2") || strings.Index(out, "wf_2") > strings.Index(out, "wf_1") {
		t.Errorf("not newest first:\n%s", out)
	}
	_, out, _ = s.dsh("runs", "show", "wf_1")
	expect(t, out, "status interrupted", "failed #1 one: slow (TIMEOUT)", "#1 failed one [P] TIMEOUT c1", "#2 unfinished two c2", "2 started: 0 completed, 1 failed")

	code, _, errs := s.dsh("runs", "rm", "wf_1", "last")
	if code != exitInvalid {
		t.Errorf("exit code %d", code)
	}
	expect(t, errs, "run wf_3 is running", "nothing was removed")
	if code, out, errs = s.dsh("runs", "gc", "--keep", "1"); code != exitOK {
		t.Errorf("exit code %d: %s", code, errs)
	}
	expect(t, out, "removed wf_1,")
	if ids, err := s.store.Runs(); err != nil || len(ids) != 2 {
		t.Errorf("%v, %v", ids, err)
	}
	s.close(live)
}

func TestRunsByAge(t *testing.T) {
	s := newShelf(t)
	for id, age := range map[string]time.Duration{"wf_1": 40 * 24 * time.Hour, "wf_2": 3 * time.Hour} {
		j := s.open(id, "n", age)
		if err := j.Finish(workflow.Result{Status: workflow.StatusCompleted}); err != nil {
			t.Fatal(err)
		}
		s.close(j)
	}
	outside := filepath.Join(s.home, "keep.txt")
	if err := os.WriteFile(outside, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(s.store.Path("wf_1"), "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.home, filepath.Join(s.home, "workflow", "runs", "wf_0")); err != nil {
		t.Fatal(err)
	}
	_, out, _ := s.dsh("runs", "gc", "--older-than", "30d", "--dry-run")
	expect(t, out, "would remove wf_1,")
	if ids, _ := s.store.Runs(); len(ids) != 2 {
		t.Errorf("a dry run left %v", ids)
	}
	size, err := s.store.Size("wf_1")
	if err != nil {
		t.Fatal(err)
	}
	_, out, _ = s.dsh("runs", "gc", "--older-than", "30d")
	expect(t, out, fmt.Sprintf("removed wf_1, %d bytes", size))
	if ids, _ := s.store.Runs(); len(ids) != 1 || ids[0] != "wf_2" {
		t.Errorf("left: %v", ids)
	}
	for _, bad := range []string{"wf_0", "..", "../runs/wf_2", ".", "", "/", "wf_2/"} {
		if code, _, _ := s.dsh("runs", "rm", bad); code != exitInvalid {
			t.Errorf("rm %q: exit code %d", bad, code)
		}
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "kept" {
		t.Errorf("%q, %v", b, err)
	}
}

func TestAges(t *testing.T) {
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "2w": 336 * time.Hour, "90m": 90 * time.Minute, "0d": 0} {
		if got, err := parseAge(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "-1d", "1.5d", "-3h", "99999999999999d", "soon"} {
		if got, err := parseAge(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestLogsTellDamage reads a journal with a torn end and with a record of a
// later version, whose texts want to steer the terminal.
func TestLogsTellDamage(t *testing.T) {
	s := newShelf(t)
	j := s.open("wf_1", "n\x1b[2J", 0)
	s.write(j, 1, workflow.RunStarted{Format: 1, Name: "n\x1b[2J"})
	s.close(j)
	file, err := os.OpenFile(filepath.Join(s.store.Path("wf_1"), "journal.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"n":2,"time":1,"type":"Later","data":{}}` + "\n" + `{"n":3,"ti`); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	code, out, errs := s.dsh("logs", "wf_")
	if code != exitOK {
		t.Errorf("exit code %d", code)
	}
	expect(t, out, "run n[2J started")
	expect(t, errs, "record 2 is of the unknown type Later", "journal line 3: ", "was interrupted")
	_, list, _ := s.dsh("runs")
	_, shown, _ := s.dsh("runs", "show", "last")
	expect(t, shown, "unknown type Later", "journal line 3: ")
	if all := out + errs + list + shown; strings.Contains(all, "\x1b") {
		t.Errorf("an escape in %q", all)
	}
}

// TestLogsFollow follows a run that goes on after the reader has begun.
func TestLogsFollow(t *testing.T) {
	s := newShelf(t)
	j := s.open("wf_1", "n", 0)
	s.write(j, 1, begun("n")...)
	_, out, errs := s.dsh("logs", "last")
	expect(t, out, "start #2 two")
	expect(t, errs, "is running; -f follows it")

	read, write := io.Pipe()
	done := make(chan int, 1)
	go func() {
		var stderr bytes.Buffer
		done <- run(s.env(write, &stderr, []string{"logs", "last", "-f"}))
		write.Close()
	}()
	var text strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(text.String(), "two") { // only now goes the run on
		n, err := read.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(buf[:n])
	}
	s.write(j, 7, workflow.Logged{Level: "info", Message: "later"})
	s.write(j, 8, workflow.RunEnded{Status: workflow.StatusWithFailed})
	rest, err := io.ReadAll(read)
	if err != nil {
		t.Fatal(err)
	}
	text.Write(rest)
	s.close(j)
	if code := <-done; code != exitOK {
		t.Errorf("exit code %d", code)
	}
	expect(t, text.String(), "log later", "end completed_with_failures")
	if n := strings.Count(text.String(), "start"); n != 3 {
		t.Errorf("a record was printed twice or not at all:\n%s", text.String())
	}
}

// TestTailPrintsOnce reads a journal again that has grown meanwhile.
func TestTailPrintsOnce(t *testing.T) {
	s := newShelf(t)
	j := s.open("wf_1", "n", 0)
	defer s.close(j)
	var out, errs bytes.Buffer
	tail := &tail{env: s.env(&out, &errs, nil), text: observe.NewText(&out)}
	for n := 1; n <= 3; n++ {
		s.write(j, n+n/3, workflow.Logged{Level: "info", Message: fmt.Sprintf("m%d", n)}) // 1, 2, 4
		for range 2 {
			if err := tail.read(history{s.store}, "wf_1", true); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, want := out.String(), "log       m1\nlog       m2\nlog       m3\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if n := strings.Count(errs.String(), "record 4 where 3 was expected"); n != 1 {
		t.Errorf("the gap is told %d times: %s", n, errs.String())
	}
}
