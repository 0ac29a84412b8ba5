package workflow

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/vm"
)

// everyFact has one value of each type of fact, with every member set.
var everyFact = []struct {
	tag  string
	fact Fact
}{
	{"RunStarted", RunStarted{Format: 1, Engine: "v1", Name: "n", Phases: []string{"a"}, Strict: true, Agents: 2, AtOnce: 1, Version: "1"}},
	{"RunResumed", RunResumed{
		RunStarted: RunStarted{Format: 1, Engine: "v1", Name: "n", Phases: []string{"a"}, Strict: true, Agents: 2, AtOnce: 1, Version: "1"},
		Last:       StatusInterrupted, Mode: ResumeAny, Script: "script-2.js", ArgsSet: true, Args: json.RawMessage(`[1]`), Root: "/r", Cwd: "/r/c",
		Limits: Limits{Agents: 2}, Launch: json.RawMessage(`{"model":"m"}`), From: "wf_x", Set: 3, Skip: []Seq{4},
	}},
	{"PhaseEntered", PhaseEntered{Title: "t"}},
	{"Logged", Logged{Level: "info", Message: "m <&>", Line: 3}},
	{"Warned", Warned{Code: "C", Message: "m", Line: 1, Column: 2}},
	{"AgentQueued", AgentQueued{Seq: 1, Label: "l", Phase: new("p"), Key: "k1:x", Occ: 2, Model: "m"}},
	{"AgentStarted", AgentStarted{Seq: 1, Child: "c"}},
	{"AgentRetried", AgentRetried{Seq: 1, Attempt: 2, Code: "TIMEOUT", Message: "m"}},
	{"AgentEnded", AgentEnded{
		Seq: 1, Child: "c", Outcome: subagent.Failed, Key: "k1:x", Occ: 2, Value: json.RawMessage(`{"b":1,"a":1.0}`), Text: "t",
		Usage: llm.Usage{InputTokens: 1, OutputTokens: 2}, Attempts: 3, Error: &subagent.Failure{Code: "X", Message: "y"}, MS: 4, Repaired: 1, Degraded: true,
		ValueRef: 7, Given: true, CostUSD: new(0.5),
	}},
	{"AgentRefused", AgentRefused{Seq: 1, Label: "l", Code: "C", Message: "m"}},
	{"TimerFired", TimerFired{Timer: 4, MS: 1.5}},
	{"RunPaused", RunPaused{Reason: "lunch"}},
	{"RunContinued", RunContinued{}},
	{"LimitReached", LimitReached{Code: "AGENT_CAP", Message: "m"}},
	{"RunEnded", RunEnded{Status: StatusFailed, Error: &Fault{Code: "C", Message: "m", Position: &vm.Position{Line: 1, Column: 2}}, Agents: Census{Started: 1, Failed: 1}, MS: 5}},
	{"CheckpointAnswered", Unknown{Type: "CheckpointAnswered", Raw: json.RawMessage(`{"later":[1]}`)}},
}

func TestRecordsRoundTrip(t *testing.T) {
	if len(everyFact)-1 != len(decoders) {
		t.Errorf("%d facts tested of %d", len(everyFact)-1, len(decoders))
	}
	for i, c := range everyFact {
		in := Record{N: i + 1, Time: time.UnixMilli(1_700_000_000_123), Fact: c.fact}
		b, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var raw struct{ Type string }
		if err := json.Unmarshal(b, &raw); err != nil || raw.Type != c.tag {
			t.Errorf("tag %q, want %q", raw.Type, c.tag)
		}
		var out Record
		if err := json.Unmarshal(b, &out); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(in, out); d != "" {
			t.Errorf("%s:\n%s", c.tag, d)
		}
	}
}

func FuzzRecord(f *testing.F) {
	for _, c := range everyFact {
		b, err := json.Marshal(Record{N: 1, Time: time.UnixMilli(5), Fact: c.fact})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"n":1,"type":"AgentEnded","data":null}`))
	f.Add([]byte(`{"n":1,"type":"AgentEnded"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r Record
		if json.Unmarshal(b, &r) != nil {
			return
		}
		again, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("a record that was read cannot be written: %v", err)
		}
		var s Record
		if err := json.Unmarshal(again, &s); err != nil {
			t.Fatalf("a record that was written cannot be read: %v", err)
		}
	})
}
