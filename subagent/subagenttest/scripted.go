package subagenttest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/subagent"
)

// DefaultName and DefaultReply are what a [Scripted] has when it is told nothing.
const (
	DefaultName  = "mock"
	DefaultReply = "mock subagent reply"
)

// Script says what one child does. The zero value completes at once with
// [DefaultReply].
type Script struct {
	Reply   string            // Result.Text; empty means DefaultReply, see Silent
	Silent  bool              // Result.Text stays empty
	Outcome subagent.Outcome  // empty means Completed
	Failure *subagent.Failure // of an Outcome that is not Completed; nil makes one up
	// Value answers a request with a schema; nil means {"reply":<Reply>}.
	Value    json.RawMessage
	Usage    llm.Usage
	Repaired int
	Degraded bool

	StartDelay time.Duration // before the child exists
	Delay      time.Duration // from then until it settles
	StartErr   error         // Start fails with it
	WaitErr    error         // Wait fails with it once the child has settled
	// Then is what another attempt does; without it Retry fails.
	Then *Script
	// Stuck children never settle and ignore ctx and Close until
	// [Scripted.Release] is called.
	Stuck bool
}

// Counts are totals over the life of a [Scripted].
type Counts struct {
	Starts  int // calls of Start
	Started int // children that came into being
	Settled int // attempts that have a result
	Retries int // attempts after the first one of a child
	Closed  int // children that were closed
	Live    int // children that are at work
	Peak    int // the most that were live at once
}

// Scripted is a provider of scripted children.
//
// Concurrency: every method may be called from any goroutine; mu guards all
// state but the fields set by the constructor.
type Scripted struct {
	name    string
	script  func(subagent.Request) Script
	release chan struct{}

	mu       sync.Mutex
	counts   Counts
	requests []subagent.Request
	ids      map[subagent.CallID]int
	released bool
}

var _ subagent.Provider = (*Scripted)(nil)

// NewScripted returns a provider whose children all follow s.
func NewScripted(name string, s Script) *Scripted {
	return NewScriptedFunc(name, func(subagent.Request) Script { return s })
}

// NewScriptedFunc returns a provider that asks script about each request. It is
// called on the goroutine of Start and may block it. An empty name means
// [DefaultName].
func NewScriptedFunc(name string, script func(subagent.Request) Script) *Scripted {
	if name == "" {
		name = DefaultName
	}
	return &Scripted{
		name:    name,
		script:  script,
		release: make(chan struct{}),
		ids:     map[subagent.CallID]int{},
	}
}

// Name returns the name given to the constructor.
func (s *Scripted) Name() string { return s.name }

// Start makes one child as the script says.
func (s *Scripted) Start(ctx context.Context, req subagent.Request) (subagent.Child, error) {
	s.mu.Lock()
	s.counts.Starts++
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	script := s.script(req)
	if err := pause(ctx, script.StartDelay); err != nil {
		return nil, err
	}
	if script.StartErr != nil {
		return nil, script.StartErr
	}
	c := &child{owner: s, id: s.publish(req), req: req}
	c.life, c.cancel = context.WithCancelCause(ctx)
	c.begin(script)
	return c, nil
}

// Release lets every stuck child, present and future, settle as cancelled.
func (s *Scripted) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.released {
		s.released = true
		close(s.release)
	}
}

// Counts returns the totals so far.
func (s *Scripted) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// Requests returns every request that reached Start, in order.
func (s *Scripted) Requests() []subagent.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// publish counts a child in and names it. The name depends on the request and
// on how often it was started, never on the order among different calls.
func (s *Scripted) publish(req subagent.Request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Started++
	s.ids[req.Call]++
	n := s.ids[req.Call]
	switch {
	case req.Call == "":
		return fmt.Sprintf("%s:%s#%d", s.name, req.Lineage.Parent, n)
	case n > 1:
		return fmt.Sprintf("%s:%s#%d", s.name, req.Call, n)
	}
	return fmt.Sprintf("%s:%s", s.name, req.Call)
}

func (s *Scripted) count(change func(*Counts)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.counts)
}

// result is what a child that follows the script comes to when nothing ends it
// before.
func (s Script) result(req subagent.Request) subagent.Result {
	r := subagent.Result{Outcome: s.Outcome, Text: s.Reply, Usage: s.Usage, Repaired: s.Repaired, Degraded: s.Degraded}
	if r.Text == "" && !s.Silent {
		r.Text = DefaultReply
	}
	if r.Outcome == "" {
		r.Outcome = subagent.Completed
	}
	if r.Outcome != subagent.Completed {
		r.Failure = s.Failure
		if r.Failure == nil {
			r.Failure = madeUpFailure(r.Outcome)
		}
		return r
	}
	if req.Schema != nil {
		r.Value = s.Value
		if r.Value == nil {
			reply, _ := json.Marshal(r.Text) // a string always has a JSON form
			r.Value = json.RawMessage(`{"reply":` + string(reply) + `}`)
		}
	}
	return r
}

func madeUpFailure(o subagent.Outcome) *subagent.Failure {
	if o == subagent.Cancelled {
		return &subagent.Failure{Code: string(subagent.CodeCancelled), Message: "cancelled"}
	}
	return &subagent.Failure{Code: string(llm.CodeServer), Message: "scripted failure"}
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		if ctx.Err() != nil {
			return subagent.Aborted(ctx)
		}
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return subagent.Aborted(ctx)
	}
}
