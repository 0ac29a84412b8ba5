package session

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/google/go-cmp/cmp"
)

func user(id, text string) UserMessage {
	return UserMessage{Message: llm.Message{ID: id, Role: llm.RoleUser, Source: llm.Source{Kind: llm.SourceUser},
		Content: []llm.Block{llm.Text{Text: text}}}}
}

func TestSmoke(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "s.jsonl")
	h := Header{ID: "s1", Cwd: "/x"}
	sink, err := OpenFile(path, h)
	if err != nil {
		t.Fatal(err)
	}
	l, err := New(h, Options{Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []Data{TurnStart{1}, user("m1", "hi <b>\xff"), StepStart{1, 1}, AssistantChunk{1, 1, llm.TextDelta{Text: "x"}}} {
		if _, err := l.Append(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, events, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(l.Events(0), events); d != "" {
		t.Error(d)
	}
}
