package sim

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dsh-go/dsh-workflow/llm"
)

// Turn is what [FindPlan] needs to know of a message. Role is "user",
// "assistant" or anything else; results of tools are not of role user here.
type Turn struct{ Role, Text string }

// Plan is the script of a conversation and the place that was reached in it.
type Plan struct {
	Steps  []Step
	At     int    // the index of the message that holds the script
	Turn   int    // how many assistant turns followed it
	Source string // the text of that message
}

// ScriptError says that a message holds the mark of a script but no script that
// can be read.
type ScriptError struct{ Err error }

func (e *ScriptError) Error() string { return "script line cannot be read: " + e.Err.Error() }

// Unwrap returns what the JSON decoder said.
func (e *ScriptError) Unwrap() error { return e.Err }

// Code returns the class of the failure.
func (e *ScriptError) Code() string { return string(llm.CodeInvalidRequest) }

// FindPlan returns the newest script of a conversation, or nil if it has none.
// The error is a [*ScriptError].
func FindPlan(turns []Turn) (*Plan, error) {
	replies := 0
	for i := len(turns) - 1; i >= 0; i-- {
		switch turns[i].Role {
		case string(llm.RoleAssistant):
			replies++
		case string(llm.RoleUser):
			steps, found, err := scriptIn(turns[i].Text)
			if err != nil {
				return nil, &ScriptError{Err: err}
			}
			if found {
				return &Plan{Steps: steps, At: i, Turn: replies, Source: turns[i].Text}, nil
			}
		}
	}
	return nil, nil
}

// Step returns the step that is due; after the last one it is the text "done".
func (p *Plan) Step() Step {
	if p.Turn < len(p.Steps) {
		return p.Steps[p.Turn]
	}
	return Step{Answer: Answer{Text: "done"}}
}

// Key names the step that is due, equal for equal texts at equal turns.
func (p *Plan) Key() string { return fmt.Sprintf("%016x#%d", hashOf(p.Source), p.Turn) }

// scriptIn reads the first script in text. A mark that no script follows is
// skipped while another one can be read: a text may quote the notation.
func scriptIn(text string) (steps []Step, found bool, err error) {
	for rest := text; ; {
		at := strings.Index(rest, "@@")
		if at < 0 {
			return nil, false, err
		}
		rest = rest[at+2:]
		body, marked := afterMark(rest)
		if !marked {
			continue
		}
		// The decoder stops behind the array, so prose may follow it.
		var read []Step
		fault := json.NewDecoder(strings.NewReader(body)).Decode(&read)
		if fault == nil {
			return read, true, nil
		}
		if err == nil {
			err = fault
		}
	}
}

func afterMark(text string) (string, bool) {
	for _, word := range []string{"mock", "sim"} {
		if body, ok := strings.CutPrefix(text, word); ok {
			body = strings.TrimLeft(body, " \t\r\n")
			return body, strings.HasPrefix(body, "[")
		}
	}
	return "", false
}
