package inprocess

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/schema"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/tool"
)

// toolName is the tool that takes the structured result.
const toolName = "structured_output"

// recorded acknowledges a value to programs.
const recorded = `{"recorded":true}`

//go:embed text/structured_output.md
var toolText string

//go:embed text/reminder.md
var reminderText string

// structured takes the structured result of one child. It stands between the
// agent and its model, where it mends arguments; see [structured.Stream].
//
// Concurrency: the tool's body and the guard run on goroutines of the agent's
// batch, everything else on the one that drives the agent. mu guards value; the
// rest belongs to the driving goroutine.
type structured struct {
	schema *schema.Schema
	model  llm.Model

	reminded   bool
	before     string    // what the child said before it was reminded
	rejections int       // answers with a call that was refused
	mended     []mending // calls whose arguments were mended, oldest first

	mu    sync.Mutex
	value json.RawMessage // what the tool has taken
}

func (s *structured) tool() tool.Tool {
	return tool.Tool{
		Name:        toolName,
		Description: strings.TrimSpace(toolText),
		Input:       s.schema.Raw(),
		Contract:    s.schema,
		Run:         s.take,
	}
}

// take is the body of the tool: its arguments are valid.
func (s *structured) take(_ context.Context, call tool.Call) (tool.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value = slices.Clone(call.Arguments)
	return tool.Result{
		Content:   tool.Text("Structured output recorded."),
		Value:     json.RawMessage(recorded),
		Concludes: true,
	}, nil
}

// guard refuses every call behind the one that was taken.
func (s *structured) guard(_ context.Context, call tool.Call) error {
	if s.taken() == nil {
		return nil
	}
	return &tool.Error{
		Kind:    string(subagent.CodeStructuredOutput),
		Message: fmt.Sprintf("structured output already recorded: the run is complete, so `%s` is not executed", call.Name),
	}
}

func (s *structured) taken() json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.value
}

// exhausted ends the turn of a child that keeps sending what is refused.
func (s *structured) exhausted() error {
	if s.rejections < MaxRejections {
		return nil
	}
	return &subagent.Error{
		Kind:    subagent.CodeStructuredOutput,
		Message: fmt.Sprintf("no structured result: %d answers had one that does not match the schema", s.rejections),
	}
}

// stopping reminds a child once that it owes a value.
func (s *structured) stopping(_ context.Context, stop agent.Stop) ([]llm.Message, error) {
	if s.reminded || stop.MaxTokens || s.taken() != nil {
		return nil, nil
	}
	s.reminded, s.before = true, stop.Text
	return []llm.Message{{
		Role:    llm.RoleUser,
		Content: []llm.Block{llm.Text{Text: strings.TrimSpace(reminderText)}},
		Source:  llm.Source{Kind: llm.SourcePlugin, Plugin: toolName, Form: "reminder"},
	}}, nil
}

// settle completes the result of a child with its value, or says that there is
// none. An error is a fault of the log.
func (s *structured) settle(log *session.Log, r *subagent.Result) error {
	if value := s.taken(); value != nil && accepted(log.Events(0)) {
		return s.complete(log, r, value)
	}
	if r.Outcome != subagent.Completed {
		return nil
	}
	if value, ok := s.fromProse(r.Text); ok {
		r.Value, r.Degraded = value, true
		return nil
	}
	r.Outcome = subagent.Failed
	r.Failure = &subagent.Failure{
		Code:    string(subagent.CodeStructuredOutput),
		Message: "no structured result: the agent answered with text, also after a reminder, and the text holds no single value that matches the schema",
	}
	return nil
}

// complete sets the value, and keeps in the log what the model wrote where that
// was mended.
func (s *structured) complete(log *session.Log, r *subagent.Result, value json.RawMessage) error {
	r.Outcome, r.Failure, r.Value = subagent.Completed, nil, value
	r.Degraded = s.rejections > 0 && schema.Placeholder(value)
	i := slices.IndexFunc(s.mended, func(m mending) bool { return m.Mended == string(value) })
	if i < 0 {
		return nil
	}
	r.Repaired = s.mended[i].Repairs
	return s.mended[i].note(log)
}

// accepted reports whether the log has the call of the tool as a success. What
// the tool has taken counts only then: a cancel may have undone it.
func accepted(events []session.Event) bool {
	return slices.ContainsFunc(events, func(e session.Event) bool {
		result, ok := e.Data.(session.ToolResult)
		if !ok || result.Error != nil || len(e.Sources) == 0 {
			return false
		}
		call, ok := events[e.Sources[0]].Data.(session.ToolCall)
		return ok && call.Name == toolName && !isError(result.Message)
	})
}

func isError(m llm.Message) bool {
	return slices.ContainsFunc(m.Content, func(b llm.Block) bool {
		r, ok := b.(llm.ToolResult)
		return ok && r.IsError
	})
}

// fromProse looks for the value in what the child said last, and in what it said
// before it was reminded: the answer to that may only point back.
func (s *structured) fromProse(last string) (json.RawMessage, bool) {
	if value, ok := schema.Extract(last, s.schema); ok {
		return value, true
	}
	return schema.Extract(s.before, s.schema)
}
