package session

import (
	"bytes"
	"encoding/json"
	"math"
	"unicode/utf8"

	"github.com/dsh-go/dsh-workflow/llm"
)

// copied returns what reading the JSON of d would give, made without JSON: a
// value that shares no memory with d that anybody could change. It is false when
// the JSON would read as something else, because of invalid UTF-8 say, and for
// payloads that only their JSON can check. Nearly all events of a session are
// made by this module itself and can be copied.
func copied(d Data) (Data, bool) {
	switch d := d.(type) {
	case TurnStart, StepStart, StepEnd, RetryStarted, EndSeed:
		return d, true
	case ToolCall:
		return d, valid(d.CallID, d.Name, d.Arguments)
	case AssistantChunk:
		return d, validChunk(d.Chunk)
	case Descriptor:
		return d, valid(d.Mode, d.Provider, d.Label)
	case Retry:
		return d, validFailure(&d.Failure)
	case TurnEnd:
		d.Reason.Error = pointTo(d.Reason.Error)
		return d, valid(d.Reason.Kind, d.Reason.Cause) && validFailure(d.Reason.Error)
	case UserMessage:
		m, ok := copiedMessage(d.Message)
		return UserMessage{Message: m}, ok
	case AssistantMessage:
		var ok bool
		d.Message, ok = copiedMessage(d.Message)
		d.Usage = pointTo(d.Usage)
		return d, ok
	case ToolResult:
		return copiedResult(d)
	case InboxSpliced:
		return copiedSplice(d)
	case RequestHeader:
		return copiedHeader(d)
	}
	return nil, false
}

// pointTo gives a value an address of its own.
func pointTo[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

func valid(texts ...string) bool {
	for _, s := range texts {
		if !utf8.ValidString(s) {
			return false
		}
	}
	return true
}

func validFailure(f *Failure) bool { return f == nil || valid(f.Message, f.Code, f.RequestID) }

func validChunk(c llm.Chunk) bool {
	switch c := c.(type) {
	case llm.TextDelta:
		return valid(c.Text)
	case llm.ReasoningDelta:
		return valid(c.Text)
	case llm.ToolCallDelta:
		return valid(c.ID, c.Name, c.Arguments)
	case llm.UsageReport:
		return true
	case llm.Finish:
		return valid(string(c.Reason), c.Served, c.RequestID)
	}
	return false
}

func copiedMessage(m llm.Message) (llm.Message, bool) {
	s := m.Source
	if s.Extra != nil || !valid(m.ID, string(m.Role), s.Kind, s.Plugin, s.Form, s.Provider, s.Model, s.CallID) {
		return m, false
	}
	var ok bool
	m.Content, ok = copiedBlocks(m.Content)
	return m, ok
}

// copiedBlocks: a list that is not there reads as an empty one.
func copiedBlocks(blocks []llm.Block) ([]llm.Block, bool) {
	own := make([]llm.Block, len(blocks))
	for i, b := range blocks {
		ok := false
		switch b := b.(type) {
		case llm.Text:
			own[i], ok = b, valid(b.Text)
		case llm.Reasoning:
			own[i], ok = b, valid(b.Text)
		case llm.ToolCall:
			own[i], ok = b, valid(b.ID, b.Name, b.Arguments)
		case llm.ToolResult:
			b.Content, ok = copiedBlocks(b.Content)
			own[i], ok = b, ok && valid(b.ToolCallID)
		}
		if !ok {
			return nil, false
		}
	}
	return own, true
}

func copiedResult(d ToolResult) (Data, bool) {
	m, ok := copiedMessage(d.Message)
	if !ok || d.Error != nil && !valid(d.Error.Name, d.Error.Code) {
		return nil, false
	}
	d.Message, d.Error = m, pointTo(d.Error)
	if len(d.Meta) == 0 {
		d.Meta = nil // absent
		return d, true
	}
	d.Meta, ok = copiedJSON(d.Meta)
	return d, ok
}

func copiedSplice(d InboxSpliced) (Data, bool) {
	if d.Inserted != nil {
		own := make([]llm.Message, len(d.Inserted))
		for i, m := range d.Inserted {
			var ok bool
			if own[i], ok = copiedMessage(m); !ok {
				return nil, false
			}
		}
		d.Inserted = own
	}
	return d, valid(d.Target, d.Outcome)
}

func copiedHeader(d RequestHeader) (Data, bool) {
	h := d.Header.canonical()
	c := h.Config
	h.Config.Temperature = pointTo(c.Temperature)
	h.Config.Stop = append([]string(nil), c.Stop...)
	if t := c.Temperature; t != nil && (math.IsNaN(*t) || math.IsInf(*t, 0)) {
		return nil, false
	}
	h.Tools = append([]llm.ToolSpec(nil), h.Tools...)
	for i, t := range h.Tools {
		var ok bool
		if h.Tools[i].Parameters, ok = copiedJSON(t.Parameters); !ok || !valid(t.Name, t.Description) {
			return nil, false
		}
	}
	return RequestHeader{Header: h, Reason: d.Reason}, valid(d.Reason, h.System, c.Provider, c.Model, c.Effort) && valid(c.Stop...)
}

// deepest is more than the brackets that JSON of a caller can stand in on a line.
const deepest = 16

// copiedJSON is false for what is no JSON, and for JSON that would be written
// without its white space or is too deep to be read again.
func copiedJSON(raw json.RawMessage) (json.RawMessage, bool) {
	var dense bytes.Buffer
	dense.Grow(len(raw))
	if json.Compact(&dense, raw) != nil || !bytes.Equal(dense.Bytes(), raw) {
		return nil, false
	}
	return dense.Bytes(), !tooDeep(raw, deepest)
}
