package session

import (
	"fmt"

	"github.com/dsh-go/dsh-workflow/llm"
)

// Codes of the errors that Repair gives to calls without a result.
const (
	CodeToolNotStarted     = "TOOL_NOT_STARTED"
	CodeToolOutcomeUnknown = "TOOL_OUTCOME_UNKNOWN"
)

const (
	textNotStarted = "Error: the session was interrupted before this tool call started. It had no effect and may be made again if it is still needed."
	textUnknown    = "Error: the session was interrupted while this tool call was running, so its outcome is unknown. " +
		"Only a call that reads, or that can safely run twice, may simply be repeated; otherwise check the state first or ask the user."
)

// openCall is a tool call that has no result yet.
type openCall struct {
	id     string
	logged Seq // of its ToolCall event, -1 when there is none
}

// Repair returns the events that close an interrupted log: an error result for
// each call of the open step that has none, the end of the step and the end of
// the turn, numbered on and with the time of the last event. A log whose turns
// are all closed needs none.
func Repair(events []Event) []Event {
	var at frame
	var calls []openCall
	for _, e := range events {
		at.advance(e)
		switch d := e.Data.(type) {
		case StepEnd, TurnEnd, EndSeed:
			calls = nil
		case AssistantMessage:
			for _, block := range d.Message.Content {
				if call, ok := block.(llm.ToolCall); ok {
					calls = append(calls, openCall{id: call.ID, logged: -1})
				}
			}
		case ToolCall:
			calls = logged(calls, d.CallID, e.Seq)
		case ToolResult:
			if e.Replace == nil {
				calls = answered(calls, d)
			}
		}
	}
	if !at.turnOpen {
		return nil
	}
	last := events[len(events)-1]
	var closing []Event
	add := func(d Data, sources ...Seq) {
		seq := last.Seq + 1 + Seq(len(closing))
		closing = append(closing, Event{Seq: seq, Time: last.Time, Data: d, Sources: sources})
	}
	for _, call := range calls {
		result := interruptedResult(at, call, last.Seq+1+Seq(len(closing)))
		if call.logged < 0 {
			add(result)
		} else {
			add(result, call.logged)
		}
	}
	if at.stepOpen {
		add(StepEnd{Turn: at.turn, Step: at.step})
	}
	add(TurnEnd{Turn: at.turn, Reason: EndReason{Kind: EndInterrupted}})
	return closing
}

func logged(calls []openCall, id string, seq Seq) []openCall {
	for i := range calls {
		if calls[i].id == id && calls[i].logged < 0 {
			calls[i].logged = seq
			return calls
		}
	}
	return append(calls, openCall{id: id, logged: seq})
}

func answered(calls []openCall, d ToolResult) []openCall {
	block, _ := resultBlock(d)
	for i, call := range calls {
		if call.id == block.ToolCallID {
			return append(calls[:i:i], calls[i+1:]...)
		}
	}
	return calls
}

func interruptedResult(at frame, call openCall, seq Seq) ToolResult {
	text, failure := textUnknown, ToolError{Name: "ToolOutcomeUnknownError", Code: CodeToolOutcomeUnknown}
	if call.logged < 0 {
		text, failure = textNotStarted, ToolError{Name: "ToolNotStartedError", Code: CodeToolNotStarted}
	}
	return ToolResult{Turn: at.turn, Step: at.step, Error: &failure, Message: llm.Message{
		ID:      fmt.Sprintf("interrupted-tool-result-%s-%d", call.id, seq),
		Role:    llm.RoleUser,
		Source:  llm.Source{Kind: llm.SourceTool, CallID: call.id},
		Content: []llm.Block{llm.ToolResult{ToolCallID: call.id, Content: []llm.Block{llm.Text{Text: text}}, IsError: true}},
	}}
}
