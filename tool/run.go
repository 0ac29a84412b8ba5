package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
)

// Kinds of failure that the registry itself reports.
const (
	KindInvalidArgs   = "INVALID_ARGS"
	KindUnknown       = "UNKNOWN_TOOL"
	KindAborted       = "ABORTED"
	KindNotDispatched = "ABORTED_BEFORE_DISPATCH"
	KindInvalidOutput = "INVALID_TOOL_OUTPUT"
	KindPanic         = "TOOL_PANIC"
	KindTimeout       = "TOOL_TIMEOUT"
)

// Run executes one call and gives its one result. rawArguments is what the
// model wrote; c.Arguments is set from it. c.Name chooses the tool.
//
// Arguments that are no JSON or violate the tool's schema, a name that is no
// tool, and a denial of a guard give an error result without running the tool.
// If ctx has ended before the tool starts, the result is [KindNotDispatched];
// if it ends while the tool runs, the tool is awaited, and what would have been
// a success is [KindAborted]. A tool that runs over its Timeout, if nothing else ended
// it before, is [KindTimeout]. The text of the result is valid UTF-8 without
// control characters and within the registry's limit.
func (r *Registry) Run(ctx context.Context, c Call, rawArguments string) Result {
	c.Outputs = outputsOf(c)
	result, err := r.dispatch(ctx, c, rawArguments)
	if err != nil {
		result = failure(err)
	}
	return r.settle(c, result)
}

func (r *Registry) dispatch(ctx context.Context, c Call, raw string) (Result, error) {
	e, known := r.tools[c.Name]
	args, err := parse(raw)
	switch {
	case known && err != nil:
		return Result{}, err
	case ctx.Err() != nil:
		return Result{}, notDispatched(ctx)
	case !known:
		return Result{}, &Error{Name: "ToolNotFoundError", Kind: KindUnknown, Message: fmt.Sprintf("unknown tool %q", clip(c.Name, 200))}
	}
	if wrong := violations(e.check, args); wrong != "" {
		return Result{}, invalid(wrong, nil)
	}
	c.Arguments = args
	for _, g := range r.guards {
		denied := ask(ctx, g, c)
		if ctx.Err() != nil {
			return Result{}, notDispatched(ctx)
		}
		if denied != nil {
			return Result{}, denied
		}
	}
	return body(ctx, e.tool, c)
}

// body runs the tool itself and folds an end of ctx into the outcome: a failure
// keeps its own identity, unless it is only the echo of that end. A tool whose own
// time was over before that has timed out.
func body(ctx context.Context, t Tool, c Call) (Result, error) {
	result, err := timed(ctx, t, func(ctx context.Context) (Result, error) {
		return contained(c.Name, func() (Result, error) { return t.Run(ctx, c) })
	})
	if ctx.Err() == nil {
		return result, err
	}
	echo := errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))
	if echo || err == nil && !result.IsError && result.Error == nil {
		return Result{}, &Error{Name: "ToolAbortedError", Kind: KindAborted, Message: "tool call aborted", Err: context.Cause(ctx)}
	}
	return result, err
}

// ask puts the call to one guard, which gets arguments of its own. A guard that
// panics has denied.
func ask(ctx context.Context, g Guard, c Call) error {
	c.Arguments = slices.Clone(c.Arguments)
	_, err := contained(c.Name, func() (Result, error) { return Result{}, g(ctx, c) })
	return err
}

func contained(name string, f func() (Result, error)) (result Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			result = Result{}
			err = &Error{
				Name: "ToolPanic", Kind: KindPanic,
				Message: fmt.Sprintf("tool %q failed by a bug of the harness, not of the call: %v", name, v),
				Err:     fmt.Errorf("panic: %v\n%s", v, debug.Stack()),
			}
		}
	}()
	return f()
}

func notDispatched(ctx context.Context) error {
	return &Error{Name: "ToolAbortedError", Kind: KindNotDispatched, Message: "tool call aborted before dispatch", Err: context.Cause(ctx)}
}

// failure is the result of a call that ended with err.
func failure(err error) Result {
	var own *Error
	if !errors.As(err, &own) || own.Message != err.Error() {
		own = &Error{Kind: codeOf(err), Message: err.Error(), Err: err}
	}
	return Result{IsError: true, Error: own}
}

func codeOf(err error) string {
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		return coded.Code()
	}
	return ""
}

// settle makes a result one that may be logged and sent: consistent, valid,
// printable, bounded.
func (r *Registry) settle(c Call, result Result) Result {
	if result.Error == nil && !result.IsError && result.Value != nil && !json.Valid(result.Value) {
		result = failure(&Error{
			Name: "ToolOutputError", Kind: KindInvalidOutput,
			Message: fmt.Sprintf("tool %q returned invalid output: value is not JSON", c.Name),
		})
	}
	if result.IsError || result.Error != nil {
		return r.settleFailure(result)
	}
	result.Content = r.bound(r.spill(c, result.Content))
	result.Value = slices.Clone(result.Value)
	return result
}

func (r *Registry) settleFailure(result Result) Result {
	e := result.Error
	if e == nil {
		e = &Error{Message: text(result.Content)}
	}
	clean := *e
	clean.Message = headTail(printable(e.Message), r.limit-len("Error: "))
	content := result.Content
	if len(content) == 0 {
		content = Text("Error: " + clean.Message)
	}
	return Result{Content: r.bound(content), IsError: true, Error: &clean}
}
