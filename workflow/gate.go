package workflow

import (
	"context"
	"errors"
	"sync"
)

// Gate asks before a run grows beyond what was thought of. The zero value never
// asks.
type Gate struct {
	// Above is how many agents start without a question; 0 asks about no number.
	Above int
	// CostUSD is the expected cost of all admitted agents from which on the question
	// is asked; 0 asks about no cost, and so does a price that is unknown.
	CostUSD float64
	// Ask answers once for the whole run. It is called on a goroutine of a call and
	// may take its time: until it returns no further agent starts, and those that
	// run go on. ctx is that of the run. An error refuses all agents that have not
	// started, and the run ends as at a limit.
	Ask func(ctx context.Context, e Estimate) error
}

// Estimate is what is known of a run when it is asked about.
type Estimate struct {
	Admitted int // agents that the script has asked for, ended ones included
	Ended    int
	Tokens   int      // of an agent that ended, in and out, on average
	CostUSD  *float64 // of those that ended; nil if a price is unknown
	Expected *float64 // of all admitted ones, if they cost what the others did
	// ByCost says that the cost raised the question, and not the number.
	ByCost bool
}

// gate is the gate of one run.
//
// Concurrency: methods may be called from any goroutine; mu guards what follows it.
type gate struct {
	Gate

	mu     sync.Mutex
	came   int
	asking chan struct{} // nil before the question; closed when it is answered
	answer error
}

// ticket numbers the agents that come to the gate, from 1.
func (g *gate) ticket() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.came++
	return g.came
}

// pass lets the agent with a ticket start, or says why not. estimate is called
// for the question.
func (g *gate) pass(ctx context.Context, ticket int, estimate func() Estimate) error {
	if g.Ask == nil {
		return nil
	}
	g.mu.Lock()
	e := estimate()
	e.ByCost = g.CostUSD > 0 && e.Expected != nil && *e.Expected >= g.CostUSD
	if !e.ByCost && (g.Above == 0 || ticket <= g.Above) {
		g.mu.Unlock()
		return nil
	}
	first := g.asking == nil
	if first {
		g.asking = make(chan struct{})
	}
	asking := g.asking
	g.mu.Unlock()
	if first {
		g.answer = g.Ask(ctx, e)
		close(asking)
	}
	select {
	case <-asking:
		return g.answer
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// declined ends a call that the gate or a budget did not let through.
func (r *Run) declined(c *call, err error) {
	if r.ended() != nil {
		r.notStarted(c, err)
		return
	}
	var own *Error
	if !errors.As(err, &own) || !own.Kind.limited() {
		own = newError(Declined, "agent() was declined: %w", err)
	}
	r.limited(own)
	r.refuse(c, own)
}
