package main

import (
	"encoding/json"

	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// shown is one run in JSON: what it was given, how it ended, each of its agents.
type shown struct {
	listed
	Meta     any                     `json:"meta"`
	Args     json.RawMessage         `json:"args"` // null if it has none
	Root     string                  `json:"root"`
	Cwd      string                  `json:"cwd"`
	Engine   string                  `json:"engine"`
	Limits   workflow.Limits         `json:"limits"`
	Value    json.RawMessage         `json:"value"` // null if there is none
	Error    *workflow.Fault         `json:"error"`
	Failures []workflow.AgentFailure `json:"failures"`
	Warnings []workflow.Warning      `json:"warnings"`
	Usage    *workflow.Bill          `json:"usage"` // null without a result
	Calls    []shownAgent            `json:"calls"`
	Notes    []string                `json:"notes"` // what could not be read
}

// shownAgent is one call of agent(). Times are milliseconds.
type shownAgent struct {
	Seq        workflow.Seq `json:"seq"`
	Label      string       `json:"label"`
	Phase      string       `json:"phase,omitempty"`
	Model      string       `json:"model,omitempty"`
	State      string       `json:"state"`
	SessionID  string       `json:"sessionId,omitempty"`
	StartedAt  int64        `json:"startedAt,omitempty"` // since the epoch
	DurationMS int64        `json:"durationMs,omitempty"`
	Input      int          `json:"inputTokens"`
	Output     int          `json:"outputTokens"`
	Code       string       `json:"code,omitempty"`
	Message    string       `json:"message,omitempty"`
}

func shownOf(h history, p *past) shown {
	null := json.RawMessage("null")
	s := shown{
		listed: listedOf(h, p), Meta: p.Header.Meta, Args: p.Header.Args, Root: p.Header.Root, Cwd: p.Header.Cwd, Engine: p.Header.Engine,
		Limits: p.Header.Limits, Value: null, Error: p.Fault, Failures: append([]workflow.AgentFailure{}, failuresOf(p)...),
		Warnings: append([]workflow.Warning{}, p.Warnings...), Calls: []shownAgent{}, Notes: append([]string{}, p.Odd...),
	}
	if s.Args == nil {
		s.Args = null
	}
	if p.Result != nil {
		s.Value, s.Usage = p.Result.Value, &p.Result.Usage
	}
	for _, seq := range p.View.Order {
		s.Calls = append(s.Calls, shownAgentOf(p.View.Agents[seq], p.live()))
	}
	return s
}

func shownAgentOf(a *observe.Agent, live bool) shownAgent {
	out := shownAgent{
		Seq: a.Seq, Label: a.Label, Phase: a.Phase, Model: a.Model, State: stateOf(a, live), SessionID: a.Child,
		Input: a.Input, Output: a.Output, Code: a.Code, Message: a.Message,
	}
	if !a.Started.IsZero() {
		out.StartedAt = a.Started.UnixMilli()
		if !a.Ended.IsZero() {
			out.DurationMS = max(0, a.Ended.Sub(a.Started)).Milliseconds()
		}
	}
	return out
}

// stateOf says how an agent stands. What ran when the run ended without a word is
// not running any more.
func stateOf(a *observe.Agent, live bool) string {
	if !live && (a.State == observe.Running || a.State == observe.Queued) {
		return "unfinished"
	}
	return string(a.State)
}
