package subagenttest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/dsh-go/dsh-workflow/subagent"
)

var errClosed = errors.New("child closed")

// child is one scripted child.
//
// Concurrency: methods may be called from any goroutine; mu guards the attempt
// that counts, and an attempt's outcome is written before its done closes.
type child struct {
	owner  *Scripted
	id     string
	req    subagent.Request
	life   context.Context
	cancel context.CancelCauseFunc
	close  sync.Once

	mu  sync.Mutex
	now *attempt
}

// attempt is one run of a script.
type attempt struct {
	script Script
	done   chan struct{}
	result subagent.Result
	err    error
}

var (
	_ subagent.Child   = (*child)(nil)
	_ subagent.Retrier = (*child)(nil)
)

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

// Retry plays the script's Then.
func (c *child) Retry(context.Context) error {
	a := c.current()
	select {
	case <-a.done:
	default:
		return errors.New("the child is at work")
	}
	switch {
	case a.script.Then == nil || a.result.Outcome != subagent.Failed:
		return errors.New("the script has no other attempt")
	case c.life.Err() != nil:
		return context.Cause(c.life)
	}
	c.owner.count(func(n *Counts) { n.Retries++ })
	then := *a.script.Then
	then.Usage = then.Usage.Plus(a.result.Usage)
	c.begin(then)
	return nil
}

func (c *child) Close() error {
	c.close.Do(func() {
		c.cancel(errClosed)
		<-c.current().done
		c.owner.count(func(n *Counts) { n.Closed++ })
	})
	return nil
}

func (c *child) current() *attempt {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// begin starts an attempt. One that takes no time needs no goroutine.
func (c *child) begin(s Script) {
	a := &attempt{script: s, done: make(chan struct{})}
	c.mu.Lock()
	c.now = a
	c.mu.Unlock()
	c.owner.count(func(n *Counts) {
		n.Live++
		n.Peak = max(n.Peak, n.Live)
	})
	if s.Delay <= 0 && !s.Stuck {
		c.settle(a, s.result(c.req), s.WaitErr)
		return
	}
	go c.play(a)
}

func (c *child) play(a *attempt) {
	if a.script.Stuck {
		<-c.owner.release
		c.settle(a, subagent.CancelledBy(c.life, ""), nil)
		return
	}
	timer := time.NewTimer(a.script.Delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		c.settle(a, a.script.result(c.req), a.script.WaitErr)
	case <-c.life.Done():
		c.settle(a, subagent.CancelledBy(c.life, ""), nil)
	}
}

func (c *child) settle(a *attempt, r subagent.Result, err error) {
	a.result, a.err = r, err
	c.owner.count(func(n *Counts) { n.Settled++; n.Live-- })
	close(a.done)
}
