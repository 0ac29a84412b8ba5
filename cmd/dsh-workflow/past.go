package main

import (
	"fmt"
	"time"

	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// What a run can be beside what its records say.
const (
	damaged workflow.Status = "damaged" // its run.json cannot be read
)

// past is what is known of one run.
type past struct {
	ID       workflow.RunID
	Header   workflow.Header
	Status   workflow.Status
	Agents   workflow.Census
	Start    time.Time
	Took     time.Duration // so far, for a run that is running
	Result   *workflow.Result
	Fault    *workflow.Fault
	Warnings []workflow.Warning
	View     *observe.View // nil unless the records were read
	Odd      []string      // what could not be read
}

// quick reads a run, its records only if it has no result.
func (h history) quick(id workflow.RunID) *past { return h.look(id, false) }

// whole reads a run with its records.
func (h history) whole(id workflow.RunID) *past { return h.look(id, true) }

func (h history) look(id workflow.RunID, records bool) *past {
	p := &past{ID: id}
	// Asked first: who gives the lock back has written the end before.
	owner, writing := h.Writing(id)
	head, _, err := h.Header(id)
	if err != nil {
		p.Odd = append(p.Odd, err.Error())
	}
	p.Header, p.Start = head, time.UnixMilli(head.CreatedAt)
	result, done, rerr := h.Result(id)
	if rerr != nil {
		p.Odd = append(p.Odd, rerr.Error())
	}
	if done {
		p.Result, p.Status, p.Agents, p.Took = &result, result.Status, result.Agents, result.Duration()
		p.Fault, p.Warnings = result.Error, result.Warnings
	}
	if records || !done {
		h.fold(p, writing)
	}
	switch {
	case p.Status != "":
	case writing:
		p.Status, p.Took = workflow.StatusRunning, max(0, time.Since(p.Start))
		if p.View.Status == workflow.StatusPaused {
			p.Status = workflow.StatusPaused
		}
		p.Odd = append(p.Odd, fmt.Sprintf("process %d writes to it", owner.PID))
	case err != nil:
		p.Status = damaged
	default:
		p.Status = workflow.StatusInterrupted
	}
	return p
}

// fold reads the records of p. The end of a journal that is being written may be
// half a line.
func (h history) fold(p *past, writing bool) {
	p.View = observe.NewView()
	var last time.Time
	var odd []string
	for r, err := range h.Records(p.ID) {
		if err != nil {
			odd = append(odd, err.Error())
			continue
		}
		p.View.Apply(r)
		last = r.Time
		p.Odd, odd = append(p.Odd, odd...), nil
		p.take(r.Fact)
	}
	p.View.Rest()
	if !writing {
		p.Odd = append(p.Odd, odd...)
	}
	if p.Result == nil {
		c := p.View.Counts
		p.Agents.Completed, p.Agents.Failed, p.Agents.Cancelled, p.Agents.Refused = c[observe.Completed], c[observe.Failed], c[observe.Cancelled], c[observe.Refused]
		p.Agents.Started = p.Agents.Completed + p.Agents.Failed + p.Agents.Cancelled + c[observe.Running]
		if !last.IsZero() {
			p.Took = max(0, last.Sub(p.Start))
		}
	}
}

// take keeps what a result would say, for a run that has none.
func (p *past) take(f workflow.Fact) {
	switch f := f.(type) {
	case workflow.Unknown:
		p.Odd = append(p.Odd, fmt.Sprintf("a record of the unknown type %s", f.Type))
	case workflow.Warned:
		if p.Result == nil {
			p.Warnings = append(p.Warnings, workflow.Warning{Code: f.Code, Message: f.Message, Line: f.Line})
		}
	case workflow.RunEnded:
		if p.Result == nil {
			p.Status, p.Fault = f.Status, f.Error
		}
	case workflow.RunResumed:
		if p.Result == nil { // what came before is told anew
			p.Status, p.Fault, p.Warnings = "", nil, nil
		}
	case workflow.RunStarted, workflow.PhaseEntered, workflow.Logged, workflow.AgentQueued, workflow.AgentStarted, workflow.AgentRetried,
		workflow.AgentEnded, workflow.AgentRefused, workflow.TimerFired, workflow.LimitReached,
		workflow.RunPaused, workflow.RunContinued:
	}
}

// live says whether a process writes to the run.
func (p *past) live() bool {
	return p.Status == workflow.StatusRunning || p.Status == workflow.StatusPaused
}
