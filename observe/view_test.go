package observe

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/vm"
	"github.com/dsh-go/dsh-workflow/workflow"
)

var update = flag.Bool("update", false, "write golden files")

// history is a run in which everything happens once.
func history() []workflow.Record {
	facts := []workflow.Fact{
		workflow.RunStarted{Format: 1, Name: "demo\x1b[31m"},
		workflow.Warned{Code: "META_MISSING", Message: "no meta"},
		workflow.PhaseEntered{Title: "Find"},
		workflow.Logged{Level: "info", Message: "two lines\nof log"},
		workflow.Logged{Level: "error", Message: "\u202ereversed\u0007"},
		workflow.AgentQueued{Seq: 1, Label: "first", Phase: new("Find"), Model: "m"},
		workflow.AgentQueued{Seq: 2, Label: "second"},
		workflow.AgentQueued{Seq: 3, Label: "third", Phase: new("Find")},
		workflow.AgentQueued{Seq: 4, Label: "fourth"},
		workflow.AgentStarted{Seq: 1, Child: "c1"},
		workflow.AgentStarted{Seq: 2, Child: "c2"},
		workflow.AgentStarted{Seq: 3, Child: "c3"},
		workflow.AgentRetried{Seq: 2, Attempt: 2, Code: "TIMEOUT", Message: "silent for 3m"},
		workflow.TimerFired{Timer: 1},
		workflow.AgentEnded{Seq: 1, Child: "c1", Outcome: subagent.Completed, MS: 1234, Usage: llm.Usage{OutputTokens: 12}},
		workflow.AgentEnded{Seq: 2, Child: "c2", Outcome: subagent.Failed, MS: 61_500, Error: &subagent.Failure{Code: "SERVER", Message: "the model answered 500"}},
		workflow.LimitReached{Code: "AGENT_CAP", Message: "cap"},
		workflow.AgentRefused{Label: "fifth", Code: "AGENT_CAP", Message: "cap"},
		workflow.AgentEnded{Seq: 3, Child: "c3", Outcome: subagent.Cancelled, MS: 5, Error: &subagent.Failure{Code: "CANCELLED", Message: "stop"}},
		workflow.AgentRefused{Seq: 4, Code: "NOT_STARTED", Message: "stop"},
		workflow.Unknown{Type: "Later"},
		workflow.RunEnded{Status: workflow.StatusCancelled},
	}
	out := make([]workflow.Record, len(facts))
	for i, f := range facts {
		out[i] = workflow.Record{N: i + 1, Time: time.UnixMilli(int64(1000 + i)), Fact: f}
	}
	return out
}

func TestViewFolds(t *testing.T) {
	v := NewView()
	for _, r := range history() {
		v.Apply(r)
	}
	want := map[State]int{Queued: 0, Running: 0, Completed: 1, Failed: 1, Cancelled: 1, Refused: 2}
	if d := cmp.Diff(want, v.Counts); d != "" {
		t.Error(d)
	}
	if v.Status != workflow.StatusCancelled || v.Phase != "Find" || v.Agents[2].Attempt != 2 || v.Agents[2].Code != "SERVER" {
		t.Errorf("%+v, agent 2 %+v", v, v.Agents[2])
	}
	late := NewView()
	late.Rest()
	if a := late.Apply(workflow.Record{Fact: workflow.AgentStarted{Seq: 9, Child: "c"}}); a == nil || a.State != Running {
		t.Errorf("an agent whose first record is missing: %+v", a)
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s:\n%s", name, d)
	}
}

func TestTextGolden(t *testing.T) {
	var b bytes.Buffer
	text := NewText(&b)
	for _, r := range history() {
		text.Apply(r)
	}
	golden(t, "text.golden", b.Bytes())
}

// proves: W249
func TestSummaryGolden(t *testing.T) {
	var b bytes.Buffer
	res := workflow.Result{
		Name: "demo", Status: workflow.StatusWithFailed, Agents: workflow.Census{Started: 3, Completed: 1, Failed: 1, Cancelled: 1, Refused: 2},
		Failures: []workflow.AgentFailure{{Seq: 2, Label: "second", Code: "SERVER", Message: "the model\nanswered 500", Phase: "Judge", SessionID: "c2"}},
		Warnings: []workflow.Warning{{Code: "ITEM_FAILED", Message: "an item\nfailed", Line: 7}},
		Usage:    workflow.Bill{InputTokens: 10, CachedTokens: 4, OutputTokens: 12}, DurationMS: 1500, RunID: new(workflow.RunID("wf_1")), RunDir: "/home/runs/wf_1",
	}
	Summary(&b, res, "--home /home")
	res.Usage.CostUSD, res.Failures = new(0.0042), nil
	Summary(&b, res, "")
	res.Agents = workflow.Census{Started: 2, Failed: 2}
	res.RunDir = ""
	Summary(&b, res, "")
	res.Status, res.Failures = workflow.StatusFailed, nil
	res.Error = &workflow.Fault{Code: "SCRIPT_ERROR", Message: "Error: boom\n    at workflow:demo:3:7", Position: &vm.Position{Line: 3, Column: 7}}
	Summary(&b, res, "")
	golden(t, "summary.golden", b.Bytes())
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"a\nb\tc\rd": "a b c d", "\x1b[2Jx\x07": "[2Jx", "\u200bzero\ufeff": "zero", "\xffbad": "bad",
		"0123456789X": "0123456789…", "日本語テキストです。長い": "日本語テキストです。…", "👩‍👩‍👧": "👩‍👩‍👧",
	} {
		if got := OneLine(in, 10); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", in, got, want)
		}
	}
}
