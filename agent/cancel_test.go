package agent_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/tool"
)

// cancellable makes a context and the function that ends it as a user would.
func cancellable() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	return ctx, func() { cancel(&agent.Cancel{By: agent.ByUser}) }
}

// nextPromptRuns checks that the agent is alive after a cancel.
func (r *rig) nextPromptRuns() {
	r.t.Helper()
	r.model.replies = []reply{says("alive")}
	if out := r.prompt("next"); out.Text != "alive" || out.End.Kind != session.EndCompleted {
		r.t.Errorf("the next prompt gives %+v", out)
	}
}

// A cancel in each window of a turn leaves a balanced log that says why, and an
// agent that takes the next prompt.
// proves: A154, A150
func TestCancelWindows(t *testing.T) {
	half := []llm.Chunk{llm.TextDelta{Text: "half an"}, llm.ToolCallDelta{Index: 1, ID: "a", Name: "echo", Arguments: "{"}}
	windows := map[string]struct {
		change func(c *agent.Config, cancel func())
		reply  func(cancel func()) reply
		want   string
	}{
		"prompt": {
			change: func(c *agent.Config, cancel func()) {
				c.Prompt = func(context.Context) (string, error) { cancel(); return "x", nil }
			},
			want: "turn1 turn+0-1 end:aborted(user)",
		},
		"failing prompt": {
			change: func(c *agent.Config, cancel func()) {
				c.Prompt = func(ctx context.Context) (string, error) { cancel(); return "", ctx.Err() }
			},
			want: "turn1 turn+0-1 end:aborted(user)",
		},
		"pre-step": {
			change: func(c *agent.Config, cancel func()) {
				c.Hooks.PreStep = func(_ context.Context, p agent.Proposal) ([]llm.Message, error) { cancel(); return p.Claimed, nil }
			},
			want: "turn1 turn+0-1 end:aborted(user)",
		},
		"blocking pre-step": {
			change: func(c *agent.Config, cancel func()) {
				c.Hooks.PreStep = func(ctx context.Context, p agent.Proposal) ([]llm.Message, error) {
					cancel()
					if ctx.Err() == nil {
						return p.Claimed, nil
					}
					return nil, agent.ErrBlocked
				}
			},
			want: "turn1 turn+0-1 end:aborted(user)",
		},
		"after step start": {
			change: func(c *agent.Config, cancel func()) {
				c.Hooks.Request = func(_ context.Context, route llm.Config) (llm.Config, error) { cancel(); return route, nil }
			},
			want: "turn1 turn+0-1 user:go step1 /step end:aborted(user)",
		},
		"mid-stream": {
			reply: func(cancel func()) reply { return hangs(cancel, half...) },
			want:  "turn1 turn+0-1 user:go step1 header:initial . . cut:half_an /step end:aborted(user)",
		},
		"mid-stream, model goes on": {
			reply: func(cancel func()) reply {
				return meanwhile(cancel, play(llm.TextDelta{Text: "half"}, llm.TextDelta{Text: "never"}, llm.Finish{Reason: llm.FinishStop}))
			},
			want: "turn1 turn+0-1 user:go step1 header:initial . cut:half /step end:aborted(user)",
		},
		"only blanks came": {
			reply: func(cancel func()) reply { return hangs(cancel, llm.TextDelta{Text: " \n"}) },
			want:  "turn1 turn+0-1 user:go step1 header:initial . /step end:aborted(user)",
		},
		"before dispatch": {
			reply: func(cancel func()) reply {
				return func(ctx context.Context, yield func(llm.Chunk, error) bool) {
					calls(call("a", "echo", "{}"), call("b", "echo", "{}"))(ctx, yield)
					cancel()
				}
			},
			want: "turn1 turn+0-1 user:go step1 header:initial . . . . model:[a][b] call:a call:b " +
				"result:a=Error:_tool_call_aborted_before_dispatch(ABORTED_BEFORE_DISPATCH) " +
				"result:b=Error:_tool_call_aborted_before_dispatch(ABORTED_BEFORE_DISPATCH) /step end:aborted(user)",
		},
		"stopping": {
			change: func(c *agent.Config, cancel func()) {
				c.Hooks.Stopping = func(ctx context.Context, s agent.Stop) ([]llm.Message, error) {
					cancel()
					if ctx.Err() == nil {
						return nil, nil
					}
					return []llm.Message{say("more")}, nil
				}
			},
			reply: func(func()) reply { return says("done") },
			want:  "turn1 turn+0-1 user:go step1 header:initial . . . model:done /step end:aborted(user)",
		},
	}
	for name, w := range windows {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := cancellable()
			var reply reply
			if w.reply != nil {
				reply = w.reply(cancel)
			}
			r := newRig(t, func(c *agent.Config) {
				c.Tools = registry(t, echo(false))
				if w.change != nil {
					w.change(c, cancel)
				}
			}, reply)
			r.queue(r.Followup, "go")
			from := r.log.Len()
			out := r.run(ctx)
			same(t, "log", r.events(from), w.want)
			same(t, "end", out.End.Kind+" "+out.End.Cause, "aborted user")
			if len(r.model.requests) > 1 {
				t.Errorf("the model was asked %d times", len(r.model.requests))
			}
			r.nextPromptRuns()
		})
	}
}

// proves: A149
func TestCancelKeepsWhatWasStreamed(t *testing.T) {
	ctx, cancel := cancellable()
	r := newRig(t, nil, hangs(cancel,
		llm.ReasoningDelta{Index: 0, Text: "  "}, llm.TextDelta{Index: 1, Text: "so "}, llm.TextDelta{Index: 1, Text: "far"},
		llm.ToolCallDelta{Index: 2, ID: "a", Name: "echo", Arguments: `{"x`}))
	r.queue(r.Followup, "go")
	if out := r.run(ctx); out.Text != "so far" {
		t.Errorf("text %q", out.Text)
	}
	var kept session.Event
	for _, e := range r.log.Events(0) {
		if m, ok := e.Data.(session.AssistantMessage); ok {
			kept = e
			same(t, "message", text(m.Message), "so_far")
			if !m.Interrupted {
				t.Error("not marked as interrupted")
			}
		}
	}
	if len(kept.Sources) != 4 {
		t.Errorf("cites %v, want its four chunks", kept.Sources)
	}
}

// proves: A148
func TestCancelWhileIdleDoesNothing(t *testing.T) {
	ctx, cancel := cancellable()
	cancel()
	r := newRig(t, nil)
	if out := r.run(ctx); out.Turns != 0 || out.Dropped || r.log.Len() != 0 {
		t.Errorf("outcome %+v, log %s", out, r.events(0))
	}
	r.nextPromptRuns()
}

// A prompt that was cancelled before it ran is withdrawn, and that is said.
func TestCancelBeforeTheFirstTurn(t *testing.T) {
	ctx, cancel := cancellable()
	r := newRig(t, nil)
	r.queue(r.Followup, "go")
	cancel()
	out := r.run(ctx)
	same(t, "log", r.events(0), "turn+1-0 turn+0-1!")
	if !out.Dropped || out.End.Kind != session.EndAborted || out.End.Cause != agent.ByUser {
		t.Errorf("outcome %+v", out)
	}
	r.nextPromptRuns()
}

// proves: A151, A156, A152
func TestCancelWithdrawsWhatWaits(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	var r *rig
	r = newRig(t, nil, hangs(func() {
		r.queue(r.Steer, "left")
		cancel(&agent.Cancel{By: agent.ByDisposed})
		cancel(&agent.Cancel{By: agent.ByUser, KeepInbox: true}) // too late: the first cause wins
	}))
	r.queue(r.Followup, "go")
	r.queue(r.Followup, "tail")
	out := r.run(ctx)
	same(t, "log", r.only("turn1 turn2 user step end turn+0 step+0"),
		"turn1 turn+0-1 user:go step1 step+1-0 end:aborted(disposed) step+0-1! turn+0-1!")
	if !out.Dropped || r.Waiting() {
		t.Errorf("outcome %+v, waiting %v", out, r.Waiting())
	}
	r.nextPromptRuns()
}

// proves: A151
func TestCancelThatKeepsTheInbox(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	var r *rig
	r = newRig(t, nil, hangs(func() {
		r.queue(r.Steer, "left")
		cancel(&agent.Cancel{By: agent.ByUser, KeepInbox: true})
	}), says("one"))
	r.queue(r.Followup, "go")
	r.queue(r.Followup, "tail")
	if out := r.run(ctx); out.Dropped || !r.Waiting() {
		t.Fatalf("outcome %+v, waiting %v", out, r.Waiting())
	}
	out := r.run(context.Background())
	same(t, "request", r.history(1), "go left tail")
	if out.Turns != 1 {
		t.Errorf("outcome %+v", out)
	}
}

// proves: A153
func TestInputAfterTheCancelWaits(t *testing.T) {
	ctx, cancel := cancellable()
	var r *rig
	r = newRig(t, nil, hangs(func() {
		cancel()
		r.queue(r.Followup, "after")
	}), says("two"))
	r.queue(r.Followup, "go")
	r.queue(r.Followup, "tail")
	r.run(ctx)
	if !r.Waiting() {
		t.Fatal("what came after the cancel is gone")
	}
	dead, kill := cancellable()
	kill()
	if out := r.run(dead); !out.Dropped || r.Waiting() {
		t.Errorf("a later cancel leaves it: %+v", out)
	}
	r.nextPromptRuns()
	same(t, "turns", r.only("user"), "user:go user:next")
}

// Causes that are not ours stand in the log as their text.
func TestCauseOfOthers(t *testing.T) {
	for cause, want := range map[error]string{
		context.Canceled:               agent.ByUser,
		errors.New("workflow settled"): "workflow settled",
		context.DeadlineExceeded:       "context deadline exceeded",
		nil:                            agent.ByUser,
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		r := newRig(t, nil, hangs(func() { cancel(cause) }))
		r.queue(r.Followup, "go")
		same(t, "cause", r.run(ctx).End.Cause, want)
	}
}

// proves: A147, A319
func TestCancelDuringBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := cancellable()
		r := newRig(t, nil, fails(&llm.Error{Kind: llm.CodeServer, Message: "down"}, llm.TextDelta{Text: "half"}), says("never"))
		r.queue(r.Followup, "go")
		time.AfterFunc(100*time.Millisecond, cancel)
		begin := time.Now()
		r.run(ctx)
		if waited := time.Since(begin); waited != 100*time.Millisecond {
			t.Errorf("ended after %v", waited)
		}
		same(t, "log", r.only("model cut retry again /step end"), "retry1:SERVER /step end:aborted(user)")
	})
}

// proves: A147
func TestCancelBeatsRecovery(t *testing.T) {
	ctx, cancel := cancellable()
	r := newRig(t, func(c *agent.Config) {
		c.Hooks.Recover = func(context.Context, *llm.Error) (bool, error) { cancel(); return true, nil }
	}, fails(&llm.Error{Kind: llm.CodeContextWindow, Message: "too long"}), says("never"))
	r.queue(r.Followup, "go")
	r.run(ctx)
	same(t, "log", r.only("step end"), "step1 end:aborted(user)")
}

// A body that ignores its context is awaited, and the log stays balanced.
func TestCancelMidTool(t *testing.T) {
	ctx, cancel := cancellable()
	r := newRig(t, func(c *agent.Config) {
		c.Tools = registry(t, shell("stubborn", false, func(context.Context, tool.Call) (tool.Result, error) {
			cancel()
			return tool.Result{Content: tool.Text("did it")}, nil
		}))
	}, calls(call("a", "stubborn", ""), call("b", "stubborn", "")))
	r.queue(r.Followup, "go")
	r.run(ctx)
	same(t, "log", r.only("call result end"), "call:a result:a=Error:_tool_call_aborted(ABORTED) "+
		"call:b result:b=Error:_tool_call_aborted_before_dispatch(ABORTED_BEFORE_DISPATCH) end:aborted(user)")
}
