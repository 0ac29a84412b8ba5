package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// proves: A318
func TestRetryDelays(t *testing.T) {
	server := &Error{Kind: CodeServer}
	for attempt, want := range []time.Duration{0, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second} {
		if attempt == 0 {
			continue
		}
		if got, again := (Retry{}).Next(attempt, server, 0.5); !again || got != want {
			t.Errorf("attempt %d: %v %v, want %v", attempt, got, again, want)
		}
	}
	if _, again := (Retry{}).Next(6, server, 0); again {
		t.Error("the sixth failure was tried again")
	}
	if d, again := (Retry{Always: true}).Next(5000, server, 0.99); !again || d != 10*time.Second {
		t.Error(d, again)
	}
	if _, again := (Retry{Max: -1}).Next(1, server, 0); again {
		t.Error("a policy without retries retried")
	}
	if d, _ := (Retry{Jitter: -1}).Next(1, server, 0); d != 500*time.Millisecond {
		t.Error(d)
	}
}

// proves: A318
func TestRetryJitterStaysInBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		attempt := rapid.IntRange(1, 5).Draw(t, "attempt")
		random := rapid.Float64Range(0, 0.999999).Draw(t, "random")
		d, again := (Retry{}).Next(attempt, &Error{Kind: CodeTransport}, random)
		middle := 500 * time.Millisecond << (attempt - 1)
		if !again || d < middle*9/10 || d > middle*11/10 || d > 10*time.Second {
			t.Fatal(d, again)
		}
	})
}

// proves: A318
func TestRetryByCode(t *testing.T) {
	for code, want := range map[Code]bool{
		CodeEmpty: true, CodeRateLimit: true, CodeServer: true, CodeStreamClosed: true, CodeTimeout: true, CodeTransport: true, CodeMalformed: true,
		CodeAborted: false, CodeAuth: false, CodeContextWindow: false, CodeInvalidRequest: false, CodeMissingKey: false, CodeQuota: false,
		CodeUnknownModel: false, CodeEffort: false, "HTTP_418": false,
	} {
		if _, again := (Retry{Always: true}).Next(1, &Error{Kind: code}, 0); again != want {
			t.Errorf("%s: %v", code, again)
		}
	}
	if _, again := (Retry{}).Next(2, &Error{Kind: CodeMalformed}, 0); again {
		t.Error("a second malformed answer was tried again")
	}
	if _, again := (Retry{Codes: []Code{CodeAborted, CodeQuota}}).Next(1, &Error{Kind: CodeAborted}, 0); again {
		t.Error("an abort was tried again")
	}
	if _, again := (Retry{Codes: []Code{CodeQuota}}).Next(3, &Error{Kind: CodeQuota}, 0); !again {
		t.Error("a code of the policy was not tried again")
	}
	if _, again := (Retry{}).Next(1, nil, 0); again {
		t.Error("nothing was tried again")
	}
}

// proves: A318
func TestRetryAfterIsTakenAndClamped(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{
		1500 * time.Millisecond: 1500 * time.Millisecond, 2 * time.Minute: 2 * time.Minute, 99999999 * time.Second: MaxRetryAfter,
	} {
		if d, again := (Retry{}).Next(1, &Error{Kind: CodeRateLimit, RetryAfter: asked}, 0.9); !again || d != want {
			t.Errorf("%v: %v %v", asked, d, again)
		}
	}
}

func TestAsError(t *testing.T) {
	own := &Error{Kind: CodeQuota}
	for _, c := range []struct {
		err  error
		want Code
	}{
		{fmt.Errorf("x: %w", own), CodeQuota},
		{fmt.Errorf("x: %w", context.Canceled), CodeAborted},
		{context.DeadlineExceeded, CodeAborted},
		{timeout{}, CodeTimeout},
		{errors.New("refused"), CodeTransport},
	} {
		got := AsError(c.err)
		if got.Kind != c.want || got != own && !errors.Is(got, c.err) {
			t.Errorf("%v: %v", c.err, got)
		}
	}
	if AsError(nil) != nil {
		t.Error("nil")
	}
}

type timeout struct{}

func (timeout) Error() string { return "slow" }
func (timeout) Timeout() bool { return true }

// cycle is its own cause; hostile panics.
type cycle struct{ error }

func (c *cycle) Unwrap() error { return c }

type hostile struct{ next error }

func (hostile) Error() string     { panic("no text") }
func (h hostile) Unwrap() []error { panic(h.next) }

// proves: A307
func TestChain(t *testing.T) {
	inner := errors.New("connection\nreset")
	for want, err := range map[string]error{
		"":                       nil,
		"read: connection reset": fmt.Errorf("read: %w", inner),
		"p: server said no: read: connection reset": &Error{Message: "p: server said no", Err: fmt.Errorf("read: %w", inner)},
		"a b":       errors.Join(errors.New("a"), errors.New("b")),
		"top: a: b": &Error{Message: "top", Err: joined{errors.New("a"), errors.New("b"), errors.New("a")}},
		"round":     &cycle{errors.New("round")},
		"outer: an error that cannot tell its text":         &Error{Message: "outer", Err: hostile{inner}},
		strings.Repeat("y", 4096):                           errors.New(strings.Repeat("y", 9000)),
		"top: an error that cannot tell its text: the last": &Error{Message: "top", Err: joined{hostile{}, nil, errors.New("the last")}},
	} {
		if got := Chain(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// joined has causes that its text does not name.
type joined []error

func (joined) Error() string     { return "top" }
func (j joined) Unwrap() []error { return j }

func TestEstimates(t *testing.T) {
	req := Request{
		System: "12345678",
		Tools:  []ToolSpec{{Name: "a", Parameters: []byte(`{}`)}},
		Messages: []Message{{Content: []Block{
			Text{"1234"}, Reasoning{"\U0001F600\U0001F600"}, ToolCall{Name: "abcd", Arguments: "12345"},
			ToolResult{Content: []Block{Text{""}, Unknown{Raw: []byte(`{"a":1}`)}}},
		}}},
	}
	tools := (len(`{"name":"","description":"","parameters":},`)+1+2+3)/4 + 4
	if got, want := EstimateRequest(req), 2+4+tools+4+(1+4)+(1+4)+(1+2+4)+(4+4+2+4); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
	if EstimateText("") != 0 || EstimateRequest(Request{}) != 0 || EstimateBlock(nil) != 0 {
		t.Error("something out of nothing")
	}
}
