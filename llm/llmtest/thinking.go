package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// forcedTool returns a tool choice that forces a call, as it was sent.
func forcedTool(choice json.RawMessage) string {
	choice = bytes.TrimSpace(choice)
	switch {
	case bytes.Equal(choice, []byte(`"required"`)), bytes.HasPrefix(choice, []byte("{")):
		return string(choice)
	}
	return ""
}

type thinkingMessage struct {
	Role      string  `json:"role"`
	Reasoning *string `json:"reasoning_content"`
	Calls     []struct {
		ID string `json:"id"`
	} `json:"tool_calls"`
}

// checkReasoning demands, of a conversation in which the model thought, that each
// of its tool calls comes back with the reasoning that was sent before it. sent
// maps the ids of calls to that; an empty reasoning is one, too.
func checkReasoning(messages []json.RawMessage, sent map[string]string) error {
	read := make([]thinkingMessage, len(messages))
	thought := false
	for i, raw := range messages {
		if err := json.Unmarshal(raw, &read[i]); err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
		thought = thought || read[i].Reasoning != nil
		for _, c := range read[i].Calls {
			_, known := sent[c.ID]
			thought = thought || known
		}
	}
	if !thought {
		return nil
	}
	for i, m := range read {
		if m.Role != "assistant" || len(m.Calls) == 0 {
			continue
		}
		if m.Reasoning == nil {
			return fmt.Errorf("messages[%d]: the reasoning_content in the thinking mode must be passed back with its tool_calls", i)
		}
		for j, c := range m.Calls {
			if want, known := sent[c.ID]; known && want != *m.Reasoning {
				return fmt.Errorf("messages[%d]: reasoning_content is not what preceded tool_calls[%d] %q", i, j, c.ID)
			}
		}
	}
	return nil
}
