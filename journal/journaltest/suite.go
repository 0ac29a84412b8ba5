package journaltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/meta"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/workflow"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Store is what the suite needs: a store that can be read.
type Store interface {
	workflow.Store
	Script(id workflow.RunID) ([]byte, error)
	Result(id workflow.RunID) (workflow.Result, bool, error)
	Records(id workflow.RunID) iter.Seq2[workflow.Record, error]
}

// Header returns a header with every member set.
func Header(id workflow.RunID) workflow.Header {
	return workflow.Header{
		RunID: id, Format: workflow.FormatVersion, Engine: "test", Meta: meta.Meta{Name: "n", Description: "d"}, Args: json.RawMessage(`{"b":1,"a":[1.50]}`),
		Root: "/srv/app", Cwd: "/srv/app/sub", Parent: "wf_parent", Depth: 1, Model: "m", Effort: "high", Launch: json.RawMessage(`{"x":1}`), ForkOf: "wf_first", Strict: true, Limits: workflow.Limits{Agents: 3}, CreatedAt: 1_700_000_000_123,
	}
}

// Records returns records of every type, numbered from first on.
func Records(first int) []workflow.Record {
	facts := []workflow.Fact{
		workflow.RunStarted{Format: 1, Engine: "test", Name: "n", Phases: []string{"a", "b"}, Strict: true, Agents: 3, AtOnce: 2, Version: "1"},
		workflow.RunResumed{
			RunStarted: workflow.RunStarted{Format: 1, Engine: "test", Name: "n", Phases: []string{"a"}, Agents: 3, AtOnce: 2, Version: "1"},
			Last:       workflow.StatusInterrupted, Mode: workflow.ResumeAny, Script: "script-2.js", ArgsSet: true, Args: json.RawMessage(`[1.50]`),
		},
		workflow.PhaseEntered{Title: "a <b>"}, workflow.Logged{Level: "info", Message: "line\nline\u2028é", Line: 3},
		workflow.Warned{Code: "W", Message: "careful", Line: 1, Column: 2},
		workflow.AgentQueued{Seq: 1, Label: "l", Phase: new("a"), Key: "k1:00", Occ: 1, Model: "m"}, workflow.AgentStarted{Seq: 1, Child: "c"},
		workflow.AgentRetried{Seq: 1, Attempt: 2, Code: "TIMEOUT", Message: "slow"},
		workflow.AgentEnded{Seq: 1, Child: "c", Outcome: subagent.Completed, Key: "k1:00", Value: json.RawMessage(`{"z":1,"a":[1.50,null]}`),
			Usage: llm.Usage{InputTokens: 1, OutputTokens: 2}, Attempts: 2, MS: 5},
		workflow.AgentEnded{Seq: 3, Child: "c", Outcome: subagent.Completed, Key: "k1:00", ValueRef: 8, Attempts: 2, MS: 5},
		workflow.AgentRefused{Seq: 2, Label: "l", Code: "AGENT_CAP", Message: "enough"}, workflow.TimerFired{Timer: 1, MS: 1.5},
		workflow.LimitReached{Code: "AGENT_CAP", Message: "enough"},
		workflow.Unknown{Type: "FromTomorrow", Raw: json.RawMessage(`{"x":[1.50]}`)},
		workflow.RunEnded{Status: workflow.StatusCompleted, Agents: workflow.Census{Started: 1, Completed: 1}, MS: 9},
	}
	records := make([]workflow.Record, 0, len(facts))
	for i, fact := range facts {
		records = append(records, workflow.Record{N: first + i, Time: time.UnixMilli(1_700_000_000_000 + int64(i)), Fact: fact})
	}
	return records
}

// Run tests the stores that open makes; each call of open gives an empty one.
func Run(t *testing.T, open func(t *testing.T) Store) {
	for name, test := range map[string]func(*testing.T, Store){
		"records": records, "result": result, "script": script, "ids": ids, "unknown": unknown, "closed": closed, "many": many,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// Read returns the records of a run and fails on anything else.
func Read(t testing.TB, s Store, id workflow.RunID) []workflow.Record {
	t.Helper()
	var all []workflow.Record
	for record, err := range s.Records(id) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, record)
	}
	return all
}

func create(t *testing.T, s Store, id workflow.RunID) workflow.Journal {
	t.Helper()
	j, err := s.Create(t.Context(), Header(id), []byte("return 1"))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func shut(t *testing.T, j workflow.Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}

// records: batches come back in order, synced or not, while the run is open and
// afterwards.
func records(t *testing.T, s Store) {
	j := create(t, s, "wf_a")
	if got := Read(t, s, "wf_a"); len(got) > 0 {
		t.Errorf("a new run has %d records", len(got))
	}
	var want []workflow.Record
	for _, sync := range []bool{true, false, false, true, false} {
		batch := Records(len(want) + 1)
		if err := j.Append(batch, sync); err != nil {
			t.Fatal(err)
		}
		want = append(want, batch...)
		if d := cmp.Diff(want, Read(t, s, "wf_a"), cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
	}
	if err := j.Append(nil, true); err != nil {
		t.Error("empty batch:", err)
	}
	shut(t, j)
	if d := cmp.Diff(want, Read(t, s, "wf_a"), cmpopts.EquateEmpty()); d != "" {
		t.Error("after Close:", d)
	}
}

func result(t *testing.T, s Store) {
	j := create(t, s, "wf_a")
	if _, ok, err := s.Result("wf_a"); ok || err != nil {
		t.Errorf("a result before the end: %v, %v", ok, err)
	}
	id := workflow.RunID("wf_a")
	for _, status := range []workflow.Status{workflow.StatusLimit, workflow.StatusCompleted} {
		want := workflow.Result{SchemaVersion: 1, RunID: &id, Name: "n", Status: status, Value: json.RawMessage(`{"z":1,"a":"<"}`),
			Failures: []workflow.AgentFailure{{Seq: 1, Code: "X"}}, Warnings: []workflow.Warning{}}
		if err := j.Finish(want); err != nil {
			t.Fatal(err)
		}
		got, ok, err := s.Result("wf_a")
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		if d := cmp.Diff(want, got, sameJSON()); d != "" {
			t.Error(d)
		}
	}
	if err := j.Append(Records(1), true); err != nil {
		t.Error("append after Finish:", err)
	}
	shut(t, j)
}

// sameJSON compares raw JSON by what it says: characters may be escaped.
func sameJSON() cmp.Option {
	return cmp.Comparer(func(a, b json.RawMessage) bool {
		var x, y any
		return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && cmp.Equal(x, y)
	})
}

func script(t *testing.T, s Store) {
	text := []byte("\ufeffreturn 1\r\n\x00\xff")
	j, err := s.Create(t.Context(), Header("wf_a"), text)
	if err != nil {
		t.Fatal(err)
	}
	shut(t, j)
	got, err := s.Script("wf_a")
	if err != nil || string(got) != "\ufeffreturn 1\r\n\x00\xff" {
		t.Errorf("got %q, %v", got, err)
	}
}

func ids(t *testing.T, s Store) {
	shut(t, create(t, s, "wf_a"))
	_, err := s.Create(t.Context(), Header("wf_a"), nil)
	expect(t, "the same id again", err, "RUN_EXISTS")
	if got, err := s.Script("wf_a"); err != nil || string(got) != "return 1" {
		t.Errorf("the first run was changed: %q, %v", got, err)
	}
	for _, id := range []workflow.RunID{"", ".", "..", "../x", "a/b", "/x", `a\b`, ".hidden"} {
		_, err := s.Create(t.Context(), Header(id), nil)
		expect(t, fmt.Sprintf("id %q", id), err, "INVALID_RUN_ID")
	}
}

func unknown(t *testing.T, s Store) {
	_, err := s.Script("wf_x")
	expect(t, "script", err, "UNKNOWN_RUN")
	_, ok, err := s.Result("wf_x")
	expect(t, "result", err, "UNKNOWN_RUN")
	if ok {
		t.Error("there is a result")
	}
	n := 0
	for _, err := range s.Records("wf_x") {
		expect(t, "records", err, "UNKNOWN_RUN")
		n++
	}
	if n != 1 {
		t.Errorf("%d answers", n)
	}
}

func closed(t *testing.T, s Store) {
	j := create(t, s, "wf_a")
	shut(t, j)
	shut(t, j)
	expect(t, "append", j.Append(Records(1), true), "JOURNAL_CLOSED")
	expect(t, "finish", j.Finish(workflow.Result{}), "JOURNAL_CLOSED")
}

// many: runs do not disturb each other.
func many(t *testing.T, s Store) {
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			id := workflow.RunID(fmt.Sprint("wf_", i))
			j, err := s.Create(t.Context(), Header(id), []byte(id))
			if err != nil {
				t.Error(err)
				return
			}
			for n := range i + 1 {
				record := workflow.Record{N: n + 1, Time: time.UnixMilli(0), Fact: workflow.Logged{Message: string(id)}}
				if err := j.Append([]workflow.Record{record}, n%2 == 0); err != nil {
					t.Error(err)
				}
			}
			if err := j.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for i := range 8 {
		id := workflow.RunID(fmt.Sprint("wf_", i))
		got := Read(t, s, id)
		if len(got) != i+1 || got[i].Fact != (workflow.Logged{Message: string(id)}) {
			t.Errorf("%s: %v", id, got)
		}
	}
}

// expect checks the code of an error.
func expect(t *testing.T, what string, err error, code string) {
	t.Helper()
	var coded interface{ Code() string }
	if !errors.As(err, &coded) || coded.Code() != code {
		t.Errorf("%s: got %v, want code %s", what, err, code)
	}
}
