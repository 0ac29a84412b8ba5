package worktree

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/jsonl"
)

// How long another process may hold a lock of ours, and how often we look.
const (
	lockPatience = time.Minute
	lockPause    = 20 * time.Millisecond
)

// acquire takes the lock file at path, waiting for others.
func acquire(ctx context.Context, path string) (*jsonl.Lock, error) {
	for end := time.Now().Add(lockPatience); ; {
		lock, err := jsonl.Acquire(path, jsonl.Self())
		var held *jsonl.LockedError
		switch {
		case err == nil:
			return lock, nil
		case !errors.As(err, &held):
			return nil, &Error{Kind: Failed, Message: fmt.Sprintf("the lock %s cannot be taken", path), Err: err}
		case time.Now().After(end):
			return nil, &Error{Kind: Locked, Message: "another process is changing the same worktrees", Err: err}
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(lockPause):
		}
	}
}
