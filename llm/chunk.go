package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// ErrUnknownChunk is wrapped by the error of [UnmarshalChunk] for a type of
// chunk that this version does not know.
var ErrUnknownChunk = errors.New("unknown type of chunk")

// MarshalChunk returns the JSON form of a chunk: an object whose "type" is
// text-delta, reasoning-delta, tool-call-delta, usage or finish. Empty members
// are absent, but for "text" and "arguments" of a delta.
func MarshalChunk(c Chunk) ([]byte, error) { return AppendChunk(nil, c) }

// AppendChunk appends what [MarshalChunk] returns and returns the longer slice.
func AppendChunk(dst []byte, c Chunk) ([]byte, error) {
	switch c := c.(type) {
	case TextDelta:
		dst = appendIndex(append(dst, `{"type":"text-delta"`...), c.Index)
		dst = AppendString(append(dst, `,"text":`...), c.Text)
	case ReasoningDelta:
		dst = appendIndex(append(dst, `{"type":"reasoning-delta"`...), c.Index)
		dst = AppendString(append(dst, `,"text":`...), c.Text)
	case ToolCallDelta:
		dst = appendIndex(append(dst, `{"type":"tool-call-delta"`...), c.Index)
		dst = appendSet(dst, `,"id":`, c.ID)
		dst = appendSet(dst, `,"name":`, c.Name)
		dst = AppendString(append(dst, `,"arguments":`...), c.Arguments)
	case UsageReport:
		usage, err := json.Marshal(c.Usage)
		if err != nil {
			return nil, err
		}
		dst = append(append(dst, `{"type":"usage","usage":`...), usage...)
	case Finish:
		dst = AppendString(append(dst, `{"type":"finish","reason":`...), string(c.Reason))
		dst = appendSet(dst, `,"served":`, c.Served)
		dst = appendSet(dst, `,"requestId":`, c.RequestID)
	default:
		return nil, fmt.Errorf("%w: %T", ErrUnknownChunk, c)
	}
	return append(dst, '}'), nil
}

func appendIndex(dst []byte, index int) []byte {
	return strconv.AppendInt(append(dst, `,"index":`...), int64(index), 10)
}

func appendSet(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	return AppendString(append(dst, key...), value)
}

// UnmarshalChunk reads one chunk.
func UnmarshalChunk(data []byte) (Chunk, error) {
	var wire struct {
		Type      string       `json:"type"`
		Index     int          `json:"index"`
		Text      string       `json:"text"`
		ID        string       `json:"id"`
		Name      string       `json:"name"`
		Arguments string       `json:"arguments"`
		Usage     Usage        `json:"usage"`
		Reason    FinishReason `json:"reason"`
		Served    string       `json:"served"`
		RequestID string       `json:"requestId"`
	}
	var tag struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &tag); err != nil {
		return nil, fmt.Errorf("chunk: %w", err)
	}
	switch tag.Type {
	case "text-delta", "reasoning-delta", "tool-call-delta", "usage", "finish":
	default:
		return nil, fmt.Errorf("%w: %q", ErrUnknownChunk, tag.Type)
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return nil, fmt.Errorf("chunk %q: %w", tag.Type, err)
	}
	switch tag.Type {
	case "text-delta":
		return TextDelta{Index: wire.Index, Text: wire.Text}, nil
	case "reasoning-delta":
		return ReasoningDelta{Index: wire.Index, Text: wire.Text}, nil
	case "tool-call-delta":
		return ToolCallDelta{Index: wire.Index, ID: wire.ID, Name: wire.Name, Arguments: wire.Arguments}, nil
	case "usage":
		return UsageReport{Usage: wire.Usage}, nil
	}
	return Finish{Reason: wire.Reason, Served: wire.Served, RequestID: wire.RequestID}, nil
}
