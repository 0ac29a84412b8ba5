package observe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// See notes what an agent is doing, read from an event of its session, and
// returns the agent; nil if there is none that runs.
func (v *View) See(seq workflow.Seq, e session.Event) *Agent {
	a := v.Agents[seq]
	if a == nil || a.State != Running {
		return nil
	}
	if doing := doing(e); doing != "" {
		a.Doing = doing
	}
	return a
}

// doing says in a few words what an event is the beginning of; empty for one
// that changes nothing.
func doing(e session.Event) string {
	switch d := e.Data.(type) {
	case session.StepStart, session.RetryStarted:
		return "asking the model"
	case session.AssistantChunk:
		switch d.Chunk.(type) {
		case llm.ReasoningDelta:
			return "thinking"
		case llm.TextDelta, llm.ToolCallDelta:
			return "writing"
		}
	case session.ToolCall:
		return d.Name + " " + hint(d.Arguments)
	case session.Retry:
		return waiting(d)
	}
	return ""
}

// waiting says what a provider failed with, and when it is asked again.
func waiting(d session.Retry) string {
	delay := time.Duration(d.DelayMS) * time.Millisecond
	return fmt.Sprintf("retry %d in %s: %s (%s)", d.Attempt, seconds(delay), d.Failure.Message, d.Failure.Code)
}

// hints are the arguments that say most about a call of a tool.
var hints = [...]string{"file_path", "path", "pattern", "command", "query", "url"}

// hint is the telling argument of a call, or all of them.
func hint(arguments string) string {
	var args map[string]any
	if json.Unmarshal([]byte(arguments), &args) != nil {
		return arguments
	}
	for _, name := range hints {
		if text, ok := args[name].(string); ok && text != "" {
			return text
		}
	}
	var b bytes.Buffer
	if json.Compact(&b, []byte(arguments)) != nil {
		return arguments
	}
	return b.String()
}
