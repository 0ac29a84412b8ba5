package observe

import (
	"slices"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
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
	Attempt int // from 1; 0 if a person gave the result
	Input   int // tokens, cached ones included
	Output  int // tokens
	Code    string
	Message string // why it failed
	Doing   string // what it was last seen doing; empty if nobody looked
	group   *Group
}

// Replayed says that an earlier record answered the call: no agent ran now.
func (a *Agent) Replayed() bool {
	return a.Started.IsZero() && (a.State == Completed || a.State == Failed)
}

// Given says that a person gave the result.
func (a *Agent) Given() bool { return a.Attempt == 0 }

// Group is the agents of one phase.
type Group struct {
	Title  string
	Named  bool     // false for the agents that have no phase
	Agents []*Agent // as they were queued
	Counts map[State]int
}

// Used is what the agents that ended have used, and what that cost.
type Used struct {
	Input, Cached, Output int
	USD                   float64 // of those whose price is known
	Unpriced              bool    // there are others
}

// Cost is the sum in US dollars, nil while it is not known.
func (u Used) Cost() *float64 {
	if u.Unpriced || u.USD == 0 {
		return nil
	}
	return &u.USD
}

func (u *Used) add(f workflow.AgentEnded) {
	u.Input += f.Usage.InputTokens + f.Usage.CacheReadTokens + f.Usage.CacheWriteTokens
	u.Cached += f.Usage.CacheReadTokens
	u.Output += f.Usage.OutputTokens
	switch {
	case f.CostUSD != nil:
		u.USD += *f.CostUSD
	case f.Usage != llm.Usage{}:
		u.Unpriced = true
	}
}

// View is the state of a run after some of its records. It is the one place
// that knows what running, failed and cancelled mean. A View is used by one
// goroutine at a time.
//
// Records may come in stretches, the later one first: until the start of the run
// is there, a view shows nothing, and then what it would show had they come in
// order.
type View struct {
	Name     string
	Phase    string   // the current one
	Declared []string // titles of phases that meta names
	AtOnce   int      // how many agents may run at once
	Started  time.Time
	Agents   map[workflow.Seq]*Agent
	Order    []workflow.Seq // as they were queued
	Groups   []*Group       // in the order of their first agents
	Counts   map[State]int
	Used     Used
	Status   workflow.Status // empty before the start
	Ended    time.Time
	from     int               // number of the record that began what is shown, if that is a resume
	early    []workflow.Record // came before the start
	loose    bool              // shows records without their start
}

// NewView is the view before the first record.
func NewView() *View {
	return &View{Agents: map[workflow.Seq]*Agent{}, Counts: map[State]int{}}
}

// Apply folds one record into the view and returns the agent that it is about,
// or nil.
func (v *View) Apply(r workflow.Record) *Agent {
	switch f := r.Fact.(type) {
	case workflow.RunStarted:
		if r.N >= v.from {
			v.start(f, r.Time)
		}
		return nil
	case workflow.RunResumed:
		v.resume(r.N, f, r.Time)
		return nil
	}
	if r.N < v.from {
		return nil // of a history that was told anew
	}
	if v.Status == "" && !v.loose {
		v.early = append(v.early, r)
		return nil
	}
	return v.fold(r)
}

func (v *View) start(f workflow.RunStarted, at time.Time) {
	v.Name, v.Started, v.Declared, v.AtOnce = f.Name, at, f.Phases, f.AtOnce
	if v.Status == "" {
		v.Status = workflow.StatusRunning
	}
	v.Rest()
}

// Resumed says that the run goes on from what an earlier process had.
func (v *View) Resumed() bool { return v.from > 0 }

// resume begins anew: the records of a resumed run tell all of it again.
func (v *View) resume(n int, f workflow.RunResumed, at time.Time) {
	if n < v.from {
		return
	}
	early := slices.DeleteFunc(v.early, func(r workflow.Record) bool { return r.N < n })
	*v = *NewView()
	v.from, v.early = n, early
	v.start(f.RunStarted, at)
}

// Rest folds what waits for a start that was lost with a part of its journal.
func (v *View) Rest() {
	v.loose = true
	early := v.early
	v.early = nil
	slices.SortStableFunc(early, func(a, b workflow.Record) int { return a.N - b.N })
	for _, r := range early {
		v.fold(r)
	}
}

func (v *View) fold(r workflow.Record) *Agent {
	switch f := r.Fact.(type) {
	case workflow.PhaseEntered:
		v.Phase = f.Title
	case workflow.AgentQueued:
		return v.queued(f)
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
	case workflow.RunPaused:
		v.Status = workflow.StatusPaused
	case workflow.RunContinued:
		v.Status = workflow.StatusRunning
	case workflow.RunEnded:
		v.Status, v.Ended = f.Status, r.Time
	case workflow.RunStarted, workflow.RunResumed, workflow.Logged, workflow.Warned, workflow.TimerFired, workflow.LimitReached, workflow.Unknown:
	}
	return nil
}

func (v *View) queued(f workflow.AgentQueued) *Agent {
	a := &Agent{Seq: f.Seq, Label: f.Label, Model: f.Model, Attempt: 1}
	if f.Phase != nil {
		a.Phase = *f.Phase
	}
	v.take(a, f.Phase != nil)
	return v.move(a, Queued)
}

// take gives a new agent its places.
func (v *View) take(a *Agent, named bool) {
	v.Agents[a.Seq] = a
	v.Order = append(v.Order, a.Seq)
	g := v.group(a.Phase, named)
	if g == nil {
		g = &Group{Title: a.Phase, Named: named, Counts: map[State]int{}}
		v.Groups = append(v.Groups, g)
	}
	g.Agents = append(g.Agents, a)
	a.group = g
}

func (v *View) group(title string, named bool) *Group {
	for _, g := range v.Groups {
		if g.Title == title && g.Named == named {
			return g
		}
	}
	return nil
}

func (v *View) ended(f workflow.AgentEnded, at time.Time) *Agent {
	a := v.agent(f.Seq)
	a.Ended, a.Output = at, f.Usage.OutputTokens
	if f.Given {
		a.Attempt = 0
	}
	a.Input = f.Usage.InputTokens + f.Usage.CacheReadTokens + f.Usage.CacheWriteTokens
	v.Used.add(f)
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
		v.take(a, false)
	}
	return a
}

func (v *View) move(a *Agent, to State) *Agent {
	if a.State != "" {
		v.Counts[a.State]--
		a.group.Counts[a.State]--
	}
	a.State = to
	v.Counts[to]++
	a.group.Counts[to]++
	return a
}
