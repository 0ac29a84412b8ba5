package openai

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dsh-go/dsh-workflow/llm"
)

// noOutput is the text of a tool result that has none, noResult that of a call
// that was never answered. Servers refuse calls without an answer.
const (
	noOutput = "(no output)"
	noResult = "(no result: the call was interrupted before it ended)"
)

// unparsed is the member that carries arguments which are not a JSON object.
const unparsed = "unparsed_arguments"

// Encode returns the body of the request, byte for byte as it is sent. It
// depends on its arguments only. The members that siblings and later requests
// share come first: model, messages, tools. A longer history has the bytes of
// the shorter one as its prefix, up to the end of the messages.
//
// The error is an [*llm.Error]: [llm.CodeEffort] for an effort that the profile
// has nothing near, [llm.CodeInvalidRequest] for a request that no server could
// take.
func Encode(req llm.Request, p Profile) ([]byte, error) {
	if err := check(req); err != nil {
		return nil, err
	}
	effort, _ := p.Effort(req.Config.Effort)
	if effort == "" && req.Config.Effort != "" {
		return nil, &llm.Error{Kind: llm.CodeEffort, Message: fmt.Sprintf("effort %q is not one that the %s profile has", req.Config.Effort, p.Name)}
	}
	b := make([]byte, 0, sizeOf(req))
	b = llm.AppendString(append(b, `{"model":`...), req.Config.Model)
	b = append(b, `,"messages":[`...)
	b = appendHistory(b, req, p)
	b = appendTools(append(b, ']'), req.Tools)
	b = append(b, `,"stream":true,"stream_options":{"include_usage":true}`...)
	b = appendSampling(b, req.Config, p)
	switch {
	case effort == "":
	case p.Thinking && req.Config.Effort == "off":
		b = append(b, `,"thinking":{"type":"disabled"}`...)
	default:
		if p.Thinking {
			b = append(b, `,"thinking":{"type":"enabled"}`...)
		}
		b = llm.AppendString(append(b, `,"reasoning_effort":`...), effort)
	}
	return append(b, '}'), nil
}

func check(req llm.Request) error {
	fault := ""
	switch t := req.Config.Temperature; {
	case req.Config.Model == "":
		fault = "the request names no model"
	case t != nil && (math.IsNaN(*t) || math.IsInf(*t, 0)):
		fault = "the temperature is not a number"
	case req.Config.MaxTokens < 0:
		fault = "the limit of tokens is negative"
	}
	for _, t := range req.Tools {
		if len(t.Parameters) > 0 && !json.Valid(t.Parameters) {
			fault = fmt.Sprintf("the parameters of tool %q are not JSON", t.Name)
		}
	}
	if fault == "" {
		return nil
	}
	return &llm.Error{Kind: llm.CodeInvalidRequest, Message: fault}
}

func appendSampling(b []byte, c llm.Config, p Profile) []byte {
	if c.Temperature != nil {
		b = strconv.AppendFloat(append(b, `,"temperature":`...), *c.Temperature, 'g', -1, 64)
	}
	limit := c.MaxTokens
	if limit == 0 {
		limit = p.MaxTokens
	}
	if limit > 0 && p.MaxTokensField != "" {
		b = append(llm.AppendString(append(b, ','), p.MaxTokensField), ':')
		b = strconv.AppendInt(b, int64(limit), 10)
	}
	for i, s := range c.Stop {
		if i == 0 {
			b = append(b, `,"stop":[`...)
		} else {
			b = append(b, ',')
		}
		b = llm.AppendString(b, s)
	}
	if len(c.Stop) > 0 {
		b = append(b, ']')
	}
	return b
}

func appendTools(b []byte, tools []llm.ToolSpec) []byte {
	if len(tools) == 0 {
		return b
	}
	b = append(b, `,"tools":[`...)
	for i, t := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = llm.AppendString(append(b, `{"type":"function","function":{"name":`...), t.Name)
		b = llm.AppendString(append(b, `,"description":`...), t.Description)
		b = append(b, `,"parameters":`...)
		if len(t.Parameters) == 0 {
			b = append(b, `{"type":"object","properties":{}}`...)
		}
		b = append(append(b, t.Parameters...), "}}"...)
	}
	return append(b, ']')
}

// appendHistory writes the messages in the form that doc.go describes.
func appendHistory(b []byte, req llm.Request, p Profile) []byte {
	w := messageWriter{dst: b, profile: p}
	if req.System != "" {
		w.open("system")
		w.dst = llm.AppendString(append(w.dst, `,"content":`...), req.System)
		w.dst = append(w.dst, '}')
	}
	calls := pair(req.Messages)
	for i, m := range req.Messages {
		if m.Role == llm.RoleAssistant {
			w.assistant(m, calls[i])
		} else {
			w.user(m)
		}
	}
	return w.dst
}

// messageWriter appends messages to dst.
type messageWriter struct {
	dst     []byte
	profile Profile
	count   int
}

func (w *messageWriter) open(role string) {
	if w.count > 0 {
		w.dst = append(w.dst, ',')
	}
	w.count++
	w.dst = llm.AppendString(append(w.dst, `{"role":`...), role)
}

// user writes the text of a message. A message that has results only was
// written behind its calls; one that has nothing is sent empty.
func (w *messageWriter) user(m llm.Message) {
	text, results := "", false
	for _, b := range m.Content {
		switch b := b.(type) {
		case llm.Text:
			text = join(text, b.Text)
		case llm.ToolResult:
			results = true
		}
	}
	if text == "" && results {
		return
	}
	w.open("user")
	w.dst = llm.AppendString(append(w.dst, `,"content":`...), text)
	w.dst = append(w.dst, '}')
}

func (w *messageWriter) assistant(m llm.Message, calls []pairedCall) {
	var text, reasoning strings.Builder
	thought := false
	for _, b := range m.Content {
		switch b := b.(type) {
		case llm.Text:
			text.WriteString(b.Text)
		case llm.Reasoning:
			reasoning.WriteString(b.Text)
			thought = true
		}
	}
	if len(calls) == 0 && text.Len() == 0 && !thought {
		return // servers refuse an assistant message that says nothing
	}
	w.open("assistant")
	w.dst = llm.AppendString(append(w.dst, `,"content":`...), text.String())
	replay := w.profile.Reasoning
	if (thought && replay != ReplayNever) || (len(calls) > 0 && replay == ReplayCalls) {
		w.dst = llm.AppendString(append(w.dst, `,"reasoning_content":`...), reasoning.String())
	}
	for i, c := range calls {
		if i == 0 {
			w.dst = append(w.dst, `,"tool_calls":[`...)
		} else {
			w.dst = append(w.dst, ',')
		}
		w.call(c)
	}
	if len(calls) > 0 {
		w.dst = append(w.dst, ']')
	}
	w.dst = append(w.dst, '}')
	for _, c := range calls {
		w.result(c)
	}
}

func (w *messageWriter) call(c pairedCall) {
	w.dst = llm.AppendString(append(w.dst, `{"id":`...), c.id)
	w.dst = append(w.dst, `,"type":"function","function":{"name":`...)
	w.dst = llm.AppendString(w.dst, wireName(c.call.Name))
	w.dst = llm.AppendString(append(w.dst, `,"arguments":`...), wireArguments(c.call.Arguments))
	w.dst = append(w.dst, "}}"...)
}

func (w *messageWriter) result(c pairedCall) {
	text := noResult
	if c.result != nil {
		text = ""
		for _, b := range c.result.Content {
			if t, ok := b.(llm.Text); ok {
				text = join(text, t.Text)
			}
		}
		if text == "" {
			text = noOutput
		}
	}
	w.open("tool")
	w.dst = llm.AppendString(append(w.dst, `,"tool_call_id":`...), c.id)
	w.dst = llm.AppendString(append(w.dst, `,"content":`...), text)
	w.dst = append(w.dst, '}')
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n" + b
}

// wireArguments returns arguments that a server which parses them accepts:
// an object is sent as the model wrote it.
func wireArguments(raw string) string {
	trimmed := strings.TrimSpace(raw)
	if trimmed == "" || trimmed == "null" {
		return "{}"
	}
	if trimmed[0] == '{' && json.Valid([]byte(raw)) {
		return raw
	}
	b := llm.AppendString([]byte(`{"`+unparsed+`":`), raw)
	return string(append(b, '}'))
}

// wireName returns a name of the form that servers accept: up to 64 letters,
// digits, underscores and dashes. Models make up other ones.
func wireName(name string) string {
	ok := func(r rune) bool {
		return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	clean := strings.Map(func(r rune) rune {
		if ok(r) {
			return r
		}
		return '_'
	}, name)
	if clean == "" {
		clean = "unnamed"
	}
	return clean[:min(len(clean), 64)]
}

// sizeOf returns about how long the body gets, so that it is allocated once.
func sizeOf(req llm.Request) int {
	size := 512 + len(req.System)
	for _, t := range req.Tools {
		size += 96 + len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	for _, m := range req.Messages {
		size += 64
		for _, b := range m.Content {
			size += 32 + blockSize(b)
		}
	}
	return size + size/8
}

func blockSize(b llm.Block) int {
	switch b := b.(type) {
	case llm.Text:
		return len(b.Text)
	case llm.Reasoning:
		return len(b.Text)
	case llm.ToolCall:
		return 96 + len(b.ID) + len(b.Name) + len(b.Arguments)
	case llm.ToolResult:
		size := 64 + len(b.ToolCallID)
		for _, c := range b.Content {
			size += blockSize(c)
		}
		return size
	}
	return 0
}
