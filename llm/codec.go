package llm

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// The tags that stand in the "type" member of a block.
const (
	tagText       = "text"
	tagReasoning  = "reasoning"
	tagToolCall   = "tool-call"
	tagToolResult = "tool-result"
)

const hexDigits = "0123456789abcdef"

// plain tells the bytes that stand for themselves inside a JSON string.
var plain = func() (table [256]bool) {
	for c := range table {
		table[c] = c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\'
	}
	return table
}()

// AppendString appends s as a JSON string and returns the longer slice. Nothing
// is escaped that JSON does not ask for, and invalid UTF-8 becomes U+FFFD, so
// the same text has the same bytes in a log and in a request.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			dst = appendEscaped(append(dst, s[start:i]...), c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(append(dst, s[start:i]...), "\ufffd"...)
			start = i + 1
		}
		i += size
	}
	return append(append(dst, s[start:]...), '"')
}

func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// AppendJSON appends the JSON form of the message and returns the longer slice.
// It is what a log should use: [json.Marshal] of a value that holds a message
// would compact and escape the bytes of an [Unknown] block.
func (m Message) AppendJSON(dst []byte) []byte {
	dst = AppendString(append(dst, `{"id":`...), m.ID)
	dst = AppendString(append(dst, `,"role":`...), string(m.Role))
	dst = appendBlocks(append(dst, `,"content":`...), m.Content)
	dst = m.Source.AppendJSON(append(dst, `,"source":`...))
	return append(dst, '}')
}

// MarshalJSON returns what AppendJSON appends.
func (m Message) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }

// UnmarshalJSON reads the JSON form. Blocks of unknown types are kept as
// [Unknown]; unknown members of the message itself are dropped.
func (m *Message) UnmarshalJSON(data []byte) error {
	var wire struct {
		ID      string            `json:"id"`
		Role    Role              `json:"role"`
		Content []json.RawMessage `json:"content"`
		Source  Source            `json:"source"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return fmt.Errorf("message: %w", err)
	}
	content, err := unmarshalBlocks(wire.Content)
	if err != nil {
		return fmt.Errorf("message %q: %w", wire.ID, err)
	}
	*m = Message{ID: wire.ID, Role: wire.Role, Content: content, Source: wire.Source}
	return nil
}

func appendBlocks(dst []byte, blocks []Block) []byte {
	dst = append(dst, '[')
	for i, b := range blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendBlock(dst, b)
	}
	return append(dst, ']')
}

// AppendBlock appends the JSON form of a block, an object with a "type", and
// returns the longer slice. An [Unknown] block is appended byte for byte. A nil
// block is appended as null.
func AppendBlock(dst []byte, b Block) []byte {
	switch b := b.(type) {
	case Text:
		dst = AppendString(append(dst, `{"type":"text","text":`...), b.Text)
	case Reasoning:
		dst = AppendString(append(dst, `{"type":"reasoning","text":`...), b.Text)
	case ToolCall:
		dst = AppendString(append(dst, `{"type":"tool-call","id":`...), b.ID)
		dst = AppendString(append(dst, `,"name":`...), b.Name)
		dst = AppendString(append(dst, `,"arguments":`...), b.Arguments)
	case ToolResult:
		dst = AppendString(append(dst, `{"type":"tool-result","toolCallId":`...), b.ToolCallID)
		dst = appendBlocks(append(dst, `,"content":`...), b.Content)
		if b.IsError {
			dst = append(dst, `,"isError":true`...)
		}
	case Unknown:
		return append(dst, b.Raw...)
	default:
		return append(dst, "null"...)
	}
	return append(dst, '}')
}

// MarshalJSON returns the JSON form of the block.
func (b Text) MarshalJSON() ([]byte, error) { return AppendBlock(nil, b), nil }

// MarshalJSON returns the JSON form of the block.
func (b Reasoning) MarshalJSON() ([]byte, error) { return AppendBlock(nil, b), nil }

// MarshalJSON returns the JSON form of the block.
func (b ToolCall) MarshalJSON() ([]byte, error) { return AppendBlock(nil, b), nil }

// MarshalJSON returns the JSON form of the block.
func (b ToolResult) MarshalJSON() ([]byte, error) { return AppendBlock(nil, b), nil }

// MarshalJSON returns the bytes that the block was read from.
func (b Unknown) MarshalJSON() ([]byte, error) { return AppendBlock(nil, b), nil }

// UnmarshalBlock reads one block. A type that this version does not know, also
// a missing one, gives an [Unknown] with a copy of data.
func UnmarshalBlock(data []byte) (Block, error) {
	var wire struct {
		Type       string            `json:"type"`
		Text       string            `json:"text"`
		ID         string            `json:"id"`
		Name       string            `json:"name"`
		Arguments  string            `json:"arguments"`
		ToolCallID string            `json:"toolCallId"`
		Content    []json.RawMessage `json:"content"`
		IsError    bool              `json:"isError"`
	}
	var tag struct {
		Type json.RawMessage `json:"type"`
	}
	if err := json.Unmarshal(data, &tag); err != nil {
		return nil, fmt.Errorf("block: %w", err)
	}
	var name string
	_ = json.Unmarshal(tag.Type, &name) // a tag that is no string is an unknown one
	switch name {
	case tagText, tagReasoning, tagToolCall, tagToolResult:
	default:
		return Unknown{Type: name, Raw: json.RawMessage(strings.Clone(string(data)))}, nil
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return nil, fmt.Errorf("block %q: %w", name, err)
	}
	switch name {
	case tagText:
		return Text{wire.Text}, nil
	case tagReasoning:
		return Reasoning{wire.Text}, nil
	case tagToolCall:
		return ToolCall{ID: wire.ID, Name: wire.Name, Arguments: wire.Arguments}, nil
	}
	content, err := unmarshalBlocks(wire.Content)
	if err != nil {
		return nil, fmt.Errorf("result of %q: %w", wire.ToolCallID, err)
	}
	return ToolResult{ToolCallID: wire.ToolCallID, Content: content, IsError: wire.IsError}, nil
}

func unmarshalBlocks(raw []json.RawMessage) ([]Block, error) {
	blocks := make([]Block, 0, len(raw))
	for i, r := range raw {
		b, err := UnmarshalBlock(r)
		if err != nil {
			return nil, fmt.Errorf("content[%d]: %w", i, err)
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

// fields lists the named members in the order in which they are written.
func (s *Source) fields() [6]struct {
	key   string
	value *string
} {
	return [6]struct {
		key   string
		value *string
	}{
		{"kind", &s.Kind}, {"plugin", &s.Plugin}, {"form", &s.Form},
		{"provider", &s.Provider}, {"model", &s.Model}, {"callId", &s.CallID},
	}
}

// AppendJSON appends the JSON form of the source and returns the longer slice:
// kind first, the other named members that are set, then Extra by key.
func (s Source) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	written := make(map[string]bool, 6)
	for i, f := range s.fields() {
		if *f.value == "" && (i > 0 || s.Extra["kind"] != nil) {
			continue
		}
		written[f.key] = true
		dst = appendKey(dst, f.key)
		dst = AppendString(dst, *f.value)
	}
	keys := make([]string, 0, len(s.Extra))
	for k := range s.Extra {
		if !written[k] {
			keys = append(keys, k)
		}
	}
	sort.Strings(keys)
	for _, k := range keys {
		dst = append(appendKey(dst, k), s.Extra[k]...)
	}
	return append(dst, '}')
}

func appendKey(dst []byte, key string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(AppendString(dst, key), ':')
}

// MarshalJSON returns what AppendJSON appends.
func (s Source) MarshalJSON() ([]byte, error) { return s.AppendJSON(nil), nil }

// UnmarshalJSON reads the JSON form. A named member that is empty or no string
// goes to Extra, so that it survives too.
func (s *Source) UnmarshalJSON(data []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	*s = Source{}
	for i, f := range s.fields() {
		var text string
		raw := members[f.key]
		if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil && (i == 0 || text != "") {
			*f.value = text
			delete(members, f.key)
		}
	}
	if len(members) > 0 {
		s.Extra = members
	}
	return nil
}
