package observe

import (
	"time"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// State says how an agent stands in a [View].
type State string

// The states of an agent.
const (
	Queued    State = "queued"
	Running   State = "running"
	Completed State = "completed"
	Failed    State = "failed"
	Cancelled State = "cancelled"
	Refused   State = "refused"
)

// Agent is what a view knows of one call.
type Agent struct {
	Seq     workflow.Seq
	Label   string
	Phase   string
	Model   string
	Child   string // session id, empty until it started
	State   State
	Started time.Time
	Ended   time.Time
	Attempt int
	Input   int // tokens, cached ones included
	Output  int // tokens
	Code    string
	Message string // why it failed
}

// View is the state of a run after some of its records. It is the one place
// that knows what running, failed and cancelled mean. A View is used by one
// goroutine at a time.
type View struct {
	Name    string
	Phase   string // the current one
	Started time.Time
	Agents  map[workflow.Seq]*Agent
	Order   []workflow.Seq // as they were queued
	Counts  map[State]int
	Status  workflow.Status
	Ended   time.Time
}

// NewView is the view before the first record.
func NewView() *View {
	return &View{Agents: map[workflow.Seq]*Agent{}, Counts: map[State]int{}, Status: workflow.StatusRunning}
}

// Apply folds one record into the view and returns the agent that it is about,
// or nil.
func (v *View) Apply(r workflow.Record) *Agent {
	switch f := r.Fact.(type) {
	case workflow.RunStarted:
		v.Name, v.Started = f.Name, r.Time
	case workflow.PhaseEntered:
		v.Phase = f.Title
	case workflow.AgentQueued:
		a := &Agent{Seq: f.Seq, Label: f.Label, Phase: f.Phase, Model: f.Model, Attempt: 1}
		v.Agents[f.Seq] = a
		v.Order = append(v.Order, f.Seq)
		return v.move(a, Queued)
	case workflow.AgentStarted:
		a := v.agent(f.Seq)
		a.Child, a.Started = f.Child, r.Time
		return v.move(a, Running)
	case workflow.AgentRetried:
		a := v.agent(f.Seq)
		a.Attempt = f.Attempt
		return a
	case workflow.AgentEnded:
		return v.ended(f, r.Time)
	case workflow.AgentRefused:
		return v.refused(f)
	case workflow.RunEnded:
		v.Status, v.Ended = f.Status, r.Time
	case workflow.Logged, workflow.Warned, workflow.TimerFired, workflow.LimitReached, workflow.Unknown:
	}
	return nil
}

func (v *View) ended(f workflow.AgentEnded, at time.Time) *Agent {
	a := v.agent(f.Seq)
	a.Ended, a.Output = at, f.Usage.OutputTokens
	a.Input = f.Usage.InputTokens + f.Usage.CacheReadTokens + f.Usage.CacheWriteTokens
	if f.Error != nil {
		a.Code, a.Message = f.Error.Code, f.Error.Message
	}
	switch f.Outcome {
	case subagent.Completed:
		return v.move(a, Completed)
	case subagent.Cancelled:
		return v.move(a, Cancelled)
	}
	return v.move(a, Failed)
}

func (v *View) refused(f workflow.AgentRefused) *Agent {
	if f.Seq == 0 {
		v.Counts[Refused]++
		return nil
	}
	a := v.agent(f.Seq)
	a.Code, a.Message = f.Code, f.Message
	return v.move(a, Refused)
}

// agent finds a call, also one whose first record is missing.
func (v *View) agent(seq workflow.Seq) *Agent {
	a, ok := v.Agents[seq]
	if !ok {
		a = &Agent{Seq: seq, Attempt: 1}
		v.Agents[seq] = a
		v.Order = append(v.Order, seq)
	}
	return a
}

func (v *View) move(a *Agent, to State) *Agent {
	if a.State != "" {
		v.Counts[a.State]--
	}
	a.State = to
	v.Counts[to]++
	return a
}
