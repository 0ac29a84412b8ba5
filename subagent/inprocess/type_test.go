package inprocess_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/subagent"
)

func TestAgentType(t *testing.T) {
	var ran counter
	r := newRig(t, withTools(&ran, "read", "grep", "bash"), calls(call("1", "bash", "{}")), says("done"))
	req := r.request()
	req.Type = &subagent.Type{
		Name: "reviewer", Persona: "You review {{code}} in {{cwd}}.", Tools: []string{"grep", "web_fetch", "bash"}, MaxSteps: 1,
	}
	req.Tools = []string{"bash"}
	req.Worktree = true
	result, _ := r.run(req)
	sent := r.model.sent()[0]
	if !strings.HasPrefix(sent.System, "You are an AI agent powered by the DeepSeek Harness SDK.\n\nYou review {{code}} in {{cwd}}.\n\n") {
		t.Errorf("system %q", sent.System)
	}
	if !strings.Contains(sent.System, "a git worktree made for you alone") {
		t.Error("the child is not told of its worktree")
	}
	var names []string
	for _, tool := range sent.Tools {
		names = append(names, tool.Name)
	}
	if !slices.Equal(names, []string{"bash"}) {
		t.Errorf("offered %v", names)
	}
	if result.Outcome != subagent.Failed || result.Failure.Code != string(subagent.CodeMaxSteps) {
		t.Errorf("a type with one step ended with %+v, %+v", result, result.Failure)
	}
	req.Tools = []string{"read"}
	if _, err := r.provider.Start(t.Context(), req); err == nil || !strings.Contains(err.Error(), `unknown tool "read" (known: bash, grep)`) {
		t.Errorf("the option tools widens the type: %v", err)
	}
}
