package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/similar"
	"github.com/dsh-go/dsh-workflow/journal"
	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// What a run can be beside what its result says.
const (
	interrupted workflow.Status = "interrupted" // no end, and nobody who writes
	damaged     workflow.Status = "damaged"     // its run.json cannot be read
)

// maxNamed is how many runs or agents a message names.
const maxNamed = 5

// history is the store of the runs below one home.
type history struct{ *journal.Dir }

func openHistory(e env, home string) (history, error) {
	home, err := e.harnessHome(home)
	if err != nil {
		return history{}, err
	}
	return history{journal.NewDir(filepath.Join(home, "workflow", "runs"), journal.Options{})}, nil
}

// newestFirst returns the ids of all runs.
func (h history) newestFirst() ([]workflow.RunID, error) {
	ids, err := h.Runs()
	if err != nil {
		return nil, err
	}
	slices.Reverse(ids)
	return ids, nil
}

// find returns the run that word means: its id, the only one that begins with
// word, or the newest for "last".
func (h history) find(word string) (workflow.RunID, error) {
	ids, err := h.newestFirst()
	switch {
	case err != nil:
		return "", err
	case len(ids) == 0:
		return "", usage("there is no run %q, nor any other", word)
	case word == "last":
		return ids[0], nil
	}
	var hits []workflow.RunID
	for _, id := range ids {
		if string(id) == word {
			return id, nil
		}
		if word != "" && strings.HasPrefix(string(id), word) {
			hits = append(hits, id)
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return "", usage("there is no run %q; %s", word, hint(word, ids))
	}
	return "", usage("%q could be %d runs: %s", word, len(hits), names(hits))
}

// hint names the run that was probably meant, or the newest ones.
func hint(word string, ids []workflow.RunID) string {
	known := make([]string, len(ids))
	for i, id := range ids {
		known[i] = string(id)
	}
	if near, ok := similar.Closest(word, known, 4); ok && len(word) <= 64 {
		return "did you mean " + near + "?"
	}
	return "the newest are " + names(ids)
}

func names(ids []workflow.RunID) string {
	var parts []string
	for _, id := range ids[:min(maxNamed, len(ids))] {
		parts = append(parts, observe.OneLine(string(id), 64))
	}
	if len(ids) > maxNamed {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

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
		p.Odd = append(p.Odd, fmt.Sprintf("process %d writes to it", owner.PID))
	case err != nil:
		p.Status = damaged
	default:
		p.Status = interrupted
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
	case workflow.RunStarted, workflow.PhaseEntered, workflow.Logged, workflow.AgentQueued, workflow.AgentStarted, workflow.AgentRetried,
		workflow.AgentEnded, workflow.AgentRefused, workflow.TimerFired, workflow.LimitReached:
	}
}

// live says whether a process writes to the run.
func (p *past) live() bool { return p.Status == workflow.StatusRunning }
