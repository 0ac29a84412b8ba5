package workflow

import (
	"errors"
	"fmt"
	"time"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/vm"
)

// settle decides how the run ended, ends what is left of it and publishes the
// result. The realm has returned: no script runs any more.
func (r *Run) settle(res vm.Result, err error) {
	status, fault := r.claim(err)
	r.replay.finish()
	if status == StatusCompleted {
		r.warnStrays()
	}
	if r.tally.limitReached() == nil || r.ctx.Err() != nil {
		r.endStrays()
	}
	r.join()
	out := Result{
		SchemaVersion: SchemaVersion, Name: r.plan.header.Meta.Name, Status: status, Error: fault, Value: res.Value,
		DurationMS: (r.before() + r.cfg.Now().Sub(r.plan.began)).Milliseconds(), RunDir: r.journal.Dir(),
	}
	id := r.ID()
	out.RunID = &id
	r.tally.fill(&out)
	if status == StatusCompleted && out.Agents.Failed > 0 {
		out.Status = StatusWithFailed
	}
	out = out.normal()
	r.ledger.append(RunEnded{
		Status: out.Status, Error: out.Error, Agents: out.Agents, MS: out.DurationMS, LinesLeftOut: r.tally.linesLeftOut(),
	}, true, nil)
	if lost := r.ledger.close(); lost.records > 0 {
		out.Warnings = append(out.Warnings, Warning{Code: string(JournalWrite), Message: fmt.Sprintf(
			"the journal is not whole: %d records are missing from it, the ends of %d agents that are counted here among them", lost.records, lost.ends)})
	}
	r.keep(&out)
	r.result = out
	r.cancel(nil)
	close(r.done)
}

// before is how long the earlier histories of the run took.
func (r *Run) before() time.Duration {
	if r.replay.past == nil {
		return 0
	}
	return r.replay.past.active
}

// claim reads the ending from what the realm came to. The first claim counts:
// what happens to the run afterwards does not change it.
func (r *Run) claim(err error) (Status, *Fault) {
	limit := r.tally.limitReached()
	if ended := r.ended(); ended != nil {
		switch CodeOf(ended) {
		case Cancelled:
			return StatusCancelled, faultOf(ended)
		case Deadline:
			return StatusLimit, faultOf(ended)
		}
		return StatusFailed, faultOf(ended)
	}
	switch {
	case limit != nil:
		fault := faultOf(limit)
		if n := r.tally.refused(); limit.Kind == AgentCap && n > 0 {
			fault.Message += fmt.Sprintf(" (%d calls were refused)", n)
		}
		return StatusLimit, fault
	case err == nil:
		return StatusCompleted, nil
	case CodeOf(err).limited():
		return StatusLimit, faultOf(err)
	}
	return StatusFailed, faultOf(err)
}

// warnStrays names the calls that a script left behind when it returned: most
// often an await is missing.
func (r *Run) warnStrays() {
	for _, c := range r.tally.pending() {
		r.warn(Warning{
			Code:    "NOT_AWAITED",
			Message: fmt.Sprintf("the script returned while agent #%d (%s) was not done; it is ended. Put await before its call, or return its promise", c.seq, c.label),
			Line:    c.line,
		})
	}
}

// endStrays ends the calls that nobody waits for any more.
func (r *Run) endStrays() {
	r.cancel(cancelled(errors.New("workflow settled")))
	why := r.ended().Error()
	for _, seq := range r.slots.close() {
		r.tally.refuse(seq)
		r.ledger.append(AgentRefused{Seq: seq, Code: string(NotStarted), Message: why}, false, nil)
		r.calls.Done()
	}
}

// join waits for the calls. Those of a run that was ended have the grace to
// stop; what does not stop is recorded as abandoned. A run that ran into a limit
// lets its admitted calls finish, unless it is ended meanwhile.
func (r *Run) join() {
	quiet := make(chan struct{})
	go func() {
		r.calls.Wait()
		close(quiet)
	}()
	select {
	case <-quiet:
		return
	case <-r.ctx.Done():
	}
	r.endStrays()
	grace := time.NewTimer(r.plan.limits.Grace)
	defer grace.Stop()
	select {
	case <-quiet:
	case <-grace.C:
		r.abandon()
	}
}

// abandon records an end for the calls whose children did not stop in time.
func (r *Run) abandon() {
	r.warn(Warning{Code: "ABANDONED", Message: fmt.Sprintf("not every agent stopped within %s of its cancellation; what it still does is not waited for", r.plan.limits.Grace)})
	for _, c := range r.tally.stuck() {
		r.finish(c, AgentEnded{
			Seq: c.seq, Child: c.child, Outcome: subagent.Cancelled, Key: c.key, Occ: c.occ, Attempts: 1,
			Error: &subagent.Failure{Code: string(Cancelled), Message: fmt.Sprintf("the agent did not stop within %s and was abandoned", r.plan.limits.Grace)},
		}, nil)
	}
}

// keep writes the result beside the journal. A result that cannot be written is
// still the result; it says so.
func (r *Run) keep(out *Result) {
	err := r.journal.Finish(*out)
	if cerr := r.journal.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		out.Warnings = append(out.Warnings, Warning{Code: string(JournalWrite), Message: fmt.Sprintf("the result could not be written to the run's folder: %v", err)})
	}
}
