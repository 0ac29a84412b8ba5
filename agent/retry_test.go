package agent_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
)

func failure(code llm.Code) *llm.Error { return &llm.Error{Kind: code, Message: "it broke"} }

// proves: A146, A319, A320
func TestRetryStaysInItsStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *agent.Config) { c.Retry = llm.Retry{Jitter: -1} },
			fails(failure(llm.CodeServer), llm.TextDelta{Text: "first"}, usage(7, 1)),
			fails(failure(llm.CodeTransport), llm.TextDelta{Text: "second"}),
			says("third"), says("next"))
		begin := time.Now()
		out := r.prompt("go")
		if waited := time.Since(begin); waited != 1500*time.Millisecond {
			t.Errorf("waited %v, want 500 ms and 1 s", waited)
		}
		same(t, "log", r.only("step . retry again model /step"),
			"step1 . . retry1:SERVER again1 . retry2:TRANSPORT again2 . . . model:third /step")
		if out.Text != "third" || out.Usage.InputTokens != 17 {
			t.Errorf("outcome %+v: what a failed attempt cost counts", out)
		}
		r.prompt("more")
		same(t, "later request", r.history(3), "go third more")
		r.checkCitations()
	})
}

// checkCitations checks that each answer cites the chunks since the last attempt
// began, and no others.
func (r *rig) checkCitations() {
	r.t.Helper()
	var mine []session.Seq
	for _, e := range r.log.Events(0) {
		switch e.Data.(type) {
		case session.StepStart, session.RetryStarted:
			mine = nil
		case session.AssistantChunk:
			mine = append(mine, e.Seq)
		case session.AssistantMessage:
			if fmt.Sprint(mine) != fmt.Sprint(e.Sources) {
				r.t.Errorf("event %d cites %v, want %v", e.Seq, e.Sources, mine)
			}
		}
	}
}

func TestRetryTakesTheJitterAndTheProvidersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *agent.Config) { c.Random = func() float64 { return 0 } },
			fails(failure(llm.CodeServer)),
			fails(&llm.Error{Kind: llm.CodeRateLimit, Message: "slow down", RetryAfter: 42 * time.Second}),
			says("ok"))
		begin := time.Now()
		r.prompt("go")
		if waited := time.Since(begin); waited != 42*time.Second+450*time.Millisecond {
			t.Errorf("waited %v", waited)
		}
	})
}

// proves: A145
func TestFailureEndsTheTurnWithItsCode(t *testing.T) {
	cases := map[string]struct {
		err  error
		want session.Failure
	}{
		"provider": {
			&llm.Error{Kind: llm.CodeAuth, Message: "key refused", Status: 401, RequestID: "r1", Err: errors.New("no such key")},
			session.Failure{Message: "key refused: no such key", Code: "AUTH", Status: 401, RequestID: "r1"},
		},
		"aborted by the provider": {
			&llm.Error{Kind: llm.CodeAborted, Message: "aborted"}, session.Failure{Message: "aborted", Code: "ABORTED"},
		},
		"not ours": {
			context.Canceled, session.Failure{Message: "the request was aborted: context canceled", Code: "ABORTED"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil, fails(c.err, llm.TextDelta{Text: "so far"}), says("alive"))
			out := r.prompt("go")
			if out.End.Kind != session.EndError || *out.End.Error != c.want {
				t.Errorf("end %+v, want %+v", out.End.Error, c.want)
			}
			same(t, "text of the failed attempt", out.Text, "so far")
			same(t, "next", r.prompt("next").Text, "alive")
			same(t, "request", r.history(1), "go next")
		})
	}
}

func TestRetriesRunOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := fails(failure(llm.CodeServer))
		r := newRig(t, func(c *agent.Config) { c.Retry = llm.Retry{Max: 2} }, down, down, down, says("never"))
		out := r.prompt("go")
		same(t, "log", r.only("retry again end"), "retry1:SERVER again1 retry2:SERVER again2 end:error(SERVER)")
		if out.End.Kind != session.EndError {
			t.Errorf("outcome %+v", out)
		}
	})
}

// An answer that says nothing is asked for once more, and no more than once.
func TestEmptyAnswers(t *testing.T) {
	silent := play(usage(5, 1), llm.Finish{Reason: llm.FinishStop})
	musing := play(llm.ReasoningDelta{Text: "hm"}, llm.TextDelta{Index: 1, Text: " "}, llm.Finish{Reason: llm.FinishStop})
	noCalls := play(llm.Finish{Reason: llm.FinishToolCalls})
	for name, c := range map[string]struct {
		replies []reply
		want    string
	}{
		"once":           {[]reply{silent, says("ok")}, "retry1:EMPTY_RESPONSE again1 model:ok end:completed"},
		"twice":          {[]reply{silent, musing, says("never")}, "retry1:EMPTY_RESPONSE again1 end:error(EMPTY_RESPONSE)"},
		"reasoning only": {[]reply{musing, musing, says("never")}, "retry1:EMPTY_RESPONSE again1 end:error(EMPTY_RESPONSE)"},
		"calls promised": {[]reply{noCalls, says("ok")}, "retry1:EMPTY_RESPONSE again1 model:ok end:completed"},
		"between others": {[]reply{silent, fails(failure(llm.CodeServer)), silent, says("never")},
			"retry1:EMPTY_RESPONSE again1 retry2:SERVER again2 end:error(EMPTY_RESPONSE)"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, func(c *agent.Config) { c.Retry = llm.Retry{Always: true} }, c.replies...)
				r.prompt("go")
				same(t, "log", r.only("retry again model end"), c.want)
			})
		})
	}
}

// A server that hangs costs one more attempt, not six silences.
func TestStallIsTriedOnceMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.cfg.Stall = 3 * time.Minute
		stall := func(ctx context.Context, yield func(llm.Chunk, error) bool) {
			time.Sleep(r.model.requests[0].Stall)
			yield(nil, &llm.Error{Kind: llm.CodeTimeout, Message: "no byte for 3m0s"})
		}
		r.model.replies = []reply{stall, stall, says("never")}
		a, err := agent.New(r.cfg)
		if err != nil {
			t.Fatal(err)
		}
		r.Agent = a
		begin := time.Now()
		r.prompt("go")
		same(t, "log", r.only("retry again end"), "retry1:TIMEOUT again1 end:error(TIMEOUT)")
		if waited := time.Since(begin).Round(time.Second); waited < 6*time.Minute || waited > 6*time.Minute+time.Second {
			t.Errorf("took %v", waited)
		}
	})
}

// A stream that ends without a finish is no answer, and its calls are not run.
func TestEndOfStreamNeedsEvidence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *agent.Config) { c.Tools = registry(t, echo(false)) },
			play(llm.ToolCallDelta{ID: "a", Name: "echo", Arguments: `{}`}), says("ok"))
		r.prompt("go")
		same(t, "log", r.only("call retry model end"), "retry1:STREAM_CLOSED model:ok end:completed")
	})
}

// What a stream says after its finish does not count.
func TestNothingCountsAfterTheFinish(t *testing.T) {
	r := newRig(t, nil, fails(failure(llm.CodeTransport), llm.TextDelta{Text: "ok"}, llm.Finish{Reason: llm.FinishStop}, llm.TextDelta{Text: " not"}))
	same(t, "text", r.prompt("go").Text, "ok")
	same(t, "log", r.only("retry model end"), "model:ok end:completed")
}

// A recovery opens another step, whose request is what the log says there.
func TestRecoveryOpensAnotherStep(t *testing.T) {
	var r *rig
	asked := 0
	r = newRig(t, func(c *agent.Config) {
		c.Hooks.Recover = func(_ context.Context, f *llm.Error) (bool, error) {
			asked++
			if asked > 1 {
				return false, errors.New("nothing left to cut")
			}
			surface := r.log.Surface()
			_, err := r.log.Replace(session.UserMessage{Message: llm.Message{
				ID: "short", Role: llm.RoleUser, Content: say("short").Content, Source: llm.Source{Kind: llm.SourcePlugin, Plugin: "cut"},
			}}, session.Range{Start: surface[0].Seq, End: surface[0].Seq}, surface[0].Seq)
			return f.Kind == llm.CodeContextWindow, err
		}
	}, fails(failure(llm.CodeContextWindow)), says("ok"), fails(failure(llm.CodeContextWindow)))
	out := r.prompt("a very long story")
	same(t, "log", r.only("turn1 step /step model end"), "turn1 step1 /step step2 model:ok /step end:completed")
	same(t, "request", r.history(1), "short")
	if out.Steps != 2 {
		t.Errorf("outcome %+v", out)
	}
	out = r.prompt("again")
	same(t, "message", out.End.Error.Message, "it broke; nothing left to cut")
}
