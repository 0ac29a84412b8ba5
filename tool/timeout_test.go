package tool

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// proves: A197
func TestTimeout(t *testing.T) {
	const budget = 30 * time.Second
	const timedOut = "tool call timed out after 30000ms"
	until := func(ctx context.Context, d time.Duration) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	done := Result{Content: Text("done")}
	for name, tc := range map[string]struct {
		budget        time.Duration
		cancel        time.Duration // when the caller cancels
		deadline      time.Duration // of the caller
		run           func(ctx context.Context) (Result, error)
		kind, message string // empty: a success
		took          time.Duration
	}{
		"in time":   {budget: budget, run: func(ctx context.Context) (Result, error) { return done, until(ctx, budget-1) }, took: budget - 1},
		"no budget": {run: func(ctx context.Context) (Result, error) { return done, until(ctx, time.Hour) }, took: time.Hour},
		"over its time": {budget: budget, run: func(ctx context.Context) (Result, error) { return done, until(ctx, time.Hour) },
			kind: KindTimeout, message: timedOut, took: budget},
		"over its time, and a success": {budget: budget, run: func(context.Context) (Result, error) { time.Sleep(time.Minute); return done, nil },
			kind: KindTimeout, message: timedOut, took: time.Minute},
		"over its time, and another failure": {budget: budget, run: func(ctx context.Context) (Result, error) {
			_ = until(ctx, time.Hour)
			return Result{}, &Error{Kind: "OTHER", Message: "other"}
		}, kind: KindTimeout, message: timedOut, took: budget},
		"cancelled first": {budget: budget, cancel: time.Second, run: func(ctx context.Context) (Result, error) { return done, until(ctx, time.Hour) },
			kind: KindAborted, message: "tool call aborted", took: time.Second},
		"cancelled first, and deaf": {budget: budget, cancel: time.Second, run: func(context.Context) (Result, error) { time.Sleep(time.Minute); return done, nil },
			kind: KindAborted, message: "tool call aborted", took: time.Minute},
		"the time first, then a cancel": {budget: budget, cancel: 40 * time.Second, run: func(context.Context) (Result, error) { time.Sleep(time.Minute); return done, nil },
			kind: KindTimeout, message: timedOut, took: time.Minute},
		"a deadline of somebody else": {budget: budget, deadline: time.Second, run: func(ctx context.Context) (Result, error) { return done, until(ctx, time.Hour) },
			kind: KindAborted, message: "tool call aborted", took: time.Second},
		"a deadline of its own": {budget: budget, run: func(ctx context.Context) (Result, error) {
			inner, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			return Result{}, until(inner, time.Hour)
		}, message: context.DeadlineExceeded.Error(), took: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if tc.cancel > 0 {
					defer time.AfterFunc(tc.cancel, func() { cancel(errors.New("enough")) }).Stop()
				}
				if tc.deadline > 0 {
					var end context.CancelFunc
					ctx, end = context.WithTimeout(ctx, tc.deadline)
					defer end()
				}
				body := bodied(func(ctx context.Context, _ Call) (Result, error) { return tc.run(ctx) })
				body.Timeout = tc.budget
				began := time.Now()
				got := registry(t, body).Run(ctx, Call{Name: "t"}, fine)
				if took := time.Since(began); took != tc.took {
					t.Errorf("took %v, want %v", took, tc.took)
				}
				if tc.message == "" && !got.IsError {
					return
				}
				checkFailure(t, got, tc.kind, tc.message)
				if tc.kind == KindTimeout && got.Error.Name != "ToolTimeoutError" {
					t.Error(got.Error.Name)
				}
			})
		})
	}
}

func TestTimeoutsThatNoClockKeeps(t *testing.T) {
	for _, d := range []time.Duration{-1, maxTimeout + 1} {
		if _, err := NewRegistry(Tool{Name: "t", Input: json.RawMessage(`{"type":"object"}`), Run: nothing, Timeout: d}); err == nil {
			t.Errorf("%v was taken", d)
		}
	}
}
