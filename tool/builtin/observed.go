package builtin

import (
	"context"
	"sync"
)

// Observed remembers in which state each agent, known by its session, last saw
// each file, so that it does not overwrite what it has not seen. It may be used
// from any goroutine.
type Observed struct {
	mu   sync.Mutex
	seen map[string]map[string]version // by session and real path
}

// NewObserved makes the memory of agents that have seen nothing.
func NewObserved() *Observed { return &Observed{seen: map[string]map[string]version{}} }

// Forget drops what the agent of a session has seen. It is for sessions whose
// tools do not run any more.
func (o *Observed) Forget(session string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.seen, session)
}

func (o *Observed) note(session, path string, v version) {
	if session == "" {
		return // nobody, who has therefore seen nothing
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen[session] == nil {
		o.seen[session] = map[string]version{}
	}
	o.seen[session][path] = v
}

func (o *Observed) last(session, path string) (version, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	v, ok := o.seen[session][path]
	return v, ok
}

// Locks lets one change of a file happen at a time. It may be used from any
// goroutine.
type Locks struct {
	mu   sync.Mutex
	held map[string]*turn
}

// turn is a lock that somebody holds or waits for.
type turn struct {
	token chan struct{} // capacity 1; who has put something in holds the lock
	users int           // who hold or wait
}

// NewLocks makes locks that nobody holds.
func NewLocks() *Locks { return &Locks{held: map[string]*turn{}} }

// lock waits until no one else holds the path. The error is the cause of ctx.
func (l *Locks) lock(ctx context.Context, path string) (unlock func(), err error) {
	l.mu.Lock()
	t := l.held[path]
	if t == nil {
		t = &turn{token: make(chan struct{}, 1)}
		l.held[path] = t
	}
	t.users++
	l.mu.Unlock()
	select {
	case t.token <- struct{}{}:
		return func() { <-t.token; l.leave(path, t) }, nil
	case <-ctx.Done():
		l.leave(path, t)
		return nil, context.Cause(ctx)
	}
}

func (l *Locks) leave(path string, t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(l.held, path)
	}
}
