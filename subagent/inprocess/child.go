package inprocess

import (
	"context"
	_ "embed"
	"errors"
	"strings"
	"sync"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/subagent"
)

//go:embed text/retry.md
var retryText string

// child is the handle of one subagent.
//
// Concurrency: methods may be called from any goroutine. One goroutine drives
// the agent, one attempt after the other; it writes the outcome of an attempt
// before it closes the attempt's done. mu guards the current attempt and whether
// there may be another.
type child struct {
	id     string
	life   context.Context
	cancel context.CancelCauseFunc
	detach func() bool // from the context of the start
	close  sync.Once

	mu    sync.Mutex
	now   *attempt
	stack *stack // nil when no attempt may follow: its memory is free
	fault error  // of closing the session
}

// stack is what a child works with.
type stack struct {
	plan   *plan
	log    *session.Log
	agent  *agent.Agent
	closed func(Site)
	usage  llm.Usage // of the attempts that have ended
	text   string    // the last one that any of them gave
}

// attempt is one drive of the agent.
type attempt struct {
	done   chan struct{}
	result subagent.Result
	err    error
}

var (
	_ subagent.Child   = (*child)(nil)
	_ subagent.Retrier = (*child)(nil)
)

// cancelled is the end of a child by whoever started it. The log names the
// parent where no reason was given.
type cancelled struct{ cause error }

func (c *cancelled) Error() string { return c.cause.Error() }
func (c *cancelled) Unwrap() []error {
	if errors.Is(c.cause, context.Canceled) {
		return []error{c.cause, &agent.Cancel{By: agent.ByParent}}
	}
	return []error{c.cause}
}

func newChild(ctx context.Context, s *stack) *child {
	c := &child{id: s.plan.site.Session, stack: s}
	c.life, c.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	c.detach = context.AfterFunc(ctx, func() { c.cancel(&cancelled{context.Cause(ctx)}) })
	c.begin()
	return c
}

func (c *child) ID() string { return c.id }

func (c *child) Wait(ctx context.Context) (subagent.Result, error) {
	a := c.current()
	select {
	case <-a.done:
		return a.result, a.err
	default:
	}
	select {
	case <-a.done:
		return a.result, a.err
	case <-ctx.Done():
		return subagent.Result{}, context.Cause(ctx)
	}
}

// Retry lets the agent go on behind a turn that failed.
func (c *child) Retry(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.now.done:
	default:
		return errors.New("the child is at work")
	}
	switch {
	case c.stack == nil || len(c.stack.log.History()) == 0:
		return errors.New("the child has nothing to go on from")
	case c.life.Err() != nil:
		return context.Cause(c.life)
	}
	err := c.stack.agent.Steer(llm.Message{
		Role:    llm.RoleUser,
		Content: []llm.Block{llm.Text{Text: strings.TrimSpace(retryText)}},
		Source:  llm.Source{Kind: llm.SourcePlugin, Plugin: "subagent", Form: "retry"},
	})
	if err != nil {
		return err
	}
	c.begin()
	return nil
}

// Close ends what is left of the child and gives back its session.
func (c *child) Close() error {
	c.close.Do(func() {
		c.cancel(&agent.Cancel{By: agent.ByDisposed})
		c.detach()
		<-c.current().done
		c.release()
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault
}

func (c *child) current() *attempt {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// begin starts an attempt. The caller holds mu, or is the only one yet.
func (c *child) begin() {
	a := &attempt{done: make(chan struct{})}
	c.now = a
	go c.drive(a, c.stack)
}

func (c *child) drive(a *attempt, s *stack) {
	a.result, a.err = s.run(c.life)
	if a.err != nil || a.result.Outcome != subagent.Failed || c.life.Err() != nil {
		c.release()
	}
	close(a.done)
}

// release closes the session and lets go of everything but the result. No
// attempt is active.
func (c *child) release() {
	c.mu.Lock()
	s := c.stack
	c.stack = nil
	c.mu.Unlock()
	if s == nil {
		return
	}
	s.closed(s.plan.site)
	err := s.log.Close()
	c.mu.Lock()
	c.fault = err
	c.mu.Unlock()
}
