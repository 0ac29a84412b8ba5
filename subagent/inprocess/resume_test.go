package inprocess

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/prompt"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/tool"
)

// yes is a model that agrees with everything.
type yes struct{}

func (yes) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		_ = yield(llm.TextDelta{Text: "yes"}, nil) && yield(llm.Finish{Reason: llm.FinishStop}, nil)
	}
}

// said lists the messages of a history by their last line.
func said(log *session.Log) []string {
	var out []string
	for _, m := range log.Messages() {
		var text strings.Builder
		for _, b := range m.Content {
			if b, ok := b.(llm.Text); ok {
				text.WriteString(b.Text)
			} else {
				text.WriteString("(result)")
			}
		}
		lines := strings.Split(strings.TrimSuffix(text.String(), "\n</system-reminder>"), "\n")
		out = append(out, lines[len(lines)-1])
	}
	return out
}

// drive gives an agent over a log one prompt after the other; refuse says which
// steps are refused.
func drive(t *testing.T, log *session.Log, cwd string, refuse func() bool, prompts ...string) {
	t.Helper()
	files := prompt.NewInstructions(prompt.InstructionsConfig{MaxBytes: 10_000})
	s := &spawn{cfg: Config{Instructions: func(Site) *prompt.Instructions { return files }}.withDefaults()}
	brief := s.newBriefing(Site{Cwd: cwd}, log)
	a, err := agent.New(agent.Config{
		Session: log, Model: yes{}, Route: llm.Config{Provider: "p", Model: "m"}, Place: agent.Place{Cwd: cwd},
		Hooks: agent.Hooks{PreStep: func(_ context.Context, p agent.Proposal) ([]llm.Message, error) {
			entering, err := brief.preStep(p)
			if err == nil && refuse() {
				err = agent.ErrBlocked
			}
			return entering, err
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range prompts {
		if err := a.Followup(llm.Message{Content: tool.Text(p)}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func never() bool { return false }

func project(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range files {
		path := filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(name), 0o644)
		}
		if err == nil {
			err = os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// proves: A285
func TestRefusedInstructionsEnterLaterAndOnce(t *testing.T) {
	root := project(t, ".git/config", "AGENTS.md")
	log, err := session.New(session.Header{ID: "s", Cwd: root}, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	refusals := 2
	drive(t, log, root, func() bool { refusals--; return refusals >= 0 }, "first", "second", "third", "fourth")
	if d := cmp.Diff([]string{"AGENTS.md", "third", "yes", "fourth", "yes"}, said(log)); d != "" {
		t.Error(d)
	}
}

// A log that another process goes on with tells only what differs, and another
// folder loads its own chain.
// proves: A286, A288
func TestResumedLog(t *testing.T) {
	root := project(t, ".git/config", "AGENTS.md", "a/AGENTS.md", "b/c/AGENTS.md")
	log, err := session.New(session.Header{ID: "s", Cwd: root}, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, c := filepath.Join(root, "a"), filepath.Join(root, "b", "c")
	drive(t, log, a, never, "one")
	drive(t, log, a, never, "two")
	// What a tool touched in a step that was the last of its process counts too.
	n, _ := log.Turn()
	for _, d := range []session.Data{session.TurnStart{Turn: n + 1}, session.StepStart{Turn: n + 1, Step: 1},
		session.ToolCall{Turn: n + 1, Step: 1, CallID: "1", Name: "read", Arguments: `{"file_path":"sub/f"}`}} {
		if _, err := log.Append(d); err != nil {
			t.Fatal(err)
		}
	}
	last := session.Seq(log.Len() - 1)
	_, err = log.Append(session.ToolResult{Turn: n + 1, Step: 1, Message: llm.Message{ID: "r", Role: llm.RoleUser,
		Content: []llm.Block{llm.ToolResult{ToolCallID: "1"}}, Source: llm.Source{Kind: llm.SourceTool, CallID: "1"}}}, last)
	if err != nil {
		t.Fatal(err)
	}
	events := log.Events(0)
	repaired := slices.Concat(events, session.Repair(events))
	if log, err = session.New(log.Header(), session.Options{Seed: repaired}); err != nil {
		t.Fatal(err)
	}
	sub := project(t, "AGENTS.md")
	if err := os.Rename(sub, filepath.Join(a, "sub")); err != nil {
		t.Fatal(err)
	}
	drive(t, log, a, never, "three")
	drive(t, log, c, never, "four")
	got := said(log)
	if d := cmp.Diff([]string{"a/AGENTS.md", "one", "yes", "two", "yes", "(result)", "three", "AGENTS.md", "yes", "four", "b/c/AGENTS.md", "yes"}, got); d != "" {
		t.Error(d)
	}
}
