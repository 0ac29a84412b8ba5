package llm

import "encoding/json"

// Role says who speaks in a [Message].
type Role string

// The roles of a conversation. The system text is not a message: it is
// [Request.System].
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is one entry of a conversation. Its JSON form is
// {"id","role","content":[block…],"source":{"kind",…}}.
type Message struct {
	ID      string  `json:"id"`
	Role    Role    `json:"role"`
	Content []Block `json:"content"`
	Source  Source  `json:"source"`
}

// Block is one part of a message's content. The set is sealed: [Text],
// [Reasoning], [ToolCall], [ToolResult] and [Unknown].
type Block interface{ block() }

// Text is prose, of the user or of the model.
type Text struct{ Text string }

// Reasoning is what a thinking model said to itself.
type Reasoning struct{ Text string }

// ToolCall is a model's demand to run a tool. Arguments is the raw string that
// the model produced; it need not be JSON.
type ToolCall struct{ ID, Name, Arguments string }

// ToolResult answers the [ToolCall] with the same id. It stands alone in a
// message of role user.
type ToolResult struct {
	ToolCallID string
	Content    []Block
	IsError    bool
}

// Unknown is a block of a type that this version does not know. It survives a
// round trip byte for byte and is skipped when a request is encoded.
type Unknown struct {
	Type string
	Raw  json.RawMessage
}

func (Text) block()       {}
func (Reasoning) block()  {}
func (ToolCall) block()   {}
func (ToolResult) block() {}
func (Unknown) block()    {}

// Source kinds that this module writes. Others may be read from a log.
const (
	SourceUser         = "user"
	SourceModel        = "model"
	SourceTool         = "tool"
	SourcePlugin       = "plugin"
	SourceInstructions = "agent-instructions"
)

// Source says where a message came from. It is durable and never reaches a
// provider. Extra holds the fields that belong to one kind only; they stand
// beside the named ones in the JSON object and survive a round trip.
type Source struct {
	Kind     string
	Plugin   string // kind plugin
	Form     string // kind plugin and agent-instructions
	Provider string // kind model
	Model    string // kind model
	CallID   string // kind tool
	Extra    map[string]json.RawMessage
}
