package rehearsed

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/dsh-go/dsh-workflow/subagent"
)

// Turns lets the agents of a run answer one at a time, each when the script has
// nothing else to do: so a rehearsal sees everything that a script asks for at
// once, however fast its answers are. Of those that wait the earliest call
// answers first.
//
// Concurrency: any goroutine may use it; mu guards runs and what is in it.
type Turns struct {
	mu   sync.Mutex
	runs map[string]*stage
}

// stage is one run: whether its script waits or is over, and the agents that could
// answer.
type stage struct {
	waiting bool
	over    bool
	held    map[int]chan struct{}
}

// NewTurns makes one for a harness.
func NewTurns() *Turns { return &Turns{runs: map[string]*stage{}} }

// Waiting says that the script of a run waits. Once it is over everybody answers
// at once.
func (t *Turns) Waiting(run string, over bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.stage(run)
	s.waiting, s.over = true, s.over || over
	s.release()
}

func (t *Turns) stage(run string) *stage {
	s := t.runs[run]
	if s == nil {
		s = &stage{held: map[int]chan struct{}{}}
		t.runs[run] = s
	}
	return s
}

// release gives the turn to the earliest call.
func (s *stage) release() {
	for (s.waiting || s.over) && len(s.held) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(s.held)))
		close(s.held[first])
		delete(s.held, first)
		s.waiting = false
	}
}

// hold makes a child wait for its turn.
func (t *Turns) hold(run string, seq int, c subagent.Child) subagent.Child {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.stage(run)
	turn := make(chan struct{})
	s.held[seq] = turn
	s.release()
	h := &heldChild{Child: c, turn: turn, leave: func() { t.leave(run, seq, turn) }}
	if again, ok := c.(subagent.Retrier); ok {
		return &retriable{heldChild: h, again: again}
	}
	return h
}

// leave takes a child that nobody waits for any more out of the row.
func (t *Turns) leave(run string, seq int, turn chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.stage(run); s.held[seq] == turn {
		delete(s.held, seq)
	}
}

// heldChild answers when it has the turn.
type heldChild struct {
	subagent.Child
	turn  chan struct{}
	leave func()
}

// Wait waits for the turn first. A child that was cancelled needs none.
func (c *heldChild) Wait(ctx context.Context) (subagent.Result, error) {
	select {
	case <-c.turn:
	case <-ctx.Done():
		c.leave()
	}
	return c.Child.Wait(ctx)
}

func (c *heldChild) Close() error {
	c.leave()
	return c.Child.Close()
}

// retriable is a child that can be tried again.
type retriable struct {
	*heldChild
	again subagent.Retrier
}

func (r *retriable) Retry(ctx context.Context) error { return r.again.Retry(ctx) }
