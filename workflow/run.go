package workflow

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/dsh-go/dsh-workflow/meta"
	"github.com/dsh-go/dsh-workflow/vm"
)

// admission decides when the calls of a run may start.
type admission struct {
	slots *slots
	gate  *gate
	purse *purse
}

// Run is one run of one script, from [Engine.Start] to its result.
//
// Concurrency: the exported methods may be called from any goroutine. drive is
// the goroutine that runs the realm and then settles; each started call has one
// goroutine (work); the ledger has one. What they share is in tally.
type Run struct {
	cfg     Config
	plan    plan
	journal Journal
	ledger  *ledger
	tally   *tally
	replay  *replay
	admission

	ctx    context.Context // of the whole run; its cause says why it was ended
	cancel context.CancelCauseFunc
	script context.Context // of the realm alone: a limit ends it and lets agents finish
	stop   context.CancelCauseFunc

	calls  sync.WaitGroup // admitted calls that have not ended
	done   chan struct{}  // closed when result is set
	result Result
}

// newRun makes a run whose first record has the number first.
func newRun(ctx context.Context, cfg Config, p plan, j Journal, first int) *Run {
	r := &Run{cfg: cfg, plan: p, journal: j, tally: newTally(), done: make(chan struct{})}
	r.admission = admission{slots: newSlots(p.limits.AtOnce), gate: &gate{Gate: p.request.Gate}, purse: newPurse(p.limits)}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	r.script, r.stop = context.WithCancelCause(r.ctx)
	r.ledger = newLedger(j, cfg.Now, p.limits.Write, func(err error) { r.cancel(err) })
	r.ledger.next = first
	r.replay = newReplay(r)
	return r
}

// ID names the run.
func (r *Run) ID() RunID { return r.plan.header.RunID }

// Meta is the workflow's description of itself.
func (r *Run) Meta() meta.Meta { return r.plan.header.Meta }

// Dir is the run's folder, empty if the run is kept in memory.
func (r *Run) Dir() string { return r.journal.Dir() }

// Follow yields the records from index from on (0 is the first) and waits for
// more, until the run has ended or ctx ends. Any number of followers may read
// at any pace; none slows the run.
func (r *Run) Follow(ctx context.Context, from int) iter.Seq2[int, Record] {
	return r.ledger.live.Follow(ctx, from)
}

// Wait returns the result of the run. An error means that ctx ended first; the
// run goes on.
func (r *Run) Wait(ctx context.Context) (Result, error) {
	select {
	case <-r.done:
		return r.result, nil
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	}
}

// Cancel ends the run: the script runs no further line, waiting calls never
// start, children are cancelled. The first reason counts; a nil one is
// "workflow cancelled". It returns at once.
func (r *Run) Cancel(reason error) {
	if reason == nil {
		reason = errors.New("workflow cancelled")
	}
	r.cancel(cancelled(reason))
}

// Close cancels the run if it has not ended and waits for it. It returns within
// the limits' Grace and the time that the journal needs.
func (r *Run) Close() error {
	r.Cancel(errors.New("workflow disposed"))
	<-r.done
	return nil
}

func cancelled(reason error) *Error {
	var e *Error
	if errors.As(reason, &e) && e.Kind == Cancelled {
		return e
	}
	return newError(Cancelled, "workflow run cancelled: %w", reason)
}

// ended is why the run's context ended, as an error with a code; nil while it
// has not.
func (r *Run) ended() error {
	if r.ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(r.ctx)
	var e *Error
	if errors.As(cause, &e) {
		return e
	}
	if errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded) {
		cause = errors.New("workflow signal aborted")
	}
	return cancelled(cause)
}

// drive runs the script and settles the run.
func (r *Run) drive() {
	r.ledger.append(r.plan.opening, true, nil)
	for _, w := range r.plan.warnings {
		r.warn(w)
	}
	if d := r.plan.limits.Deadline; d > 0 {
		timer := time.AfterFunc(d, func() {
			r.cancel(newError(Deadline, "the run reached its deadline of %s; what had ended is kept", d))
		})
		defer timer.Stop()
	}
	res := vm.Result{}
	err := r.ended()
	if err == nil {
		res, err = r.cfg.Realm(r.plan.limits).Run(r.script, r.plan.script, newHost(r))
		r.cfg.Waiting(r.ID(), true)
	}
	r.settle(res, err)
}

func titles(m meta.Meta) []string {
	out := make([]string, len(m.Phases))
	for i, p := range m.Phases {
		out[i] = p.Title
	}
	return out
}

// warn records a warning and keeps it for the result.
func (r *Run) warn(w Warning) {
	r.tally.warn(w)
	r.ledger.append(Warned{Code: w.Code, Message: w.Message, Line: w.Line}, false, nil)
}
