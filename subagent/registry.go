package subagent

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Registry holds providers under unique names and starts children by them.
//
// Concurrency: every method may be called from any goroutine. mu guards both
// maps and the order; it is never held while a provider works.
type Registry struct {
	mu        sync.Mutex
	providers map[string]Provider
	order     []string
	alive     map[CallID]*call
}

// NewRegistry returns a registry of these providers, in this order.
func NewRegistry(providers ...Provider) (*Registry, error) {
	r := &Registry{providers: map[string]Provider{}, alive: map[CallID]*call{}}
	for _, p := range providers {
		if err := r.Add(p); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Add registers p under its name.
func (r *Registry) Add(p Provider) error {
	name := p.Name()
	if name == "" {
		return &Error{Kind: CodeInvalidStart, Message: "subagent provider names must be non-empty"}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.providers[name]; ok {
		return &Error{Kind: CodeDuplicateProvider, Message: fmt.Sprintf("a subagent provider named %q is already registered", name)}
	}
	r.providers[name] = p
	r.order = append(r.order, name)
	return nil
}

// Remove forgets the provider of this name and reports whether there was one.
// It blocks new starts; children that run already are not touched.
func (r *Registry) Remove(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.providers[name]; !ok {
		return false
	}
	delete(r.providers, name)
	r.order = slices.DeleteFunc(r.order, func(n string) bool { return n == name })
	return true
}

// Lookup returns the provider of this name. The error has the code
// [CodeNoProvider].
func (r *Registry) Lookup(name string) (Provider, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok := r.providers[name]
	if !ok {
		return nil, &Error{Kind: CodeNoProvider, Message: fmt.Sprintf("no subagent provider registered for %q", name)}
	}
	return p, nil
}

// Names lists the providers in the order in which they were added.
func (r *Registry) Names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.order)
}

// Start checks req and has the named provider start it. Nothing reaches the
// provider before all checks have passed.
//
// A call that is alive already, that is from its start until its child has been
// closed, is not started again: Start gives the child that it has, which both
// callers then share, so that one Close ends it for both. ctx covers the life of
// the child only where this Start was the one that started it. Requests without
// a call id are always started.
func (r *Registry) Start(ctx context.Context, provider string, req Request) (Child, error) {
	p, err := r.Lookup(provider)
	if err != nil {
		return nil, err
	}
	if err := checkCapabilities(p, req); err != nil {
		return nil, err
	}
	if err := checkRequest(req); err != nil {
		return nil, err
	}
	if req.Call == "" {
		return startFresh(ctx, p, req)
	}
	for {
		c, mine := r.join(req.Call)
		if mine {
			return r.startCall(ctx, p, req, c)
		}
		select {
		case <-c.started:
			if c.handle != nil {
				return c.handle, nil
			}
			// The other start failed, and so did not happen; this one may.
		case <-ctx.Done():
			return nil, Aborted(ctx)
		}
	}
}

// join returns the entry of a call and whether the caller made it.
func (r *Registry) join(id CallID) (c *call, mine bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c, ok := r.alive[id]; ok {
		return c, false
	}
	c = &call{registry: r, id: id, started: make(chan struct{})}
	r.alive[id] = c
	return c, true
}

func (r *Registry) startCall(ctx context.Context, p Provider, req Request, c *call) (Child, error) {
	child, err := startFresh(ctx, p, req)
	if err != nil {
		r.forget(c)
		close(c.started)
		return nil, err
	}
	c.child = child
	c.handle = c
	if again, ok := child.(Retrier); ok {
		c.handle = retriable{c, again}
	}
	close(c.started)
	return c.handle, nil
}

func (r *Registry) forget(c *call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.alive[c.id] == c {
		delete(r.alive, c.id)
	}
}

func startFresh(ctx context.Context, p Provider, req Request) (Child, error) {
	if ctx.Err() != nil {
		return nil, Aborted(ctx)
	}
	return p.Start(ctx, req)
}

// call is the child of one call id. child and handle are set once, before
// started closes; they stay nil when the start failed.
type call struct {
	registry *Registry
	id       CallID
	started  chan struct{}
	child    Child
	handle   Child // what callers get
}

var _ Child = (*call)(nil)

func (c *call) ID() string { return c.child.ID() }

func (c *call) Wait(ctx context.Context) (Result, error) { return c.child.Wait(ctx) }

func (c *call) Close() error {
	err := c.child.Close()
	c.registry.forget(c)
	return err
}

// retriable is a call whose child can be tried again.
type retriable struct {
	*call
	Retrier
}

var _ Retrier = retriable{}
