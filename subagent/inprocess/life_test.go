package inprocess_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/prompt"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/inprocess"
	"github.com/google/go-cmp/cmp"
)

// proves: W289, W304, W350
func TestEndsOfAChild(t *testing.T) {
	cut := play(llm.TextDelta{Text: "half an ans"}, spent, llm.Finish{Reason: llm.FinishMaxTokens})
	filtered := play(llm.TextDelta{Text: "no"}, spent, llm.Finish{Reason: llm.FinishRefusal})
	loops := calls(call("1", "read", "{}"))
	tests := []struct {
		name    string
		replies []reply
		outcome subagent.Outcome
		code    string
		text    string
	}{
		{"completed", []reply{says("fine")}, subagent.Completed, "", "fine"},
		{"token limit", []reply{cut}, subagent.Failed, "MAX_TOKENS", "half an ans"},
		{"filter", []reply{filtered}, subagent.Failed, "REFUSAL", "no"},
		{"steps", []reply{loops}, subagent.Failed, "MAX_STEPS", ""},
		{"failing model", []reply{fails(llm.CodeServer)}, subagent.Failed, "SERVER", ""},
		{"unknown model", []reply{fails(llm.CodeUnknownModel)}, subagent.Failed, "UNKNOWN_MODEL", ""},
		{"failure behind text", []reply{fails(llm.CodeStreamClosed, llm.ReasoningDelta{Index: 0, Text: "hm"}, llm.TextDelta{Index: 1, Text: "par"}, llm.TextDelta{Index: 1, Text: "tial"})}, subagent.Failed, "STREAM_CLOSED", "partial"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, func(c *inprocess.Config) {
				withTools(&counter{}, "read")(c)
				c.MaxSteps = 3
			}, test.replies...)
			result, log := r.run(r.request())
			if result.Outcome != test.outcome || result.Text != test.text {
				t.Errorf("got %+v: %s", result, story(log))
			}
			if test.code != "" && (result.Failure == nil || result.Failure.Code != test.code || result.Failure.Message == "") {
				t.Errorf("failure %+v, want %s", result.Failure, test.code)
			}
		})
	}
}

// proves: W102, W287, W289, W305, A249
func TestTextOfAChild(t *testing.T) {
	r := newRig(t, withTools(&counter{}, "read"),
		play(llm.TextDelta{Text: "found it"}, llm.ToolCallDelta{Index: 1, ID: "1", Name: "read", Arguments: "{}"}, spent, llm.Finish{Reason: llm.FinishToolCalls}),
		play(spent, llm.Finish{Reason: llm.FinishMaxTokens}))
	if result, _ := r.run(r.request()); result.Text != "found it" {
		t.Errorf("got %+v", result)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	streaming := newRig(t, nil, func(ctx context.Context, yield func(llm.Chunk, error) bool) {
		_ = yield(llm.ReasoningDelta{Index: 0, Text: "hm"}, nil) && yield(llm.TextDelta{Index: 1, Text: "so far"}, nil)
		cancel()
		<-ctx.Done()
		yield(nil, &llm.Error{Kind: llm.CodeAborted, Message: "aborted"})
	})
	c, err := streaming.provider.Start(ctx, streaming.request())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if result, err := c.Wait(t.Context()); err != nil || result.Text != "so far" {
		t.Errorf("got %+v, %v", result, err)
	}
}

// proves: W134, W300, W314, A173, A251
func TestCancelAndClose(t *testing.T) {
	deadline := errors.New("the run is over")
	tests := []struct {
		name    string
		end     func(cancel context.CancelCauseFunc, c subagent.Child)
		message string
		cause   string // in the log
	}{
		{"with a cause", func(cancel context.CancelCauseFunc, _ subagent.Child) { cancel(deadline) }, "the run is over", "the run is over"},
		{"without one", func(cancel context.CancelCauseFunc, _ subagent.Child) { cancel(nil) }, "cancelled", "parent"},
		{"close", func(_ context.CancelCauseFunc, c subagent.Child) { c.Close() }, "cancelled by disposed", "disposed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			begun := make(chan struct{})
			r := newRig(t, nil, func(ctx context.Context, yield func(llm.Chunk, error) bool) {
				if yield(llm.TextDelta{Text: "so far"}, nil) {
					close(begun)
					hangs("")(ctx, yield)
				}
			})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			c, err := r.provider.Start(ctx, r.request())
			if err != nil {
				t.Fatal(err)
			}
			if c.ID() == "" {
				t.Error("no id")
			}
			<-begun
			test.end(cancel, c)
			result, err := c.Wait(t.Context())
			if err != nil || result.Outcome != subagent.Cancelled || result.Text != "so far" || result.Failure.Message != test.message {
				t.Errorf("got %+v, %v, %v", result, result.Failure, err)
			}
			if err := errors.Join(c.Close(), c.Close()); err != nil {
				t.Error(err)
			}
			log := r.log(c.ID())
			for _, e := range log.Events(0) {
				if end, ok := e.Data.(session.TurnEnd); ok && end.Reason.Cause != test.cause {
					t.Errorf("the log has the cause %q", end.Reason.Cause)
				}
			}
			if log.Header().DelegationDepth != 1 {
				t.Errorf("header %+v", log.Header())
			}
		})
	}
}

// proves: W316
func TestCancelAtHandOver(t *testing.T) {
	for range 50 {
		r := newRig(t, nil, hangs(""))
		ctx, cancel := context.WithCancel(t.Context())
		c, err := r.provider.Start(ctx, r.request())
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if result, err := c.Wait(t.Context()); c.ID() == "" || err != nil || result.Outcome != subagent.Cancelled {
			t.Errorf("got %+v, %v", result, err)
		}
		c.Close()
	}
}

// A child that completed stays so, whatever is cancelled later.
func TestCompletedStays(t *testing.T) {
	r := newRig(t, nil, says("done"))
	ctx, cancel := context.WithCancel(t.Context())
	c, err := r.provider.Start(ctx, r.request())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	cancel()
	c.Close()
	if result, err := c.Wait(ctx); err != nil || result.Outcome != subagent.Completed {
		t.Errorf("got %+v, %v", result, err)
	}
}

// Another attempt goes on from the session of the first: nothing is asked twice.
func TestRetryGoesOn(t *testing.T) {
	r := newRig(t, withTools(&counter{}, "read"),
		calls(call("1", "read", "{}")), fails(llm.CodeServer, spent), reports(`{"name":"x","tags":"[]"}`))
	c := r.start(r.structured())
	result, err := c.Wait(t.Context())
	if err != nil || result.Outcome != subagent.Failed || result.Failure.Code != "SERVER" {
		t.Fatalf("got %+v, %v", result, err)
	}
	if err := c.(subagent.Retrier).Retry(t.Context()); err != nil {
		t.Fatal(err)
	}
	result, err = c.Wait(t.Context())
	if err != nil || string(result.Value) != `{"name":"x","tags":[]}` || result.Usage.OutputTokens != 9 || result.Repaired != 1 {
		t.Errorf("got %+v, %v, %v", result, result.Failure, err)
	}
	c.Close()
	want := "turn descriptor user:do_the_work model:[read] result:ok end:error " +
		"turn plugin:The_last_request_to_the_model_failed,_and_what_was_being_written_then_is_lost._All_that_stands_above_is_done:_go_on_with_the_task_from_there. " +
		"model:[structured_output] result:ok end:completed structured/repaired"
	if diff := cmp.Diff(want, story(r.log(c.ID()))); diff != "" {
		t.Error(diff)
	}
	r.checkRequests(c.ID(), r.log(c.ID()))
}

func TestNoRetryAfterTheEnd(t *testing.T) {
	r := newRig(t, nil, fails(llm.CodeServer))
	ctx, cancel := context.WithCancelCause(t.Context())
	c, err := r.provider.Start(ctx, r.request())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	over := errors.New("over")
	cancel(over)
	for range 1000 { // the end reaches the child by a goroutine of its own
		if err = c.(subagent.Retrier).Retry(t.Context()); err != nil {
			break
		}
		if _, err := c.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(fmt.Sprint(err), "over") && !strings.Contains(fmt.Sprint(err), "nothing to go on from") {
		t.Errorf("got %v", err)
	}
}

func TestRetriesInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		provider := inprocess.Spawn(inprocess.Config{
			Resolve: inprocess.Fixed(newModel(fails(llm.CodeServer), fails(llm.CodeServer), says("third")), route),
			Retry:   llm.Retry{Initial: time.Minute, MaxDelay: time.Hour, Jitter: -1},
		})
		began := time.Now()
		c, err := provider.Start(t.Context(), subagent.Request{Prompt: "p"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		result, err := c.Wait(t.Context())
		if err != nil || result.Text != "third" || time.Since(began) != 3*time.Minute {
			t.Errorf("got %+v, %v after %v", result, err, time.Since(began))
		}
	})
}

func TestStallReachesTheModel(t *testing.T) {
	r := newRig(t, nil, says("x"))
	req := r.request()
	req.Stall = 7 * time.Second
	c := r.start(req)
	if _, err := c.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := r.model.sent()[0].Stall; got != 7*time.Second {
		t.Errorf("stall %v", got)
	}
}

// proves: W303
// A session that cannot be written is a fault of the machinery.
func TestSessionCannotBeWritten(t *testing.T) {
	r := newRig(t, nil, says("x"))
	if err := os.WriteFile(r.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := r.provider.Start(t.Context(), r.request())
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Wait(t.Context())
	var coded interface{ Code() string }
	if !errors.As(err, &coded) || coded.Code() != "SESSION_LOG" {
		t.Errorf("got %v", err)
	}
	if len(r.model.sent()) != 0 {
		t.Error("the model was asked though the log could not be written")
	}
	if err := c.Close(); err == nil {
		t.Error("close hides that the session is lost")
	}
}

func TestInstructionsOfAChild(t *testing.T) {
	var out bytes.Buffer
	r := newRig(t, func(c *inprocess.Config) {
		c.Log = slog.New(slog.NewTextHandler(&out, nil))
		c.Instructions = filesOf(prompt.InstructionsConfig{MaxBytes: prompt.DefaultMaxBytes})
	}, says("x"))
	for name, content := range map[string]string{"CLAUDE.md": "Use tabs.", ".git": ""} {
		if err := os.WriteFile(filepath.Join(r.cwd, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(filepath.Join(r.cwd, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(r.cwd, "AGENTS.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_, log := r.run(r.request())
		if got := story(log); !strings.Contains(got, "turn descriptor agent-instructions:<system-reminder>") || !strings.Contains(got, "Use_tabs.") {
			t.Error(got)
		}
	}
	if n := strings.Count(out.String(), "it is not a regular file"); n != 1 {
		t.Errorf("warned %d times: %s", n, out.String())
	}
}

func TestRootThatCannotBeToldFailsTheChild(t *testing.T) {
	r := newRig(t, func(c *inprocess.Config) {
		c.Instructions = filesOf(prompt.InstructionsConfig{MaxBytes: 1000, RootMarkers: []string{strings.Repeat("x", 300)}})
	}, says("x"))
	result, _ := r.run(r.request())
	if result.Outcome != subagent.Failed || result.Failure.Code != "INSTRUCTIONS_ROOT" {
		t.Errorf("got %+v, %+v", result, result.Failure)
	}
}
