package subagenttest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/dsh-go/dsh-workflow/subagent"
)

var errClosed = errors.New("child closed")

// child is one scripted child. result and err are written once, before done
// closes; cancel is nil where the child settled before Start returned.
type child struct {
	owner  *Scripted
	id     string
	cancel context.CancelCauseFunc
	done   chan struct{}
	result subagent.Result
	err    error
	close  sync.Once
}

var _ subagent.Child = (*child)(nil)

func (c *child) ID() string { return c.id }

func (c *child) Wait(ctx context.Context) (subagent.Result, error) {
	select {
	case <-c.done:
		return c.result, c.err
	default:
	}
	select {
	case <-c.done:
		return c.result, c.err
	case <-ctx.Done():
		return subagent.Result{}, context.Cause(ctx)
	}
}

func (c *child) Close() error {
	c.close.Do(func() {
		if c.cancel != nil {
			c.cancel(errClosed)
		}
		<-c.done
		c.owner.count(func(n *Counts) { n.Closed++ })
	})
	return nil
}

func (c *child) run(life context.Context, req subagent.Request, script Script) {
	defer c.cancel(nil)
	if script.Stuck {
		<-c.owner.release
		c.settle(subagent.CancelledBy(life, ""), nil)
		return
	}
	timer := time.NewTimer(script.Delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		c.settle(script.result(req), script.WaitErr)
	case <-life.Done():
		c.settle(subagent.CancelledBy(life, ""), nil)
	}
}

func (c *child) settle(r subagent.Result, err error) {
	c.result, c.err = r, err
	c.owner.count(func(n *Counts) { n.Settled++; n.Live-- })
	close(c.done)
}
