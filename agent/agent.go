package agent

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
)

// Agent drives one session. Make one with [New].
//
// Concurrency: Followup, Steer, Inject and Waiting may be called from any
// goroutine. Run is driven by its caller's goroutine; tool bodies run on
// goroutines of their own, which end before the step does.
type Agent struct {
	cfg   Config
	id    string // of the session
	log   *session.Log
	specs []llm.ToolSpec

	// The goroutine of Run only.
	turns int        // number of the last turn
	route llm.Config // of the last request, or of the first one
	asked bool       // a request of this agent has its header in the log

	mu      sync.Mutex
	inbox   inbox
	run     context.Context // of the active Run, to see its cancel; nil while idle
	cleared bool            // that cancel has been applied to the inbox
}

// New makes an agent over a session. A session with a past is resumed: turns
// count on, what waited waits again, and so does what a turn had claimed that
// was interrupted before the model could have seen it. Steering that waited opens
// no turn any more, but joins the next one. It fails with an [*Error].
func New(c Config) (*Agent, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	a := &Agent{cfg: c, id: c.Session.Header().ID, log: c.Session, specs: c.Tools.Specs(), route: c.Route}
	turns, open := a.log.Turn()
	if open {
		return nil, &Error{Kind: CodeConfig, Message: fmt.Sprintf("session %q has an open turn: repair it first", a.id)}
	}
	a.turns = turns
	if err := a.recall(); err != nil {
		return nil, &Error{Kind: CodeLog, Message: "read the inbox of session " + a.id, Err: err}
	}
	return a, nil
}

// Run drives turns until nothing waits that opens one, and returns what they
// came to. It returns early when ctx ends: the running turn ends as aborted with
// ctx's cause, and what waits is withdrawn unless that cause is a [Cancel] that
// keeps it. Input that comes after the cancel waits for the next Run.
//
// An error is an [*Error]: the log could not be written, and the turn has no
// end in it, or Run is active already. The outcome is then that of the events
// that are in the log.
func (a *Agent) Run(ctx context.Context) (Outcome, error) {
	if err := a.enter(ctx); err != nil {
		return Outcome{}, err
	}
	from := session.Seq(a.log.Len())
	err := a.drive(ctx)
	out := Fold(slices.Values(a.log.Events(from)))
	if out.End.Kind == "" && ctx.Err() != nil {
		out.End = aborted(ctx)
	}
	return out, err
}

// drive runs turns until none is due.
func (a *Agent) drive(ctx context.Context) error {
	for {
		due, err := a.due()
		if err != nil {
			return err
		}
		if !due {
			return a.flush(ctx)
		}
		if err := a.runTurn(ctx); err != nil {
			a.leave()
			return err
		}
	}
}

// enter marks Run as active. It fails if it is.
func (a *Agent) enter(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.run != nil {
		return &Error{Kind: CodeBusy, Message: fmt.Sprintf("agent %q already has active work", a.id)}
	}
	a.run, a.cleared = ctx, false
	return nil
}

// leave marks Run as over. When no turn is due, due has done it.
func (a *Agent) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.run = nil
}

// append adds an event to the log.
func (a *Agent) append(d session.Data, sources ...session.Seq) (session.Seq, error) {
	seq, err := a.log.Append(d, sources...)
	if err != nil {
		return 0, &Error{Kind: CodeLog, Message: "append to session " + a.id, Err: err}
	}
	return seq, nil
}

// flush is the durable barrier. A cancel does not shorten it: whether the disk
// has the log must be known in any case.
func (a *Agent) flush(ctx context.Context) error {
	if err := a.log.Flush(context.WithoutCancel(ctx)); err != nil {
		return &Error{Kind: CodeLog, Message: "flush session " + a.id, Err: err}
	}
	return nil
}
