package llmtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// CheckHistory reads the body of a chat request as the strictest servers do and
// returns the first fault of its messages, with the place, or nil. A valid
// history has a role and a string (or a list of parts, for users) as content in
// every message; system messages first; tool calls with fresh ids, a name and a
// JSON object as arguments; and right behind them one result for each call, in
// the order of the calls, that is not empty.
func CheckHistory(body []byte) error {
	var req struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	if len(req.Messages) == 0 {
		return errors.New("messages: empty")
	}
	h := history{issued: make(map[string]int)}
	for i, raw := range req.Messages {
		if err := h.add(i, raw); err != nil {
			return fmt.Errorf("messages[%d]%w", i, err)
		}
	}
	if len(h.open) > 0 {
		return fmt.Errorf("messages: tool call %q has no result", h.open[0])
	}
	return nil
}

// history is the state between two messages.
type history struct {
	issued  map[string]int // call id to the index of its message
	open    []string       // calls that still lack a result
	started bool           // something other than a system message was there
}

type strictMessage struct {
	Role       string             `json:"role"`
	Content    json.RawMessage    `json:"content"`
	Calls      *[]json.RawMessage `json:"tool_calls"`
	ToolCallID *string            `json:"tool_call_id"`
}

// add takes the next message. Errors begin with the rest of the path.
func (h *history) add(i int, raw json.RawMessage) error {
	var m strictMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return fmt.Errorf(": %w", err)
	}
	if err := checkContent(&m); err != nil {
		return err
	}
	if m.Role != "tool" && len(h.open) > 0 {
		return fmt.Errorf(": %s message where the result of tool call %q is due", m.Role, h.open[0])
	}
	switch m.Role {
	case "system", "developer":
		if h.started {
			return errors.New(": system message after the conversation has begun")
		}
		return nil
	case "user", "assistant":
		if m.ToolCallID != nil {
			return errors.New(".tool_call_id: only tool messages have one")
		}
	}
	h.started = true
	switch {
	case m.Role == "tool":
		return h.result(&m)
	case m.Calls == nil:
		return nil
	case m.Role != "assistant":
		return errors.New(".tool_calls: only assistant messages have them")
	case len(*m.Calls) == 0:
		return errors.New(".tool_calls: empty list")
	}
	for j, call := range *m.Calls {
		if err := h.call(i, call); err != nil {
			return fmt.Errorf(".tool_calls[%d]%w", j, err)
		}
	}
	return nil
}

func checkContent(m *strictMessage) error {
	switch m.Role {
	case "system", "developer", "user", "assistant", "tool":
	default:
		return fmt.Errorf(".role: %q is not a role", m.Role)
	}
	content := bytes.TrimSpace(m.Content)
	switch {
	case m.Content == nil:
		return errors.New(".content: missing")
	case bytes.Equal(content, []byte("null")):
		return errors.New(".content: null")
	case content[0] == '"':
		return nil
	case content[0] == '[' && m.Role == "user":
		return nil
	}
	return errors.New(".content: not a string")
}

func (h *history) result(m *strictMessage) error {
	switch {
	case m.ToolCallID == nil:
		return errors.New(".tool_call_id: missing")
	case *m.ToolCallID == "":
		return errors.New(".tool_call_id: empty")
	case textOf(m.Content) == "":
		return errors.New(".content: empty tool result")
	case len(h.open) == 0 || h.open[0] != *m.ToolCallID:
		return fmt.Errorf(".tool_call_id: %w", h.misplaced(*m.ToolCallID))
	}
	h.open = h.open[1:]
	return nil
}

func (h *history) misplaced(id string) error {
	if _, known := h.issued[id]; !known {
		return fmt.Errorf("no tool call %q precedes this result", id)
	}
	for _, open := range h.open {
		if open == id {
			return fmt.Errorf("result of %q out of order, that of %q is due", id, h.open[0])
		}
	}
	return fmt.Errorf("tool call %q already has a result", id)
}

func (h *history) call(message int, raw json.RawMessage) error {
	var c struct {
		ID       *string `json:"id"`
		Type     string  `json:"type"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return fmt.Errorf(": %w", err)
	}
	switch {
	case c.ID == nil:
		return errors.New(".id: missing")
	case *c.ID == "":
		return errors.New(".id: empty")
	case c.Type != "function":
		return fmt.Errorf(".type: %q, not function", c.Type)
	case c.Function.Name == "":
		return errors.New(".function.name: empty")
	}
	if first, used := h.issued[*c.ID]; used {
		return fmt.Errorf(".id: %q was already used in messages[%d]", *c.ID, first)
	}
	if err := checkArguments(c.Function.Arguments); err != nil {
		return fmt.Errorf(".function.arguments: %w", err)
	}
	h.issued[*c.ID] = message
	h.open = append(h.open, *c.ID)
	return nil
}

func checkArguments(raw json.RawMessage) error {
	if raw == nil {
		return errors.New("missing")
	}
	var text *string
	if err := json.Unmarshal(raw, &text); err != nil || text == nil {
		return errors.New("not a string")
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(*text), &object); err != nil {
		return fmt.Errorf("not a JSON object: %w", err)
	}
	if object == nil {
		return errors.New("null, not a JSON object")
	}
	return nil
}
