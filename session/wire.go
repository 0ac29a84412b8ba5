package session

import (
	"encoding/json"

	"github.com/dsh-go/dsh-workflow/llm"
)

// The payloads whose form in the file is not that of their Go type.
type (
	wireUserMessage struct{ llm.Message }

	wireAssistantChunk struct {
		Turn  int             `json:"turn"`
		Step  int             `json:"step"`
		Chunk json.RawMessage `json:"chunk"`
	}

	wireAssistantMessage struct {
		Turn        int         `json:"turn"`
		Step        int         `json:"step"`
		Message     llm.Message `json:"message"`
		Usage       *llm.Usage  `json:"usage,omitempty"`
		Interrupted bool        `json:"interrupted,omitempty"`
	}

	wireToolResult struct {
		Turn    int             `json:"turn"`
		Step    int             `json:"step"`
		Message llm.Message     `json:"message"`
		Error   *ToolError      `json:"error,omitempty"`
		Meta    json.RawMessage `json:"meta,omitempty"`
	}
)

// wireOf returns the value whose JSON is the payload of d, which is no chunk.
func wireOf(d Data) any {
	switch d := d.(type) {
	case UserMessage:
		return d.Message
	case AssistantMessage:
		return wireAssistantMessage(d)
	case ToolResult:
		return wireToolResult(d)
	case Opaque:
		return d.Raw
	}
	return d
}

func (w wireUserMessage) event() (Data, error) { return UserMessage{Message: w.Message}, nil }

func (w wireAssistantChunk) event() (Data, error) {
	chunk, err := llm.UnmarshalChunk(w.Chunk)
	if err != nil {
		return nil, err
	}
	return AssistantChunk{Turn: w.Turn, Step: w.Step, Chunk: chunk}, nil
}

func (w wireAssistantMessage) event() (Data, error) { return AssistantMessage(w), nil }

func (w wireToolResult) event() (Data, error) { return ToolResult(w), nil }
