package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dsh-go/dsh-workflow/llm"
)

// Step is what the model does in one turn of a scripted conversation: what it
// says, what goes wrong on the way and how the bytes are cut. The zero Step is
// an answer without content. In JSON all fields stand side by side, unknown ones
// are refused, and a plain string is a step that says this text.
type Step struct {
	Answer
	Trouble
	Framing
}

// Answer is the content of a turn.
type Answer struct {
	Text string `json:"text,omitempty"`
	// Reasoning comes before the text. An empty string is sent as such.
	Reasoning *string `json:"reasoning,omitempty"`

	// Tool, with Args or RawArgs and ID, is short for one entry of Tools.
	Tool    string          `json:"tool,omitempty"`
	Args    json.RawMessage `json:"args,omitempty"`
	RawArgs *string         `json:"rawArgs,omitempty"`
	ID      *string         `json:"id,omitempty"`
	Tools   []Call          `json:"tools,omitempty"`

	// Capture is the value with which the structured-output tool is called,
	// RawCapture the same as text that need not be JSON.
	Capture    json.RawMessage `json:"capture,omitempty"`
	RawCapture *string         `json:"rawCapture,omitempty"`

	// Usage is laid over the counters that would be reported, in the wire's
	// names; null, a string or any other value replaces them.
	Usage json.RawMessage `json:"usage,omitempty"`
	// Finish is the wire's finish reason; null sends none.
	Finish json.RawMessage `json:"finish,omitempty"`
}

// Call is one tool call of an [Answer]. Without Args and RawArgs its arguments
// are an empty object; without ID it gets a fresh one, an empty ID stays empty.
type Call struct {
	Name    string          `json:"name"`
	Args    json.RawMessage `json:"args,omitempty"`
	RawArgs *string         `json:"rawArgs,omitempty"`
	ID      *string         `json:"id,omitempty"`
}

// Where a connection is cut, see [Trouble].
const (
	DropStart = "start" // before the response's headers
	DropMid   = "mid"   // in the middle of the answer
)

// Trouble is what goes wrong, or takes long, in a turn. Times in milliseconds.
type Trouble struct {
	// Fail refuses the request, before the answer is played.
	Fail *Fail `json:"fail,omitempty"`
	// Drop cuts the connection, the first Times (default 1, -1 always) times.
	Drop  string `json:"drop,omitempty"`
	Times int    `json:"times,omitempty"`

	// DelayMs passes before the headers, PaceMs between any two events, StallMs
	// once after StallAfter events (default 2).
	DelayMs    int  `json:"delayMs,omitempty"`
	PaceMs     int  `json:"paceMs,omitempty"`
	StallMs    int  `json:"stallMs,omitempty"`
	StallAfter *int `json:"stallAfter,omitempty"`

	// Keepalive sends a comment before the first event. Keepalives sends that
	// many, KeepaliveMs apart.
	Keepalive   bool `json:"keepalive,omitempty"`
	Keepalives  int  `json:"keepalives,omitempty"`
	KeepaliveMs int  `json:"keepaliveMs,omitempty"`

	Garbage      string `json:"garbage,omitempty"`      // an event that is not JSON
	EmptyChoices bool   `json:"emptyChoices,omitempty"` // an answer without any choice
	NoDone       bool   `json:"noDone,omitempty"`       // an end without the end mark
	// Cut ends the body after that many bytes, or so many before its end if it
	// is negative, as if it were complete.
	Cut int `json:"cut,omitempty"`

	// HTML or BareError is the whole body of a response with status 200.
	// StreamError is an error event after the content.
	HTML        string          `json:"html,omitempty"`
	BareError   json.RawMessage `json:"bareError,omitempty"`
	StreamError json.RawMessage `json:"streamError,omitempty"`
}

// Fail is a refusal with an HTTP status.
type Fail struct {
	Status int `json:"status,omitempty"` // default 500
	Times  int `json:"times,omitempty"`  // how often before the answer is played; default 1, -1 always
	// RetryAfter is the header of this name: a number, or any text.
	RetryAfter   json.RawMessage   `json:"retryAfter,omitempty"`
	RetryAfterMs json.RawMessage   `json:"retryAfterMs,omitempty"`
	Headers      map[string]string `json:"headers,omitempty"`
	// Body is the response's body; a string is sent as it is, not as JSON.
	Body json.RawMessage `json:"body,omitempty"`
}

// Framing is how an answer is cut into events and bytes. Only a server can play
// it; the model in this package refuses RawLines and Deltas and ignores the rest,
// which does not change what an answer means.
type Framing struct {
	Chunk     int  `json:"chunk,omitempty"`     // bytes in one write
	CRLF      bool `json:"crlf,omitempty"`      // lines end with CR LF
	NoSpace   bool `json:"noSpace,omitempty"`   // no space after "data:"
	SplitArgs bool `json:"splitArgs,omitempty"` // arguments one character at a time
	ZeroIndex bool `json:"zeroIndex,omitempty"` // every tool call has index 0
	// RawLines are the lines of the body, instead of everything else.
	RawLines []string `json:"rawLines,omitempty"`
	// Deltas are sent after the content, as they are.
	Deltas []json.RawMessage `json:"deltas,omitempty"`
}

// UnmarshalJSON reads a step strictly, or a string as a step with that text.
func (s *Step) UnmarshalJSON(raw []byte) error {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && trimmed[0] == '"' {
		*s = Step{}
		return json.Unmarshal(trimmed, &s.Text)
	}
	type plain Step
	strict := json.NewDecoder(bytes.NewReader(raw))
	strict.DisallowUnknownFields()
	var read plain
	if err := strict.Decode(&read); err != nil {
		return err
	}
	*s = Step(read)
	return s.check()
}

func (s *Step) check() error {
	switch s.Drop {
	case "", DropStart, DropMid:
	default:
		return fmt.Errorf("drop is %q, not start or mid", s.Drop)
	}
	if s.Fail != nil && s.Fail.Status != 0 && (s.Fail.Status < 100 || s.Fail.Status > 599) {
		return fmt.Errorf("fail.status %d is no HTTP status", s.Fail.Status)
	}
	return nil
}

// Calls returns the tool calls of the answer with their ids filled in: a call
// without one gets prefix and its position. Capture is the name of the
// structured-output tool that the request offers, empty if it offers none.
func (a *Answer) Calls(capture, prefix string) []llm.ToolCall {
	wanted := a.Tools
	if len(wanted) == 0 && a.Tool != "" {
		wanted = []Call{{Name: a.Tool, Args: a.Args, RawArgs: a.RawArgs, ID: a.ID}}
	}
	if a.Capture != nil || a.RawCapture != nil {
		if capture == "" {
			capture = CaptureName
		}
		wanted = append(wanted[:len(wanted):len(wanted)], Call{Name: capture, Args: a.Capture, RawArgs: a.RawCapture})
	}
	calls := make([]llm.ToolCall, 0, len(wanted))
	for i, c := range wanted {
		call := llm.ToolCall{ID: fmt.Sprintf("%s_%d", prefix, i), Name: c.Name, Arguments: "{}"}
		if c.ID != nil {
			call.ID = *c.ID
		}
		if c.RawArgs != nil {
			call.Arguments = *c.RawArgs
		} else if c.Args != nil {
			call.Arguments = string(c.Args)
		}
		calls = append(calls, call)
	}
	return calls
}

// Thinking returns the reasoning, empty if there is none.
func (a *Answer) Thinking() string {
	if a.Reasoning == nil {
		return ""
	}
	return *a.Reasoning
}

// Fails reports whether the fault that may happen the given number of times
// (0 stands for once, negative for always) happens again after tried times.
func Fails(times, tried int) bool {
	if times == 0 {
		times = 1
	}
	return times < 0 || tried < times
}

// CaptureName is the usual name of the structured-output tool.
const CaptureName = "structured_output"

// IsCapture reports whether a tool of this name takes the final value of an
// agent: [CaptureName], or a name that says so in other words.
func IsCapture(name string) bool {
	lower := strings.ToLower(name)
	return strings.Contains(lower, "structured") || strings.Contains(lower, "submit")
}
