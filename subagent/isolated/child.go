package isolated

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/worktree"
)

// settleTime bounds the commit of what a child left. It goes on when the run is
// cancelled: the work is done and shall not be lost.
const settleTime = time.Minute

// child is the handle of a child in a worktree.
//
// Concurrency: methods may be called from any goroutine. mu guards what is known
// of the tree; it is held while git works, since nobody can say more before.
type child struct {
	subagent.Child
	home *home

	mu      sync.Mutex
	settled bool // left and fault are of the attempt that ended last
	left    worktree.Left
	fault   error
	closing sync.Once
	closed  error
}

// retriable is a child whose inner child can go on after a failure.
type retriable struct {
	*child
	inner subagent.Retrier
}

var _ subagent.Retrier = retriable{}

func wrapChild(inner subagent.Child, h *home) subagent.Child {
	c := &child{Child: inner, home: h}
	if again, ok := inner.(subagent.Retrier); ok {
		return retriable{c, again}
	}
	return c
}

// Wait returns the inner result with what the tree holds. A child whose work
// cannot be committed has failed: its words would speak of changes that are not
// there.
func (c *child) Wait(ctx context.Context) (subagent.Result, error) {
	res, err := c.Child.Wait(ctx)
	if err != nil {
		return res, err
	}
	left, err := c.settle()
	switch {
	case err == nil && left.Changed():
		res.Tree = &left
	case err != nil && res.Outcome == subagent.Completed:
		res.Outcome, res.Value = subagent.Failed, nil
		res.Failure = &subagent.Failure{Code: CodeWorktree, Message: c.lost(err)}
	case err != nil:
		res.Failure = &subagent.Failure{Code: res.Failure.Code, Message: res.Failure.Message + "; " + c.lost(err)}
	}
	return res, nil
}

func (c *child) lost(err error) string {
	return fmt.Sprintf("the changes of the agent could not be committed: %v; they lie in %s", err, c.home.tree.Path)
}

func (c *child) settle() (worktree.Left, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.settled {
		ctx, cancel := context.WithTimeout(context.Background(), settleTime)
		defer cancel()
		c.left, c.fault = c.home.settle(ctx)
		c.settled = true
	}
	return c.left, c.fault
}

// Close ends the inner child. A tree in which nothing changed is removed.
func (c *child) Close() error {
	c.closing.Do(func() { c.closed = c.close() })
	return c.closed
}

func (c *child) close() error {
	if err := c.Child.Close(); err != nil {
		return err
	}
	left, err := c.settle()
	if err != nil || left.Changed() {
		return nil // the tree stays, and Wait says so
	}
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	return c.home.discard(ctx)
}

// Retry lets the child go on in the same tree.
func (c retriable) Retry(ctx context.Context) error {
	if err := c.inner.Retry(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settled = false
	return nil
}
