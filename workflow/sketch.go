package workflow

import (
	"context"
	"errors"
)

// ResumePlan says what a resume would do, as far as that can be told without
// running an agent.
type ResumePlan struct {
	RunID   RunID         `json:"runId"`
	Name    string        `json:"name"`
	Status  Status        `json:"status"` // of the run now
	Replay  int           `json:"replay"` // calls that are answered from the record
	Run     int           `json:"run"`    // calls that run
	Kept    int           `json:"kept"`   // recorded results that were not asked for so far
	Calls   []PlannedCall `json:"calls"`  // in the order in which the script makes them
	Ends    bool          `json:"ends"`   // nothing else is asked for; else what comes depends on the calls that run
	Ending  *Fault        `json:"error"`  // the script ends with it; null if it does not, or is not known to
	Changed []string      `json:"models"` // recorded answers of other models than the one that would be asked now
}

// PlannedCall is one call of a [ResumePlan].
type PlannedCall struct {
	Seq    Seq    `json:"seq"`
	Label  string `json:"label"`
	Phase  string `json:"phase,omitempty"`
	Replay bool   `json:"replay"`
	Why    string `json:"why,omitempty"` // it runs
	Was    Seq    `json:"was,omitempty"` // its number in the latest history; 0 if it is new
	Model  string `json:"model,omitempty"`
}

// sketch collects what a run would do that does nothing.
//
// Concurrency: only the realm's goroutine adds to it; it is read when the run has
// ended.
type sketch struct {
	plan   ResumePlan
	labels map[string]Seq // of the record
	models map[string]bool
}

var errSketched = errors.New("the plan ends where only running tells more")

// Plan says what Resume would do with the request. It runs no agent and writes
// nothing.
func (e *Engine) Plan(ctx context.Context, req Resume) (ResumePlan, error) {
	kept, err := e.cfg.Store.Look(ctx, req.Run)
	if err != nil {
		return ResumePlan{}, err
	}
	past, p, err := e.again(kept, req)
	if err != nil {
		return ResumePlan{}, err
	}
	s := &sketch{labels: map[string]Seq{}, models: map[string]bool{}}
	for _, k := range past.calls {
		s.labels[k.label] = max(s.labels[k.label], k.seq)
	}
	s.plan = ResumePlan{RunID: req.Run, Name: p.header.Meta.Name, Status: past.status(), Calls: []PlannedCall{}, Changed: []string{}}
	p.dry = s
	r := newRun(ctx, e.cfg, p, nowhere{}, past.last+1)
	r.replay.follow(past, p.opening.(RunResumed).Mode, kept.Record)
	r.replay.still = true
	go r.ledger.run()
	r.drive()
	s.finish(r)
	return s.plan, nil
}

// add takes a call that the script made; why is empty if it is answered from the
// record.
func (s *sketch) add(c *call, why string, p *past) {
	call := PlannedCall{Seq: c.seq, Label: c.label, Replay: why == "", Why: why, Model: c.route.Model}
	if c.phase != nil {
		call.Phase = *c.phase
	}
	k := p.calls[callID{c.key, c.occ}]
	switch {
	case k != nil:
		call.Was = k.seq
	case s.labels[c.label] != 0:
		call.Why = "its prompt or options are not those of the recorded call with its label"
	}
	if call.Replay {
		s.plan.Replay++
		if k.model != c.route.Model && !s.models[k.model] {
			s.models[k.model] = true
			s.plan.Changed = append(s.plan.Changed, k.model)
		}
		call.Model = k.model
	} else {
		s.plan.Run++
	}
	s.plan.Calls = append(s.plan.Calls, call)
}

// finish takes what is left of the record, and how the script ended, if it did.
func (s *sketch) finish(r *Run) {
	for _, k := range r.replay.past.calls {
		if k.answers() {
			s.plan.Kept++
		}
	}
	s.plan.Kept -= s.plan.Replay
	if errors.Is(context.Cause(r.script), errSketched) {
		return
	}
	s.plan.Ends, s.plan.Ending = true, r.result.Error
}

// nowhere is a journal that keeps nothing.
type nowhere struct{}

func (nowhere) Append([]Record, bool) error      { return nil }
func (nowhere) Finish(Result) error              { return nil }
func (nowhere) AddScript([]byte) (string, error) { return "", nil }
func (nowhere) Dir() string                      { return "" }
func (nowhere) Close() error                     { return nil }
