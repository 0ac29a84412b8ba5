package subagenttest

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/dsh-go/dsh-workflow/subagent"
	"go.uber.org/goleak"
)

// Prompts of the suite. A factory sets its provider up so that children that
// get one of them behave as it says.
const (
	PromptReply = "suite: reply"  // the last message is [Reply]
	PromptHang  = "suite: hang"   // never ends on its own
	PromptFail  = "suite: fail"   // ends with a failure of the code [FailCode]
	PromptValue = "suite: value"  // where a schema is asked for, the value is [Value]
	Reply       = "suite reply"   // the text of PromptReply
	FailCode    = "SERVER"        // the code of PromptFail
	Value       = `{"reply":"x"}` // the value of PromptValue
)

// Schema is what the suite asks PromptValue for.
const Schema = `{"type":"object","properties":{"reply":{"type":"string"}},"required":["reply"],"additionalProperties":false}`

// Factory makes a provider for one test of the suite. What it holds is released
// through t.Cleanup.
type Factory func(t *testing.T) subagent.Provider

// Run holds a provider to the contract of [subagent.Provider] and
// [subagent.Child]. Every provider's tests call it. It checks after each test
// that no goroutine is left, so it does not run in parallel.
func Run(t *testing.T, factory Factory) {
	tests := []struct {
		name string
		run  func(*testing.T, *suite)
	}{
		{"NamedAndDistinct", testNamed},
		{"Completes", testCompletes},
		{"WaitManyTimes", testWaitMany},
		{"WaitEndsEarly", testWaitEarly},
		{"CancelledWithCause", testCancelCause},
		{"AbortedStart", testAbortedStart},
		{"CloseCancels", testCloseCancels},
		{"CloseKeepsResult", testCloseKeeps},
		{"CallJoins", testCallJoins},
		{"Value", testValue},
		{"FailureIsAResult", testFailure},
		{"Retries", testRetries},
		{"SiblingsAreApart", testSiblings},
		{"RequestIsCopied", testRequestCopied},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			t.Run("", func(t *testing.T) {
				test.run(t, &suite{provider: factory(t), cwd: t.TempDir()})
			})
			if err := goleak.Find(before); err != nil {
				t.Errorf("goroutines left: %v", err)
			}
		})
	}
}

// suite makes the requests of one test.
type suite struct {
	provider subagent.Provider
	cwd      string
	calls    int
}

func (s *suite) request(prompt string) subagent.Request {
	s.calls++
	return subagent.Request{
		Call:   subagent.CallID(fmt.Sprintf("suite/%d", s.calls)),
		Prompt: prompt,
		Lineage: subagent.Lineage{
			Run:  "suite",
			Root: s.cwd,
			Cwd:  s.cwd,
		},
	}
}

func (s *suite) structured(prompt string) subagent.Request {
	req := s.request(prompt)
	req.Schema = json.RawMessage(Schema)
	return req
}

// start starts a child and closes it at the end of the test.
func (s *suite) start(t *testing.T, req subagent.Request) subagent.Child {
	t.Helper()
	c, err := s.provider.Start(t.Context(), req)
	if err != nil {
		t.Fatalf("start %q: %v", req.Prompt, err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c
}

func await(t *testing.T, c subagent.Child) subagent.Result {
	t.Helper()
	r, err := c.Wait(t.Context())
	if err != nil {
		t.Fatalf("wait: %v", err)
	}
	checkShape(t, r)
	return r
}

// checkShape holds what is true of every result.
func checkShape(t *testing.T, r subagent.Result) {
	t.Helper()
	switch r.Outcome {
	case subagent.Completed:
		if r.Failure != nil {
			t.Errorf("a completed child has the failure %+v", *r.Failure)
		}
	case subagent.Failed, subagent.Cancelled:
		if r.Failure == nil || r.Failure.Code == "" || r.Failure.Message == "" {
			t.Errorf("outcome %q needs a failure with code and message, not %+v", r.Outcome, r.Failure)
		}
		if r.Value != nil {
			t.Errorf("outcome %q has the value %s", r.Outcome, r.Value)
		}
	default:
		t.Errorf("unknown outcome %q", r.Outcome)
	}
}
