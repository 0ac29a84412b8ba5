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
	wake    chan struct{} // size 1: there may be work
	waiting func(int)     // told when there is none, and how many posts there were; may be nil

	mu      sync.Mutex
	work    []func() error
	closed  bool
	heard   int // posts so far
	ignored int // those that came twice or too late
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
	t.to.take(t, f)
	select {
	case t.to.wake <- struct{}{}: // for an ignored post too: it was heard
	default:
	}
}

func (q *inbox) take(t *ticket, f func() error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.heard++
	if t.used || q.closed {
		q.ignored++
		return
	}
	t.used = true
	q.work = append(q.work, f)
}

// next waits for work or for the end of ctx. The end goes first. Whenever there
// is no work it says so.
func (q *inbox) next(ctx context.Context) (func() error, error) {
	for told := -1; ; {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		f, heard := q.pop()
		if f != nil {
			return f, nil
		}
		if q.waiting != nil && heard != told {
			told = heard
			q.waiting(heard)
			continue
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
		}
	}
}

func (q *inbox) pop() (work func() error, heard int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.work) == 0 {
		return nil, q.heard
	}
	f := q.work[0]
	q.work[0] = nil
	q.work = q.work[1:]
	return f, q.heard
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
