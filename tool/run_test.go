package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/llm"
)

// bodied makes a tool with two arguments from a function.
func bodied(run func(ctx context.Context, c Call) (Result, error)) Tool {
	return Tool{
		Name: "t", Input: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"}},"required":["path","n"]}`),
		Run: run,
	}
}

const fine = `{"path":"p","n":1}`

// checkFailure compares everything that a model or a log sees of a failure.
func checkFailure(t *testing.T, got Result, kind, message string) {
	t.Helper()
	if !got.IsError || got.Error == nil || got.Error.Kind != kind || got.Error.Message != message {
		t.Errorf("got %+v (%v), want %s %q", got, got.Error, kind, message)
		return
	}
	if d := cmp.Diff([]llm.Block{llm.Text{Text: "Error: " + message}}, got.Content); d != "" {
		t.Error(d)
	}
}

// proves: A177
func TestBadCallsDoNotRun(t *testing.T) {
	ran := false
	r := registry(t, bodied(func(context.Context, Call) (Result, error) { ran = true; return Result{}, nil }))
	for _, tc := range []struct{ name, args, kind, message string }{
		{"x", `{}`, KindUnknown, `unknown tool "x"`},
		{"x", `{"broken`, KindUnknown, `unknown tool "x"`},
		{"t", `{"path":"p","n`, KindInvalidArgs, "invalid arguments: not valid JSON at byte 14: unexpected end of JSON input (the arguments were cut off; the tool was not run)"},
		{"t", `{"path":"p","n":1`, KindInvalidArgs, "invalid arguments: not valid JSON at byte 17: unexpected end of JSON input (the arguments were cut off; the tool was not run)"},
		{"t", `{"path":p}`, KindInvalidArgs, "invalid arguments: not valid JSON at byte 9: invalid character 'p' looking for beginning of value"},
		{"t", fine + "{}", KindInvalidArgs, "invalid arguments: not valid JSON at byte 19: invalid character '{' after top-level value"},
		{"t", `"text"`, KindInvalidArgs, `invalid arguments: "arguments" must be an object`},
		{"t", `null`, KindInvalidArgs, `invalid arguments: "arguments" must be an object`},
	} {
		checkFailure(t, r.Run(t.Context(), Call{Name: tc.name}, tc.args), tc.kind, tc.message)
	}
	if ran {
		t.Error("the tool ran")
	}
}

// proves: A178
func TestEveryViolationIsListed(t *testing.T) {
	r := registry(t, bodied(nothing))
	checkFailure(t, r.Run(t.Context(), Call{Name: "t"}, `{"path":1}`), KindInvalidArgs,
		`invalid arguments: missing required property "n"; "path" must be a string`)
	checkFailure(t, r.Run(t.Context(), Call{Name: "t"}, ``), KindInvalidArgs,
		`invalid arguments: missing required property "n"; missing required property "path"`)
}

func nothing(context.Context, Call) (Result, error) { return Result{}, nil }

// proves: A179
func TestExtraKeys(t *testing.T) {
	open, closed := bodied(nothing), bodied(nothing)
	closed.Name, closed.Input = "closed", json.RawMessage(`{"type":"object","additionalProperties":false}`)
	r := registry(t, open, closed)
	if got := r.Run(t.Context(), Call{Name: "t"}, `{"path":"p","n":1,"x":2}`); got.IsError {
		t.Error(got.Error)
	}
	checkFailure(t, r.Run(t.Context(), Call{Name: "closed"}, `{"x":2}`), KindInvalidArgs,
		`invalid arguments: "x" is not a declared property (additionalProperties: false)`)
}

// proves: A185
func TestGuardsOnlyDeny(t *testing.T) {
	ran := 0
	base := registry(t, bodied(func(_ context.Context, c Call) (Result, error) {
		ran++
		return Result{Content: Text(string(c.Arguments))}, nil
	}))
	var asked []string
	guard := func(name string, err error) Guard {
		return func(_ context.Context, c Call) error {
			asked = append(asked, name)
			c.Arguments[0] = 'X' // its own copy
			return err
		}
	}
	allow, deny := guard("allow", nil), guard("deny", errors.New("not on Sundays"))
	for _, r := range []*Registry{base.Guarded(allow, deny), base.Guarded(deny, allow), base.Guarded(deny).Guarded(allow)} {
		checkFailure(t, r.Run(t.Context(), Call{Name: "t"}, fine), "", "not on Sundays")
	}
	if d := cmp.Diff([]string{"allow", "deny", "deny", "deny"}, asked); d != "" {
		t.Error(d)
	}
	if got := base.Guarded(allow).Run(t.Context(), Call{Name: "t"}, fine); got.IsError || text(got.Content) != fine {
		t.Errorf("got %+v", got)
	}
	base.Run(t.Context(), Call{Name: "t"}, fine)
	if ran != 2 {
		t.Errorf("ran %d times", ran)
	}
	coded := base.Guarded(func(context.Context, Call) error { return &Error{Kind: "POLICY", Message: "no"} })
	checkFailure(t, coded.Run(t.Context(), Call{Name: "t"}, fine), "POLICY", "no")
	panics := base.Guarded(func(context.Context, Call) error { panic("oops") })
	if got := panics.Run(t.Context(), Call{Name: "t"}, fine); got.Error == nil || got.Error.Kind != KindPanic || ran != 2 {
		t.Errorf("a guard that panics allowed: %+v", got)
	}
}

// proves: A191
func TestEndedBeforeStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := registry(t, bodied(func(context.Context, Call) (Result, error) { t.Error("ran"); return Result{}, nil }))
	stops := r.Guarded(func(context.Context, Call) error { cancel(); return nil })
	checkFailure(t, stops.Run(ctx, Call{Name: "t"}, fine), KindNotDispatched, "tool call aborted before dispatch")
	checkFailure(t, r.Run(ctx, Call{Name: "t"}, fine), KindNotDispatched, "tool call aborted before dispatch")
	checkFailure(t, r.Run(ctx, Call{Name: "x"}, fine), KindNotDispatched, "tool call aborted before dispatch")
	if got := r.Run(ctx, Call{Name: "t"}, "{"); got.Error.Kind != KindInvalidArgs {
		t.Errorf("broken arguments of an aborted call: %+v", got.Error)
	}
}

// proves: A192, A193
func TestEndWhileRunning(t *testing.T) {
	cause := errors.New("user said so")
	other := errors.New("disk on fire")
	for name, tc := range map[string]struct {
		result        Result
		err           error
		kind, message string
	}{
		"success":       {Result{Content: Text("done"), Concludes: true}, nil, KindAborted, "tool call aborted"},
		"echo of ctx":   {Result{}, fmt.Errorf("read: %w", context.Canceled), KindAborted, "tool call aborted"},
		"echo of cause": {Result{}, fmt.Errorf("read: %w", cause), KindAborted, "tool call aborted"},
		"own failure":   {Result{}, other, "", "disk on fire"},
		"error result":  {Result{IsError: true, Error: &Error{Kind: "K", Message: "m"}}, nil, "K", "m"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			finished := false
			r := registry(t, bodied(func(ctx context.Context, _ Call) (Result, error) {
				cancel(cause)
				<-ctx.Done()
				finished = true
				return tc.result, tc.err
			}))
			got := r.Run(ctx, Call{Name: "t"}, fine)
			checkFailure(t, got, tc.kind, tc.message)
			if !finished || got.Concludes {
				t.Errorf("finished %v, concludes %v", finished, got.Concludes)
			}
		})
	}
}

func TestInvalidValue(t *testing.T) {
	r := registry(t, bodied(func(context.Context, Call) (Result, error) {
		return Result{Content: Text("x"), Value: json.RawMessage("{")}, nil
	}))
	checkFailure(t, r.Run(t.Context(), Call{Name: "t"}, fine), KindInvalidOutput, `tool "t" returned invalid output: value is not JSON`)
}

func TestPanicIsOurBug(t *testing.T) {
	r := registry(t, bodied(func(context.Context, Call) (Result, error) {
		m := map[bool]map[string]int{}[true]
		m["x"] = 1
		return Result{}, nil
	}))
	got := r.Run(t.Context(), Call{Name: "t"}, fine)
	checkFailure(t, got, KindPanic, `tool "t" failed by a bug of the harness, not of the call: assignment to entry in nil map`)
	if got.Error.Err == nil || !strings.Contains(got.Error.Err.Error(), "run_test.go") {
		t.Error("the stack is missing")
	}
}

func TestResultsBecomeConsistent(t *testing.T) {
	coded := fmt.Errorf("outer: %w", &llm.Error{Kind: "QUOTA", Message: "inner"})
	for name, tc := range map[string]struct {
		result Result
		err    error
		want   Result
	}{
		"success":               {Result{Content: Text("a"), Value: json.RawMessage("1"), Concludes: true}, nil, Result{Content: Text("a"), Value: json.RawMessage("1"), Concludes: true}},
		"error without details": {Result{Content: Text("bad"), IsError: true, Concludes: true}, nil, Result{Content: Text("bad"), IsError: true, Error: &Error{Message: "bad"}}},
		"details without flag":  {Result{Error: &Error{Message: "bad"}}, nil, Result{Content: Text("Error: bad"), IsError: true, Error: &Error{Message: "bad"}}},
		"foreign code":          {Result{}, coded, Result{Content: Text("Error: outer: inner"), IsError: true, Error: &Error{Kind: "QUOTA", Message: "outer: inner"}}},
		"error beats result":    {Result{Content: Text("a")}, errors.New("bad"), Result{Content: Text("Error: bad"), IsError: true, Error: &Error{Message: "bad"}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := registry(t, bodied(func(context.Context, Call) (Result, error) { return tc.result, tc.err }))
			got := r.Run(t.Context(), Call{Name: "t"}, fine)
			if got.Error != nil {
				got.Error.Err = nil
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
