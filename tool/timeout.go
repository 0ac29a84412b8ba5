package tool

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// maxTimeout is the longest time that a tool may give itself: about 24 days, so
// that it is a whole number of milliseconds for any reader of a log.
const maxTimeout = 2147483647 * time.Millisecond

// timed puts the tool's own time around its body. Whatever comes back after that
// time is over is replaced by [KindTimeout], if nothing else ended the call first:
// a cancel of the caller, or an earlier deadline of somebody else, stays what it
// is.
func timed(ctx context.Context, t Tool, run func(context.Context) (Result, error)) (Result, error) {
	if t.Timeout == 0 {
		return run(ctx)
	}
	over := &Error{
		Name: "ToolTimeoutError", Kind: KindTimeout,
		Message: fmt.Sprintf("tool call timed out after %dms", t.Timeout.Milliseconds()),
	}
	ctx, cancel := context.WithTimeoutCause(ctx, t.Timeout, over)
	defer cancel()
	result, err := run(ctx)
	if errors.Is(context.Cause(ctx), over) {
		return Result{}, over
	}
	return result, err
}
