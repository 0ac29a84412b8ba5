package session

import (
	"unicode/utf8"

	"github.com/dsh-go/dsh-workflow/llm"
)

// plain says whether d holds nothing but numbers and valid strings, so that its
// JSON reads back as the same value and no memory is shared with the caller.
// Streams are made of such events, which is why they skip the way through JSON.
func plain(d Data) bool {
	switch d := d.(type) {
	case TurnStart, StepStart, StepEnd, RetryStarted, EndSeed:
		return true
	case ToolCall:
		return utf8.ValidString(d.CallID) && utf8.ValidString(d.Name) && utf8.ValidString(d.Arguments)
	case AssistantChunk:
		return plainChunk(d.Chunk)
	}
	return false
}

func plainChunk(c llm.Chunk) bool {
	switch c := c.(type) {
	case llm.TextDelta:
		return utf8.ValidString(c.Text)
	case llm.ReasoningDelta:
		return utf8.ValidString(c.Text)
	case llm.ToolCallDelta:
		return utf8.ValidString(c.ID) && utf8.ValidString(c.Name) && utf8.ValidString(c.Arguments)
	case llm.UsageReport:
		return true
	case llm.Finish:
		return utf8.ValidString(string(c.Reason)) && utf8.ValidString(c.Served) && utf8.ValidString(c.RequestID)
	}
	return false
}
