package session

import (
	"bytes"
	"slices"

	"github.com/dsh-go/dsh-workflow/llm"
)

// surface is the ordered part of a log that produces messages. Messages are
// derived as events come; a replacement derives them all again. Neither list is
// ever written to but behind its end, so readers may keep a part of it.
type surface struct {
	nodes    []Event
	messages []llm.Message
}

// check says why e does not fit, or nil. next is the number that e will have.
func (s *surface) check(e Event, next Seq) error {
	if err := checkSources(e, next); err != nil {
		return err
	}
	if e.Replace == nil {
		return nil
	}
	if !onSurface(e.Data) {
		return fault(CodeSurface, "surface replace: %s is not a surface event", tagOf(e.Data))
	}
	start, end, err := s.window(*e.Replace)
	if err != nil {
		return err
	}
	shadowed := s.nodes[start : end+1]
	for _, node := range shadowed {
		if !slices.Contains(e.Sources, node.Seq) {
			return fault(CodeSurface, "surface replace: shadowed event %d is not among the sources", node.Seq)
		}
	}
	if result, ok := e.Data.(ToolResult); ok {
		return checkResultReplacement(result, shadowed)
	}
	return nil
}

func checkSources(e Event, next Seq) error {
	if e.Sources == nil {
		return nil
	}
	if _, answer := e.Data.(AssistantMessage); len(e.Sources) == 0 && !answer {
		return fault(CodeSurface, "sourceEventSeqs must not be empty") // an answer may have come without chunks
	}
	if !onSurface(e.Data) {
		return fault(CodeSurface, "sourceEventSeqs is not allowed on %s", tagOf(e.Data))
	}
	seen := make(map[Seq]bool, len(e.Sources))
	for _, source := range e.Sources {
		if source < 0 || source >= next {
			return fault(CodeSurface, "sourceEventSeqs must be earlier events, got %d for event %d", source, next)
		}
		if seen[source] {
			return fault(CodeSurface, "sourceEventSeqs must not contain duplicates")
		}
		seen[source] = true
	}
	return nil
}

// window finds the positions of a range, both ends included.
func (s *surface) window(r Range) (start, end int, err error) {
	find := func(seq Seq) int {
		return slices.IndexFunc(s.nodes, func(node Event) bool { return node.Seq == seq })
	}
	start, end = find(r.Start), find(r.End)
	switch {
	case start < 0:
		return 0, 0, fault(CodeSurface, "surface replace: start seq %d not found in surface", r.Start)
	case end < 0:
		return 0, 0, fault(CodeSurface, "surface replace: end seq %d not found in surface", r.End)
	case start > end:
		return 0, 0, fault(CodeSurface, "surface replace: start seq %d comes after end seq %d", r.Start, r.End)
	}
	return start, end, nil
}

// checkResultReplacement: a result may be replaced by one that differs in
// nothing but the content of its block.
func checkResultReplacement(d ToolResult, shadowed []Event) error {
	if len(shadowed) != 1 {
		return fault(CodeSurface, "a tool/result replaces exactly one tool/result, not %d events", len(shadowed))
	}
	old, ok := shadowed[0].Data.(ToolResult)
	if !ok {
		return fault(CodeSurface, "a tool/result replaces a tool/result, not %s", tagOf(shadowed[0].Data))
	}
	a, errA := withoutContent(old)
	b, errB := withoutContent(d)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		return fault(CodeSurface, "a tool/result may replace another one only with different content")
	}
	return nil
}

func withoutContent(d ToolResult) ([]byte, error) {
	block, ok := resultBlock(d)
	if !ok {
		return nil, fault(CodeSurface, "tool/result without a tool-result block")
	}
	block.Content = nil
	d.Message.Content = []llm.Block{block}
	return encodeData(d)
}

// resultBlock returns the one block of a tool result.
func resultBlock(d ToolResult) (llm.ToolResult, bool) {
	if len(d.Message.Content) != 1 || d.Message.Role != llm.RoleUser {
		return llm.ToolResult{}, false
	}
	block, ok := d.Message.Content[0].(llm.ToolResult)
	return block, ok
}

// apply takes e, which check accepted.
func (s *surface) apply(e Event) {
	if !onSurface(e.Data) {
		return
	}
	if e.Replace == nil {
		s.nodes = append(s.nodes, e)
		s.messages = appendMessage(s.messages, e.Data)
		return
	}
	start, end, err := s.window(*e.Replace)
	if err != nil {
		return // check has refused it
	}
	s.nodes = slices.Concat(s.nodes[:start], []Event{e}, s.nodes[end+1:])
	s.messages = nil
	for _, node := range s.nodes {
		s.messages = appendMessage(s.messages, node.Data)
	}
}

// appendMessage adds what the model sees of one surface event. An answer
// without content says nothing and is left out.
func appendMessage(messages []llm.Message, d Data) []llm.Message {
	switch d := d.(type) {
	case UserMessage:
		return append(messages, d.Message)
	case AssistantMessage:
		if len(d.Message.Content) > 0 {
			return append(messages, d.Message)
		}
	case ToolResult:
		return append(messages, d.Message)
	}
	return messages
}
