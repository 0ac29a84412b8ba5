package inprocess_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/prompt"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/inprocess"
	"github.com/dsh-go/dsh-workflow/tool"
	"github.com/dsh-go/dsh-workflow/tool/builtin"
)

// instructed gives children the tools of files and the instructions of a project.
func instructed(t *testing.T) func(*inprocess.Config) {
	t.Helper()
	tools, err := tool.NewRegistry(builtin.New(builtin.Options{Env: []string{"PATH=" + os.Getenv("PATH")}})...)
	if err != nil {
		t.Fatal(err)
	}
	tools = tools.Guarded(func(_ context.Context, c tool.Call) error {
		if strings.Contains(string(c.Arguments), "denied") {
			return &tool.Error{Message: "no"}
		}
		return nil
	})
	return func(c *inprocess.Config) {
		c.Tools = func(context.Context, inprocess.Site) (*tool.Registry, error) { return tools, nil }
		c.Instructions = filesOf(prompt.InstructionsConfig{MaxBytes: prompt.DefaultMaxBytes})
	}
}

// put writes files that are old enough to be remembered.
func (r *rig) put(names ...string) {
	r.t.Helper()
	for _, name := range names {
		path := filepath.Join(r.cwd, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte("content of "+name), 0o644)
		}
		if err == nil {
			err = os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour))
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

// toldPath finds the paths in a text of textOf.
var toldPath = regexp.MustCompile(`^(?:Instructions_from|Additional_instructions_from|Updated_instructions_from|Instructions_removed):_(.+)\n$`)

// instructions lists the messages that tell instructions, by the paths they name,
// with what stands before each in the log.
func instructions(log *session.Log) []string {
	var told []string
	events := log.Events(0)
	for i, e := range events {
		m, ok := e.Data.(session.UserMessage)
		if !ok || m.Message.Source.Kind != llm.SourceInstructions {
			continue
		}
		var paths []string
		for line := range strings.Lines(textOf(m.Message.Content)) {
			if m := toldPath.FindStringSubmatch(line); m != nil {
				paths = append(paths, m[1])
			}
		}
		behind := "the start"
		switch events[i-1].Data.(type) {
		case session.StepEnd:
			behind = "a step"
		case session.UserMessage:
			behind = "a message"
		}
		told = append(told, strings.Join(paths, " ")+" behind "+behind)
	}
	return told
}

// proves: A290, A297, A299
func TestTouchedFoldersAreTold(t *testing.T) {
	r := newRig(t, instructed(t), calls(
		call("1", "read", `{"file_path":"a/f"}`), call("2", "read", `{"file_path":"b/f"}`), call("3", "write", `{"file_path":"c/new","content":""}`),
		call("4", "edit", `{"file_path":"a/f","old_string":"content","new_string":"x"}`), call("5", "read", `{"file_path":"failed/none"}`),
		call("6", "bash", `{"command":"cat shell/f","description":"shows a file"}`), call("7", "read", `{"file_path":"denied/f"}`),
		call("8", "grep", `{"pattern":"x","path":"searched"}`), call("9", "read", `{"file_path":"broken`), call("10", "edit", `{"file_path":"unread/f","old_string":"a","new_string":"b"}`),
	), calls(call("11", "read", `{"file_path":"`+"a/deep/f"+`"}`)), says("done"))
	for _, dir := range []string{".", "a", "a/deep", "b", "c", "failed", "shell", "denied", "searched", "broken", "unread"} {
		r.put(dir+"/AGENTS.md", dir+"/f")
	}
	_, log := r.run(r.request()) // which compares all requests with the log
	want := []string{
		"AGENTS.md behind the start",
		"a/AGENTS.md b/AGENTS.md c/AGENTS.md behind a step",
		"a/deep/AGENTS.md behind a step",
	}
	if d := cmp.Diff(want, instructions(log)); d != "" {
		t.Error(d)
	}
	last := r.model.sent()[1].Messages
	if m := last[len(last)-1]; m.Source.Kind != llm.SourceInstructions {
		t.Errorf("the news is not the last message: %+v", m)
	}
}

// proves: A297
func TestAbortedCallsTellNothing(t *testing.T) {
	started := make(chan struct{})
	r := newRig(t, func(c *inprocess.Config) {
		instructed(t)(c)
		slow := tool.Tool{Name: "read", Input: []byte(`{"type":"object"}`), Run: func(ctx context.Context, _ tool.Call) (tool.Result, error) {
			close(started)
			<-ctx.Done()
			return tool.Result{Content: tool.Text("all of it")}, nil
		}}
		c.Tools = func(context.Context, inprocess.Site) (*tool.Registry, error) { return tool.NewRegistry(slow) }
	}, calls(call("1", "read", `{"file_path":"a/f"}`)), says("done"))
	r.put("AGENTS.md", "a/AGENTS.md", "a/f")
	c := r.start(r.request())
	<-started
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"AGENTS.md behind the start"}, instructions(r.log(c.ID()))); d != "" {
		t.Error(d)
	}
}

// proves: A286
func TestAnotherAttemptIsToldWhatChanged(t *testing.T) {
	r := newRig(t, instructed(t), calls(call("1", "read", `{"file_path":"a/f"}`)), fails(llm.CodeServer), says("done"))
	r.put("AGENTS.md", "CLAUDE.md", "a/f", "a/AGENTS.md")
	c := r.start(r.request())
	if result, err := c.Wait(t.Context()); err != nil || result.Outcome != subagent.Failed {
		t.Fatalf("%+v, %v", result, err)
	}
	if err := os.WriteFile(filepath.Join(r.cwd, "AGENTS.md"), []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(r.cwd, "CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	if err := c.(subagent.Retrier).Retry(t.Context()); err != nil {
		t.Fatal(err)
	}
	if result, err := c.Wait(t.Context()); err != nil || result.Text != "done" {
		t.Fatalf("%+v, %v", result, err)
	}
	log := r.log(c.ID())
	r.checkRequests(c.ID(), log)
	want := []string{"AGENTS.md CLAUDE.md behind the start", "a/AGENTS.md behind a step", "AGENTS.md CLAUDE.md behind a message"}
	if d := cmp.Diff(want, instructions(log)); d != "" {
		t.Error(d)
	}
}
