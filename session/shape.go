package session

import "github.com/dsh-go/dsh-workflow/llm"

// checkShape holds the rules of a payload that need no look at the log. They
// are the same for an event that is appended and for one that is inherited, so
// whatever a log takes can be loaded again.
func checkShape(d Data) error {
	switch d := d.(type) {
	case UserMessage:
		return checkMessage(tagUserMessage, d.Message, llm.RoleUser)
	case AssistantMessage:
		if d.Message.Source.Kind != llm.SourceModel || d.Message.Source.Model == "" {
			return fault(CodeInvariant, "%s needs a source of kind %q that names the model", tagAssistantMessage, llm.SourceModel)
		}
		return checkMessage(tagAssistantMessage, d.Message, llm.RoleAssistant)
	case ToolResult:
		return checkResult(d)
	case RequestHeader:
		if d.Header.Config.Provider == "" || d.Header.Config.Model == "" {
			return fault(CodeInvariant, "%s needs a provider and a model", tagRequestHeader)
		}
	}
	return nil
}

func checkMessage(tag string, m llm.Message, role llm.Role) error {
	if m.ID == "" || m.Role != role || m.Source.Kind == "" {
		return fault(CodeInvariant, "the message of %s needs an id, the role %q and the kind of its source", tag, role)
	}
	return nil
}

func checkResult(d ToolResult) error {
	block, ok := resultBlock(d)
	if !ok {
		return fault(CodeInvariant, "%s needs a user message with exactly one tool-result block", tagToolResult)
	}
	if d.Message.Source.CallID != block.ToolCallID {
		return fault(CodeInvariant, "%s answers the call %q but its source names %q", tagToolResult, block.ToolCallID, d.Message.Source.CallID)
	}
	return checkMessage(tagToolResult, d.Message, llm.RoleUser)
}
