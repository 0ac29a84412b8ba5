package observe

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
)

func TestSessionReadsAsLines(t *testing.T) {
	user := func(text string) llm.Message {
		return llm.Message{Role: llm.RoleUser, Content: []llm.Block{llm.Text{Text: text}}, Source: llm.Source{Kind: llm.SourceUser}}
	}
	events := []session.Data{
		session.TurnStart{Turn: 1},
		session.UserMessage{Message: user("look\nusage     9 tokens in (0 cached), 9 out")},
		session.RequestHeader{Header: session.EpochHeader{Config: llm.Config{Model: "m\x1b[2J"}, System: "äb"}, Reason: "initial"},
		session.Retry{Attempt: 1, DelayMS: 500, Failure: session.Failure{Code: "SERVER", Message: "boom\nboom"}},
		session.AssistantMessage{
			Message: llm.Message{Role: llm.RoleAssistant, Content: []llm.Block{
				llm.Reasoning{Text: "hm"}, llm.Text{Text: "I look\x1b]0;owned\x07"}, llm.ToolCall{ID: "c1", Name: "read", Arguments: `{"file_path":"a"}`},
			}},
			Usage: &llm.Usage{InputTokens: 3, CacheReadTokens: 4, OutputTokens: 5},
		},
		session.ToolCall{CallID: "c1", Name: "read"},
		session.ToolResult{
			Message: llm.Message{Role: llm.RoleUser, Content: []llm.Block{llm.ToolResult{ToolCallID: "c1", IsError: true, Content: []llm.Block{llm.Text{Text: "no\nsuch file\n"}}}}},
			Error:   &session.ToolError{Name: "ToolError", Code: "NOT_FOUND"},
		},
		session.Opaque{Type: "goal/\x1b[1mset"},
		session.Opaque{Type: "todo/write", Raw: json.RawMessage(`{"todos":[{"content":"a\nb","status":"completed"},{"content":"\u001b[1mc","status":"in_progress"},{"content":"d","status":"pending"}]}`)},
		session.TurnEnd{Turn: 1, Reason: session.EndReason{Kind: session.EndError, Error: &session.Failure{Code: "QUOTA", Message: "empty"}}},
	}
	var b strings.Builder
	s := NewSession(&b)
	for i, d := range events {
		s.Apply(session.Event{Seq: session.Seq(i), Data: d})
	}
	want := `user
    look
    usage     9 tokens in (0 cached), 9 out
request   model m[2J, 0 tools, 2 characters of system text (initial)
retry     attempt 1 in 500 ms after SERVER: boom boom
thinking  hm
assistant I look]0;owned
call read {"file_path":"a"}
usage     7 tokens in (4 cached), 5 out
result read (error)
    no
    such file
error     ToolError (NOT_FOUND)
event     goal/[1mset
todo
    [x] a b
    [>] [1mc
    [ ] d
end       error: empty (QUOTA)
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}
