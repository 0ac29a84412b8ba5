package vm

import (
	"context"
	"sync"
)

// inbox hands work to the goroutine that owns the realm, in the order in which
// it was posted.
//
// Concurrency: every method may be called from any goroutine but next, which
// belongs to the loop.
type inbox struct {
	wake chan struct{} // size 1: there may be work

	mu      sync.Mutex
	work    []func() error
	closed  bool
	ignored int // posts that came twice or too late
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

// ticket admits one post.
type ticket struct {
	to   *inbox
	used bool // under to.mu
}

func (q *inbox) ticket() *ticket { return &ticket{to: q} }

// post queues f unless the ticket is used or the run is over. It never blocks.
func (t *ticket) post(f func() error) {
	q := t.to
	q.mu.Lock()
	if t.used || q.closed {
		q.ignored++
		q.mu.Unlock()
		return
	}
	t.used = true
	q.work = append(q.work, f)
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// next waits for work or for the end of ctx. The end goes first.
func (q *inbox) next(ctx context.Context) (func() error, error) {
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if f := q.pop(); f != nil {
			return f, nil
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
		}
	}
}

func (q *inbox) pop() func() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.work) == 0 {
		return nil
	}
	f := q.work[0]
	q.work[0] = nil
	q.work = q.work[1:]
	return f
}

// close refuses what comes from now on and forgets what waits.
func (q *inbox) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.ignored += len(q.work)
	q.work = nil
}

// late is how many posts were ignored.
func (q *inbox) late() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ignored
}

// void spends a ticket whose outcome nobody will wait for. It reports false if
// a post came first.
func (t *ticket) void() bool {
	t.to.mu.Lock()
	defer t.to.mu.Unlock()
	first := !t.used
	t.used = true
	return first
}
