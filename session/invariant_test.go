package session

import (
	"encoding/json"
	"testing"

	"github.com/dsh-go/dsh-workflow/llm"
)

// try checks one append after others: want is part of the refusal, or empty.
func try(t *testing.T, d Data, want string, before ...Data) {
	t.Helper()
	l := open(t)
	feed(t, l, before...)
	if want == "" {
		feed(t, l, d)
		return
	}
	refused(t, l, CodeInvariant, `invariant violated by "session": `+want, func() (Seq, error) { return l.Append(d) })
}

// proves: A62
func TestTurnFrame(t *testing.T) {
	try(t, TurnStart{1}, "")
	try(t, TurnStart{2}, "turn/start 2, expected 1")
	try(t, TurnStart{0}, "turn/start 0, expected 1")
	try(t, TurnStart{2}, "turn/start 2 while turn 1 is open", TurnStart{1})
	try(t, TurnStart{1}, "turn/start 1, expected 2", TurnStart{1}, ended(1))
	try(t, TurnStart{2}, "", TurnStart{1}, ended(1))
	try(t, ended(1), "turn/end 1 is not the open turn")
	try(t, ended(2), "turn/end 2 is not the open turn", TurnStart{1})
	try(t, ended(1), "turn/end 1 while step 1 is open", TurnStart{1}, StepStart{1, 1})
}

// proves: A63
func TestStepFrame(t *testing.T) {
	try(t, StepStart{1, 1}, "step/start of turn 1, which is not open")
	try(t, StepStart{2, 1}, "step/start of turn 2, which is not open", TurnStart{1})
	try(t, StepStart{1, 2}, "step/start 2, expected 1", TurnStart{1})
	try(t, StepStart{1, 2}, "step/start 2 while step 1 is open", TurnStart{1}, StepStart{1, 1})
	try(t, StepStart{1, 2}, "", TurnStart{1}, StepStart{1, 1}, StepEnd{1, 1})
	try(t, StepStart{2, 1}, "", TurnStart{1}, StepStart{1, 1}, StepEnd{1, 1}, ended(1), TurnStart{2})
	try(t, StepEnd{1, 2}, "step/end names turn 1 step 2", TurnStart{1}, StepStart{1, 1})
	try(t, StepEnd{1, 1}, "step/end names turn 1 step 1", TurnStart{1})
}

// proves: A64
func TestEventsNameTheOpenStep(t *testing.T) {
	for tag, d := range map[string]Data{
		tagAssistantChunk:   AssistantChunk{1, 2, llm.TextDelta{}},
		tagAssistantMessage: answer(1, 2, "a"),
		tagToolCall:         toolCall(1, 2, "c"),
		tagToolResult:       result(1, 2, "c", ""),
		tagRetry:            Retry{Turn: 1, Step: 2},
		tagRetryStarted:     RetryStarted{Turn: 1, Step: 2},
	} {
		try(t, d, tag+" names turn 1 step 2", TurnStart{1}, StepStart{1, 1})
	}
}

// proves: A65, A66, A67
func TestResultsAnswerCallsOfTheirStep(t *testing.T) {
	const without = "tool/result for \"c\" without a tool/call in step "
	never := result(1, 1, "c", "")
	never.Error = &ToolError{Name: "ToolNotStartedError", Code: CodeToolNotStarted}
	other := result(1, 1, "c", "")
	other.Error = &ToolError{Name: "x", Code: "ENOENT"}
	begin := []Data{TurnStart{1}, StepStart{1, 1}}
	try(t, result(1, 1, "c", ""), without+"1", begin...)
	try(t, other, without+"1", begin...)
	try(t, never, "", begin...)
	called := append(begin, toolCall(1, 1, "c"))
	try(t, result(1, 1, "c", ""), "", called...)
	try(t, StepEnd{1, 1}, "", called...)
	try(t, result(1, 2, "c", ""), without+"2", append(called, StepEnd{1, 1}, StepStart{1, 2})...)
}

// proves: A68
func TestEventsInsideATurn(t *testing.T) {
	todo := Opaque{Type: "todo/write", Raw: json.RawMessage(`{"todos":[]}`)}
	try(t, todo, "todo/write outside a turn")
	try(t, todo, "", TurnStart{1})
	try(t, RequestHeader{Header: epoch("")}, "request/header outside a turn", TurnStart{1}, ended(1))
	try(t, RequestHeader{Header: epoch("")}, "", TurnStart{1})
}

// proves: A69
func TestEndSeedAnywhere(t *testing.T) {
	try(t, EndSeed{}, "")
	try(t, EndSeed{}, "", TurnStart{1}, StepStart{1, 1}, toolCall(1, 1, "c"))
	cut := []Data{TurnStart{1}, StepStart{1, 1}, toolCall(1, 1, "c"), EndSeed{}}
	try(t, TurnStart{2}, "", cut...)
	try(t, StepEnd{1, 1}, "step/end names", cut...)
	try(t, result(2, 1, "c", ""), "tool/result for", append(cut, TurnStart{2}, StepStart{2, 1})...)
}

// A refused event does not move the frame.
// proves: A26
func TestRefusalLeavesTheFrame(t *testing.T) {
	l := open(t)
	feed(t, l, TurnStart{1})
	refused(t, l, CodeInvariant, "expected 1", func() (Seq, error) { return l.Append(StepStart{1, 2}) })
	feed(t, l, StepStart{1, 1})
	refused(t, l, CodeSurface, "earlier", func() (Seq, error) { return l.Append(result(1, 1, "c", ""), 9) })
	feed(t, l, toolCall(1, 1, "c"), result(1, 1, "c", ""), StepEnd{1, 1}, ended(1))
}
