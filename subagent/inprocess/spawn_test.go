package inprocess_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/prompt"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/inprocess"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
	"github.com/google/go-cmp/cmp"
)

// proves: W175, W194, W299, W348, W351
func TestSpawnConforms(t *testing.T) {
	subagenttest.Run(t, func(t *testing.T) subagent.Provider {
		return inprocess.Spawn(inprocess.Config{
			Resolve: inprocess.Fixed(suiteModel{newModel()}, route),
			Retry:   llm.Retry{Max: -1},
		})
	})
}

// suiteModel answers the prompts of the suite.
type suiteModel struct{ *model }

func (m suiteModel) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		switch textOf(req.Messages[0].Content) {
		case strings.ReplaceAll(subagenttest.PromptHang, " ", "_"):
			hangs("")(ctx, yield)
		case strings.ReplaceAll(subagenttest.PromptFail, " ", "_"):
			fails(llm.CodeServer, spent)(ctx, yield)
		case strings.ReplaceAll(subagenttest.PromptValue, " ", "_"):
			reports(subagenttest.Value)(ctx, yield)
		default:
			says(subagenttest.Reply)(ctx, yield)
		}
	}
}

// proves: W275, W307, W349, A243, A252
func TestChildSession(t *testing.T) {
	r := newRig(t, nil, says("done"))
	result, log := r.run(r.request())
	if result.Outcome != subagent.Completed || result.Text != "done" || result.Usage.OutputTokens != 3 {
		t.Errorf("got %+v", result)
	}
	header := log.Header()
	if header.ID == "" || header.CreatedAt == 0 {
		t.Errorf("header %+v", header)
	}
	path := filepath.Join(r.dir, header.ID+".jsonl")
	header.ID, header.CreatedAt = "", 0
	want := session.Header{Cwd: r.cwd, ParentSession: "parent-session", Origin: "subagent", DelegationDepth: 1}
	if diff := cmp.Diff(want, header); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("turn descriptor user:do_the_work model:done end:completed", story(log)); diff != "" {
		t.Error(diff)
	}
	for _, e := range log.Events(0) {
		if d, ok := e.Data.(session.Descriptor); ok {
			want := session.Descriptor{Version: 2, Mode: "one-shot", Provider: "spawn", Label: "audit"}
			if diff := cmp.Diff(want, d); diff != "" {
				t.Error(diff)
			}
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestSessionInMemory(t *testing.T) {
	r := newRig(t, nil, says("done"))
	req := r.request()
	req.Lineage.Sessions = ""
	c := r.start(req)
	if result, err := c.Wait(t.Context()); err != nil || result.Text != "done" {
		t.Errorf("got %+v, %v", result, err)
	}
	if _, err := os.Stat(r.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a log on disk: %v", err)
	}
}

// proves: W322, A109, A246, A284
func TestChildPrompt(t *testing.T) {
	var home string
	var ran counter
	r := newRig(t, func(c *inprocess.Config) {
		home = t.TempDir()
		if err := os.WriteFile(filepath.Join(home, "AGENTS.md"), []byte("Be brief."), 0o600); err != nil {
			t.Fatal(err)
		}
		c.Instructions = filesOf(prompt.InstructionsConfig{Dsh: prompt.Home{Path: home}, MaxBytes: prompt.DefaultMaxBytes})
		c.Sections = []prompt.Section{prompt.Persona("You audit {{model}} in {{cwd}}.")}
		withTools(&ran, "read")(c)
	}, calls(call("1", "read", "{}")), says("done"))
	_, log := r.run(r.request())
	req := r.model.sent()[0]
	if len(req.Tools) != 1 || len(ran.names()) != 1 {
		t.Errorf("offered %v, ran %v", req.Tools, ran.names())
	}
	head := "You are an AI agent powered by the DeepSeek Harness SDK.\n\nYou audit m in " + r.cwd + ".\n\n"
	if !strings.HasPrefix(req.System, head) {
		t.Errorf("system %q", req.System)
	}
	for _, words := range []string{"refused automatically", "passed verbatim to the script"} {
		if !strings.Contains(req.System, words) {
			t.Errorf("%q is not in %q", words, req.System)
		}
	}
	if strings.Contains(req.System, "structured_output") {
		t.Error("a child that owes text is told of structured output")
	}
	if len(req.Messages) != 2 || req.Messages[0].Source.Kind != llm.SourceInstructions || req.Messages[1].Source.Kind != llm.SourceUser {
		t.Fatalf("messages %+v", req.Messages)
	}
	if !strings.Contains(textOf(req.Messages[0].Content), "Be_brief.") || textOf(req.Messages[1].Content) != "do_the_work" {
		t.Errorf("history %s", story(log))
	}
}

func TestPromptOutsideARun(t *testing.T) {
	r := newRig(t, nil, says("done"))
	req := r.request()
	req.Lineage.Run = ""
	r.run(req)
	if system := r.model.sent()[0].System; strings.Contains(system, "script") {
		t.Errorf("system %q", system)
	}
}

// Siblings differ in nothing but their prompt.
func TestSiblingsShareTheirPrefix(t *testing.T) {
	var ran counter
	r := newRig(t, withTools(&ran, "b", "a"), reports(`{"name":"x"}`))
	one, two := r.structured(), r.structured()
	two.Call, two.Label, two.Prompt = "run/2", "other", "other work"
	r.run(one)
	r.run(two)
	a, b := r.model.sent()[0], r.model.sent()[1]
	if a.System != b.System {
		t.Error("system texts differ")
	}
	if diff := cmp.Diff(a.Tools, b.Tools); diff != "" {
		t.Error(diff)
	}
	var names []string
	for _, spec := range a.Tools {
		names = append(names, spec.Name)
	}
	if diff := cmp.Diff([]string{"a", "b", "structured_output"}, names); diff != "" {
		t.Error(diff)
	}
}

// proves: A247, W315, W354
func TestToolsAreNarrowed(t *testing.T) {
	var ran counter
	r := newRig(t, func(c *inprocess.Config) {
		withTools(&ran, "read", "bash")(c)
		c.Sections = []prompt.Section{{Name: "tool:bash", Order: 105, Text: "bash habit"}, {Name: "tool:read", Order: 100, Text: "read habit"}}
	}, calls(llm.ToolCall{ID: "1", Name: "bash", Arguments: "{}"}, llm.ToolCall{ID: "2", Name: "read", Arguments: "{}"}), says("done"))
	req := r.request()
	req.Tools = []string{"read"}
	_, log := r.run(req)
	if diff := cmp.Diff([]string{"read"}, ran.names()); diff != "" {
		t.Error(diff)
	}
	sent := r.model.sent()[0]
	if len(sent.Tools) != 1 || strings.Contains(sent.System, "bash habit") || !strings.Contains(sent.System, "read habit") {
		t.Errorf("tools %v, system %q", sent.Tools, sent.System)
	}
	if !strings.Contains(story(log), "result:UNKNOWN_TOOL result:ok") {
		t.Error(story(log))
	}

	req.Tools = []string{"read", "nope"}
	_, err := r.provider.Start(t.Context(), req)
	if err == nil || !strings.Contains(err.Error(), `unknown tool "nope" (known: bash, read)`) {
		t.Errorf("got %v", err)
	}
	if files, _ := os.ReadDir(r.dir); len(files) != 1 {
		t.Errorf("a refused start left %v", files)
	}
}

func TestToolsKnowTheirPlace(t *testing.T) {
	var ran counter
	r := newRig(t, func(c *inprocess.Config) {
		withTools(&ran, "read")(c)
		c.Home = "/home"
	}, calls(llm.ToolCall{ID: "1", Name: "read", Arguments: "{}"}), says("done"))
	_, log := r.run(r.request())
	call := ran.calls[0]
	if call.Session != log.Header().ID || call.Cwd != r.cwd || call.Root != r.cwd || call.Home != "/home" ||
		filepath.Dir(call.Outputs) != filepath.Join(filepath.Dir(r.dir), "outputs") {
		t.Errorf("got %+v", call)
	}
	memory := r.request()
	memory.Lineage.Sessions = ""
	if _, err := r.start(memory).Wait(t.Context()); err != nil || ran.calls[1].Outputs != "" {
		t.Errorf("got %+v, %v", ran.calls[1], err)
	}
}

// proves: W301, W308
func TestRoute(t *testing.T) {
	r := newRig(t, func(c *inprocess.Config) {
		c.Resolve = func(ctx context.Context, route subagent.Route) (inprocess.Mind, error) {
			return inprocess.Fixed(newModel(says("x")), llm.Config{Provider: "p", Model: "m", MaxTokens: 7})(ctx, route)
		}
	}, says("x"))
	headerOf := func(req subagent.Request) llm.Config {
		c := r.start(req)
		if _, err := c.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.Close()
		h, _ := r.log(c.ID()).RequestHeader()
		return h.Config
	}
	if diff := cmp.Diff(llm.Config{Provider: "p", Model: "m", MaxTokens: 7}, headerOf(r.request())); diff != "" {
		t.Error(diff)
	}
	req := r.request()
	req.Route = subagent.Route{Provider: "q", Model: "n", Effort: "high"}
	if diff := cmp.Diff(llm.Config{Provider: "q", Model: "n", Effort: "high", MaxTokens: 7}, headerOf(req)); diff != "" {
		t.Error(diff)
	}
}

// proves: W311
func TestDepth(t *testing.T) {
	r := newRig(t, func(c *inprocess.Config) { c.MaxDepth = 2 }, says("x"))
	req := r.request()
	req.Lineage.Depth = 1
	_, log := r.run(req)
	if d := log.Header().DelegationDepth; d != 2 {
		t.Errorf("depth %d", d)
	}
	req.Lineage.Depth = 2
	_, err := r.provider.Start(t.Context(), req)
	if err == nil || err.Error() != "subagent depth 3 exceeds maxDepth 2" {
		t.Errorf("got %v", err)
	}
	for _, depth := range []int{-1, 1<<53 - 1} {
		req.Lineage.Depth = depth
		if _, err := r.provider.Start(t.Context(), req); err == nil {
			t.Errorf("started at depth %d", depth)
		}
	}
	none := newRig(t, func(c *inprocess.Config) { c.MaxDepth = -1 }, says("x"))
	if _, err := none.provider.Start(t.Context(), none.request()); err == nil || err.Error() != "subagent depth 1 exceeds maxDepth 0" {
		t.Errorf("got %v", err)
	}
}

// proves: W312, W313, W334, A167, A251
func TestStartRefuses(t *testing.T) {
	r := newRig(t, nil, says("x"))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.provider.Start(ended, r.request()); err == nil {
		t.Error("started under an ended context")
	}
	refuse := func(change func(*subagent.Request), want string) {
		t.Helper()
		req := r.request()
		change(&req)
		_, err := r.provider.Start(t.Context(), req)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	refuse(func(q *subagent.Request) { q.Schema = json.RawMessage(`{"type":"object","frobnicate":1}`) }, "frobnicate")
	refuse(func(q *subagent.Request) { q.Schema = json.RawMessage(`{"type":`) }, "unsupported JSON schema")
	refuse(func(q *subagent.Request) { q.Lineage.Cwd = filepath.Join(r.cwd, "missing") }, "is not an accessible directory")
	refuse(func(q *subagent.Request) { q.Lineage.Cwd = "relative" }, "must be an absolute path")
	if len(r.model.sent()) != 0 {
		t.Error("a refused start asked the model")
	}
	if _, err := os.Stat(r.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a refused start left a session: %v", err)
	}
	bad := newRig(t, func(c *inprocess.Config) { c.Sections = []prompt.Section{prompt.Persona("{{nope}}")} }, says("x"))
	if _, err := bad.provider.Start(t.Context(), bad.request()); err == nil || !strings.Contains(err.Error(), `unknown prompt variable "{{nope}}"`) {
		t.Errorf("got %v", err)
	}
	if _, err := inprocess.Spawn(inprocess.Config{}).Start(t.Context(), r.request()); err == nil {
		t.Error("started without a model")
	}
	taken := newRig(t, withTools(&counter{}, "structured_output"), says("x"))
	if _, err := taken.provider.Start(t.Context(), taken.structured()); err == nil || !strings.Contains(err.Error(), "registered twice") {
		t.Errorf("got %v", err)
	}
}
