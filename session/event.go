package session

import (
	"encoding/json"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
)

// FormatVersion is the version of the log format.
const FormatVersion = 0

// Seq numbers the events of a log: the first is 0 and there are no gaps.
type Seq int

// Header opens a log. It never changes.
type Header struct {
	Version         int    `json:"version"`
	ID              string `json:"id"`
	CreatedAt       int64  `json:"createdAt"` // milliseconds since the epoch
	Cwd             string `json:"cwd,omitempty"`
	ParentSession   string `json:"parentSession,omitempty"`
	SeedLength      int    `json:"seedLength,omitempty"`
	Origin          string `json:"origin,omitempty"` // "subagent" or empty
	DelegationDepth int    `json:"delegationDepth"`
}

// Event is one entry of a log: a fact with its number and time.
type Event struct {
	Seq     Seq
	Time    time.Time // millisecond precision in the file
	Data    Data
	Replace *Range // surface events only; nil appends to the surface
	Sources []Seq  // earlier events that this one was made from
	// Ignorable lets a reader that does not know the type skip the event.
	Ignorable bool
}

// Range is a window of the surface, both ends included.
type Range struct{ Start, End Seq }

// Data is the payload of an event. The set is sealed; the tag that stands in
// the file is known to the codec alone.
type Data interface{ data() }

// TurnStart opens a turn. Turns count from 1.
type TurnStart struct {
	Turn int `json:"turn"`
}

// TurnEnd closes a turn.
type TurnEnd struct {
	Turn   int       `json:"turn"`
	Reason EndReason `json:"reason"`
}

// EndReason says why a turn ended: Kind is one of the End constants. Cause is
// set for aborted, Error for error.
type EndReason struct {
	Kind  string   `json:"kind"`
	Cause string   `json:"cause,omitempty"` // user, parent, disposed or a hook's reason
	Error *Failure `json:"error,omitempty"`
}

// Kinds of EndReason.
const (
	EndCompleted   = "completed"
	EndMaxTokens   = "max-tokens"
	EndMaxSteps    = "max-steps"
	EndBlocked     = "blocked"
	EndInterrupted = "interrupted"
	EndAborted     = "aborted"
	EndError       = "error"
)

// Failure is an error as it stands in a log.
type Failure struct {
	Message   string `json:"message"`
	Code      string `json:"code"`
	Status    int    `json:"status,omitempty"`
	RequestID string `json:"requestId,omitempty"`
}

// StepStart opens one model request inside a turn. Steps count from 1.
type StepStart struct {
	Turn int `json:"turn"`
	Step int `json:"step"`
}

// StepEnd closes a step.
type StepEnd struct {
	Turn int `json:"turn"`
	Step int `json:"step"`
}

// UserMessage is a message of role user that the model sees. A surface event.
type UserMessage struct{ Message llm.Message }

// AssistantChunk is one chunk of a stream, as it came.
type AssistantChunk struct {
	Turn, Step int
	Chunk      llm.Chunk
}

// AssistantMessage is what the model answered. A surface event; its sources are
// the chunks of the attempt that succeeded.
type AssistantMessage struct {
	Turn, Step  int
	Message     llm.Message
	Usage       *llm.Usage
	Interrupted bool
}

// ToolCall is a tool about to be run.
type ToolCall struct {
	Turn      int    `json:"turn"`
	Step      int    `json:"step"`
	CallID    string `json:"callId"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // raw, as the model wrote them
}

// ToolResult is what a tool gave. A surface event: Message has exactly one
// llm.ToolResult block.
type ToolResult struct {
	Turn, Step int
	Message    llm.Message
	Error      *ToolError
	Meta       json.RawMessage
}

// ToolError names the failure of a tool.
type ToolError struct {
	Name string `json:"name"`
	Code string `json:"code"`
}

// RequestHeader is everything about a request except its messages.
type RequestHeader struct {
	Header EpochHeader `json:"header"`
	Reason string      `json:"reason"` // initial, resume or change
}

// EpochHeader is the part of a request that seldom changes. Empty members are
// absent.
type EpochHeader struct {
	Config llm.Config     `json:"config"`
	System string         `json:"system,omitempty"`
	Tools  []llm.ToolSpec `json:"tools,omitempty"`
}

// InboxSpliced is a durable change of one of the agent's two lists of waiting
// messages.
type InboxSpliced struct {
	Target   string        `json:"target"` // next-turn or next-step
	Start    int           `json:"start"`
	Removed  int           `json:"removedCount,omitempty"`
	Inserted []llm.Message `json:"inserted"`
	Outcome  string        `json:"outcome,omitempty"` // canceled
}

// Descriptor says how a subagent was started.
type Descriptor struct {
	Version  int    `json:"version"` // 2
	Mode     string `json:"mode"`    // one-shot
	Provider string `json:"provider"`
	Label    string `json:"label,omitempty"`
}

// Retry says that a failed attempt of a step is tried again after a delay.
type Retry struct {
	Turn    int     `json:"turn"`
	Step    int     `json:"step"`
	Attempt int     `json:"attempt"` // 1 for the first retry
	DelayMS int64   `json:"delayMs"`
	Failure Failure `json:"failure"`
}

// RetryStarted says that the delay of a Retry is over.
type RetryStarted struct {
	Turn    int `json:"turn"`
	Step    int `json:"step"`
	Attempt int `json:"attempt"`
}

// EndSeed separates inherited events from the session's own.
type EndSeed struct{}

// Opaque is an event of a type that belongs to a room above, or that this
// version does not know. Type is the tag of the file.
type Opaque struct {
	Type string
	Raw  json.RawMessage
}

func (TurnStart) data()        {}
func (TurnEnd) data()          {}
func (StepStart) data()        {}
func (StepEnd) data()          {}
func (UserMessage) data()      {}
func (AssistantChunk) data()   {}
func (AssistantMessage) data() {}
func (ToolCall) data()         {}
func (ToolResult) data()       {}
func (RequestHeader) data()    {}
func (InboxSpliced) data()     {}
func (Descriptor) data()       {}
func (Retry) data()            {}
func (RetryStarted) data()     {}
func (EndSeed) data()          {}
func (Opaque) data()           {}
