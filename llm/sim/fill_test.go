package sim

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/llm"
)

func TestFill(t *testing.T) {
	const request = "job-1 <b>x</b>\njob-22 says \"hi\\there\""
	for _, c := range []struct{ step, want string }{
		{`{"text":"it is {{fromRequest:job-(\\d+)}}, or {{fromRequest:job-\\d+}}"}`, `{"text":"it is 22, or job-22"}`},
		{`{"tool":"job","args":{"id":"{{fromRequest:job-(\\d{2})}}","n":1}}`, `{"tool":"job","args":{"id":"22","n":1}}`},
		{`{"tools":[{"name":"x","args":["{{fromRequest:<b>(.)</b>}}"]}]}`, `{"tools":[{"name":"x","args":["x"]}]}`},
		{`{"capture":{"said":"{{fromRequest:says (.*)}}"},"finish":null}`, `{"capture":{"said":"\"hi\\there\""},"finish":null}`},
	} {
		var step, want Step
		if err := errors.Join(json.Unmarshal([]byte(c.step), &step), json.Unmarshal([]byte(c.want), &want)); err != nil {
			t.Fatal(err)
		}
		if !step.NeedsFill() || want.NeedsFill() {
			t.Error("NeedsFill is wrong about", c.step)
		}
		if err := step.Fill(request); err != nil {
			t.Error(c.step, err)
		}
		if diff := cmp.Diff(want, step); diff != "" {
			t.Error(diff)
		}
	}
	for _, wrong := range []string{`{"text":"{{fromRequest:("}`, `{"text":"{{fromRequest:(}}"}`, `{"text":"{{fromRequest:absent}}"}`} {
		var step Step
		if err := json.Unmarshal([]byte(wrong), &step); err != nil {
			t.Fatal(err)
		}
		var fault *ScriptError
		if err := step.Fill(request); !errors.As(err, &fault) {
			t.Error(wrong, err)
		}
	}
}

func TestAScriptUsesWhatAToolReturned(t *testing.T) {
	req := ask(`@@mock [{"tool":"bash"},{"text":"the job is {{fromRequest:job-([a-z]+)}}"}]`)
	req.Messages = append(req.Messages, llm.Message{Role: llm.RoleAssistant, Content: []llm.Block{llm.ToolCall{ID: "a", Name: "bash"}}},
		llm.Message{Role: llm.RoleUser, Content: []llm.Block{llm.ToolResult{ToolCallID: "a", Content: []llm.Block{llm.Text{Text: "started job-xyz"}}}}})
	asm, err := answer(t, New(Config{}), req)
	if err != nil || textIn(asm) != "the job is xyz" {
		t.Error(err, asm.Blocks())
	}
}
