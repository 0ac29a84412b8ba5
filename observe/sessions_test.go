package observe

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// grow opens the log of an agent and returns what appends to it.
func grow(t *testing.T, dir, id string) func(...session.Data) {
	t.Helper()
	h := session.Header{ID: id, CreatedAt: 1, Origin: "subagent"}
	sink, err := session.OpenFile(filepath.Join(dir, id+".jsonl"), h)
	if err != nil {
		t.Fatal(err)
	}
	l, err := session.New(h, session.Options{Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return func(data ...session.Data) {
		t.Helper()
		for _, d := range data {
			if _, err := l.Append(d); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSessionsAreSeenWhileTheyGrow follows two agents through their logs on disk:
// a provider that is tried again always shows, what agents do only when asked for,
// and nothing can steer the terminal or come after an agent's end.
func TestSessionsAreSeenWhileTheyGrow(t *testing.T) {
	for name, verbose := range map[string]bool{"seen.golden": false, "seen-verbose.golden": true} {
		dir := t.TempDir()
		var b bytes.Buffer
		text := NewText(&b)
		text.Verbose = verbose
		sessions := NewSessions(dir, text.See)
		apply := func(rs ...workflow.Record) {
			for _, r := range rs {
				sessions.Apply(r)
				text.Apply(r)
			}
		}
		apply(records(
			workflow.RunStarted{Name: "r"}, workflow.AgentQueued{Seq: 1, Label: "one", Phase: new("P")}, workflow.AgentQueued{Seq: 2, Label: "two"},
			workflow.AgentQueued{Seq: 3, Label: "elsewhere"},
			workflow.AgentStarted{Seq: 1, Child: "c1"}, workflow.AgentStarted{Seq: 2, Child: "c2"}, workflow.AgentStarted{Seq: 3, Child: "../c2"},
		)...)
		one, two := grow(t, dir, "c1"), grow(t, dir, "c2")
		one(session.TurnStart{Turn: 1},
			session.UserMessage{Message: llm.Message{ID: "u1", Role: llm.RoleUser, Content: []llm.Block{llm.Text{Text: "look\x1b[2J\nat it"}}, Source: llm.Source{Kind: llm.SourceUser}}},
			session.StepStart{Turn: 1, Step: 1},
			session.Retry{Turn: 1, Step: 1, Attempt: 1, DelayMS: 5000, Failure: session.Failure{Code: "RATE_LIMITED", Message: "429: slow\x1b[2J down"}})
		sessions.Look()
		sessions.Look()
		two(session.TurnStart{Turn: 1})
		one(session.RetryStarted{Turn: 1, Step: 1, Attempt: 1})
		if a := text.view.Agents[1]; a.Doing != "retry 1 in 5.0s: 429: slow\x1b[2J down (RATE_LIMITED)" {
			t.Errorf("agent 1 is at %q", a.Doing)
		}
		apply(records(workflow.AgentEnded{Seq: 1, Outcome: subagent.Completed, MS: 6000})...)
		if a := text.view.Agents[1]; a.Doing != "asking the model" {
			t.Errorf("what came last was not read before the end: %q", a.Doing)
		}
		one(session.RetryStarted{Turn: 1, Step: 1, Attempt: 1})
		sessions.Look()
		if n := len(sessions.tails); n != 1 {
			t.Errorf("%d logs are followed, want that of agent 2", n)
		}
		golden(t, name, b.Bytes())
	}
}

func TestDoing(t *testing.T) {
	for want, d := range map[string]session.Data{
		"thinking":            session.AssistantChunk{Chunk: llm.ReasoningDelta{Text: "x"}},
		"writing":             session.AssistantChunk{Chunk: llm.TextDelta{Text: "x"}},
		"read a.go":           session.ToolCall{Name: "read", Arguments: `{"limit":3,"file_path":"a.go"}`},
		"bash ls":             session.ToolCall{Name: "bash", Arguments: `{"command":"ls","description":"d"}`},
		`todo_write {"a":[]}`: session.ToolCall{Name: "todo_write", Arguments: `{ "a": [] }`},
		"odd {":               session.ToolCall{Name: "odd", Arguments: "{"},
		"":                    session.StepEnd{},
	} {
		if got := doing(session.Event{Data: d}); got != want {
			t.Errorf("%T: %q, want %q", d, got, want)
		}
	}
}
