package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// TestAgentLogFollows follows an agent that goes on after the reader has begun.
func TestAgentLogFollows(t *testing.T) {
	s := newShelf(t)
	j := s.open("wf_1", "n", 0)
	s.write(j, 1, begun("n")...)
	header := session.Header{ID: "c2"}
	sink, err := session.OpenFile(filepath.Join(s.store.Path("wf_1"), "sessions", "c2.jsonl"), header)
	if err != nil {
		t.Fatal(err)
	}
	log, err := session.New(header, session.Options{Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	add := func(events ...session.Data) {
		for _, e := range events {
			if _, err := log.Append(e); err != nil {
				t.Error(err)
			}
		}
		if err := log.Flush(t.Context()); err != nil {
			t.Error(err)
		}
	}
	task := llm.Message{ID: "m1", Role: llm.RoleUser, Source: llm.Source{Kind: llm.SourceUser}, Content: []llm.Block{llm.Text{Text: "the task"}}}
	add(session.TurnStart{Turn: 1}, session.UserMessage{Message: task})
	_, out, errs := s.dsh("logs", "last", "2")
	expect(t, out, "user the task")
	expect(t, errs, "agent #2 is running; -f follows it")

	read, write := io.Pipe()
	done := make(chan int, 1)
	go func() {
		var stderr bytes.Buffer
		done <- run(s.env(write, &stderr, []string{"logs", "last", "c2", "-f"}))
		write.Close()
	}()
	first := make([]byte, len("user      the task\n"))
	if _, err := io.ReadFull(read, first); err != nil {
		t.Fatal(err)
	}
	add(session.TurnEnd{Turn: 1, Reason: session.EndReason{Kind: session.EndCompleted}})
	s.write(j, 7, workflow.AgentEnded{Seq: 2, Child: "c2", Outcome: subagent.Completed})
	rest, err := io.ReadAll(read)
	if err != nil || string(rest) != "end       completed\n" {
		t.Errorf("%q, %v", rest, err)
	}
	if code := <-done; code != exitOK {
		t.Errorf("exit code %d", code)
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	s.close(j)
}

// TestLogsStayInTheRun has a journal whose child leads out of the run's folder.
func TestLogsStayInTheRun(t *testing.T) {
	s := newShelf(t)
	j := s.open("wf_1", "n", 0)
	s.write(j, 1, workflow.AgentStarted{Seq: 1, Child: "../../../secret"})
	s.close(j)
	if err := os.WriteFile(filepath.Join(s.home, "secret.jsonl"), []byte(`{"type":"session","version":0,"id":"x","createdAt":1,"delegationDepth":0}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, errs := s.dsh("logs", "last", "1")
	if code != exitFailed || !strings.Contains(errs, "no plain name") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// closed is a reader that has gone away.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestFollowingEndsWithItsReader(t *testing.T) {
	s := newShelf(t)
	j := s.open("wf_1", "n", 0)
	s.write(j, 1, begun("n")...)
	var stderr bytes.Buffer
	if code := run(s.env(closed{}, &stderr, []string{"logs", "last", "-f"})); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	s.close(j)
}

// TestLooksAreNoWriters has many readers look at a dead run at once.
func TestLooksAreNoWriters(t *testing.T) {
	s := newShelf(t)
	j := s.open("wf_1", "n", 0)
	s.close(j)
	if err := os.WriteFile(filepath.Join(s.store.Path("wf_1"), "lock"), []byte(`{"pid":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	h := history{s.store}
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for range 200 {
				if _, writing := h.Writing("wf_1"); writing {
					t.Error("a reader was taken for a writer")
				}
			}
		})
	}
	readers.Wait()
}

// TestAgentsAreFound: a number is that of a call and never the beginning of an id.
func TestAgentsAreFound(t *testing.T) {
	s := newShelf(t)
	j := s.open("wf_1", "n", 0)
	s.write(j, 1,
		workflow.AgentStarted{Seq: 1, Child: "9a"}, workflow.AgentStarted{Seq: 2, Child: "9b"},
		workflow.AgentStarted{Seq: 3, Child: "1c"}, workflow.AgentQueued{Seq: 4, Label: "waits"})
	s.close(j)
	p := history{s.store}.whole("wf_1")
	for word, want := range map[string]workflow.Seq{"1": 1, "#3": 3, "9b": 2, "1c": 3, "9": 0, "4": 0, "": 0, "x": 0, "-1": 0} {
		a, err := agentOf(p, word)
		switch {
		case want == 0 && codeOf(err) != exitInvalid:
			t.Errorf("%q: %v, %v", word, a, err)
		case want != 0 && (err != nil || a.Seq != want):
			t.Errorf("%q: %v, %v", word, a, err)
		}
	}
}
