package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
)

// proves: A135
func TestStoppingSteers(t *testing.T) {
	asked := 0
	r := newRig(t, func(c *agent.Config) {
		c.Hooks.Stopping = func(_ context.Context, s agent.Stop) ([]llm.Message, error) {
			asked++
			switch s.Text {
			case "prose":
				return []llm.Message{say("call the tool")}, nil
			case "boom":
				return nil, errors.New("hook broke")
			}
			return nil, nil
		}
	}, says("prose"), says("fine"), says("boom"), says("alive"))
	out := r.prompt("go")
	same(t, "log", r.only("turn1 step user model end"), "turn1 user:go step1 model:prose step+1-0 step+0-1 user:call_the_tool step2 model:fine end:completed")
	if asked != 2 || out.Turns != 1 {
		t.Errorf("asked %d times, outcome %+v", asked, out)
	}
	out = r.prompt("next")
	if out.End.Kind != session.EndError || out.End.Error.Message != "hook broke" || out.Text != "boom" {
		t.Errorf("outcome %+v", out)
	}
	same(t, "then", r.prompt("more").Text, "alive")
}

// A hook that steers with something that is no input ends the turn, not the agent.
func TestStoppingWithNonsense(t *testing.T) {
	r := newRig(t, func(c *agent.Config) {
		c.Hooks.Stopping = func(context.Context, agent.Stop) ([]llm.Message, error) { return make([]llm.Message, 1), nil }
	}, says("ok"))
	if out := r.prompt("go"); out.End.Kind != session.EndError || out.End.Error.Code != agent.CodeMessage {
		t.Errorf("outcome %+v", out)
	}
}

// proves: A136
func TestBlockedInput(t *testing.T) {
	r := newRig(t, func(c *agent.Config) {
		c.Hooks.PreStep = func(_ context.Context, p agent.Proposal) ([]llm.Message, error) {
			for _, m := range p.Claimed {
				if text(m) == "bad" {
					return nil, fmt.Errorf("not this: %w", agent.ErrBlocked)
				}
			}
			return p.Claimed, nil
		}
	}, says("ok"))
	r.queue(r.Followup, "bad")
	r.queue(r.Followup, "good")
	out := r.run(context.Background())
	same(t, "log", r.only("turn1 turn2 step user model end"), "turn1 end:blocked turn2 user:good step1 model:ok end:completed")
	if out.End.Kind != session.EndCompleted {
		t.Errorf("outcome %+v", out)
	}
}

// Steering that is refused ends the turn as it stands.
func TestBlockedSteering(t *testing.T) {
	var r *rig
	r = newRig(t, func(c *agent.Config) {
		c.Hooks.PreStep = func(_ context.Context, p agent.Proposal) ([]llm.Message, error) {
			if p.Step > 1 {
				return nil, agent.ErrBlocked
			}
			return p.Claimed, nil
		}
	}, meanwhile(func() { r.queue(r.Steer, "bad") }, says("ok")))
	r.prompt("go")
	same(t, "log", r.only("turn1 user model end"), "turn1 user:go model:ok end:completed")
}

// The instructions of the first step stand before the prompt.
// proves: A137, A138
func TestPreStepPutsInstructionsFirst(t *testing.T) {
	var seen []string
	r := newRig(t, func(c *agent.Config) {
		c.Tools = registry(t, echo(false))
		c.Hooks.PreStep = func(_ context.Context, p agent.Proposal) ([]llm.Message, error) {
			seen = append(seen, fmt.Sprintf("%d.%d:%d", p.Turn, p.Step, len(p.Claimed)))
			if p.Turn > 1 || p.Step > 1 {
				return p.Claimed, nil
			}
			baseline := say("AGENTS")
			baseline.Source = llm.Source{Kind: llm.SourceInstructions, Form: "baseline"}
			prompt := p.Claimed[0]
			prompt.Content = say("rewritten").Content
			return []llm.Message{baseline, prompt}, nil
		}
	}, calls(call("a", "echo", "")), says("ok"), says("ok"))
	r.prompt("go")
	r.prompt("more")
	same(t, "proposals", strings.Join(seen, " "), "1.1:1 1.2:0 2.1:1")
	same(t, "first request", r.history(0), "AGENTS rewritten")
	if m := r.model.requests[0].Messages[0]; m.Source.Kind != llm.SourceInstructions || m.ID == "" {
		t.Errorf("the baseline is %+v", m)
	}
}

// proves: A139
func TestFailingProposals(t *testing.T) {
	fail := true
	r := newRig(t, func(c *agent.Config) {
		c.Hooks.PreStep = func(_ context.Context, p agent.Proposal) ([]llm.Message, error) {
			if fail {
				fail = false
				return nil, errors.New("hook broke")
			}
			return p.Claimed, nil
		}
	}, says("ok"))
	r.queue(r.Followup, "one")
	r.queue(r.Followup, "two")
	out := r.run(context.Background())
	same(t, "log", r.only("turn1 turn2 step user model end"), "turn1 end:error(UNKNOWN) turn2 user:two step1 model:ok end:completed")
	same(t, "text", out.Text, "ok")
}

// proves: A140
func TestEmptiedProposalIsATurnWithoutAStep(t *testing.T) {
	r := newRig(t, func(c *agent.Config) {
		c.Hooks.PreStep = func(context.Context, agent.Proposal) ([]llm.Message, error) { return nil, nil }
	})
	out := r.prompt("go")
	same(t, "log", r.only("turn1 step user end"), "turn1 end:completed")
	if out.End.Kind != "" || out.Turns != 1 {
		t.Errorf("it accounts: %+v", out)
	}
}

// A prompt that cannot be built fails the turn before anything is asked.
// proves: A120
func TestFailingPrompt(t *testing.T) {
	broken := true
	r := newRig(t, func(c *agent.Config) {
		c.Prompt = func(context.Context) (string, error) {
			if broken {
				return "", &agent.Error{Kind: "PROMPT", Message: "section x: no value for y"}
			}
			return "system", nil
		}
	}, says("ok"))
	out := r.prompt("go")
	same(t, "log", r.only("turn1 step user end"), "turn1 end:error(PROMPT)")
	same(t, "why", out.End.Error.Message, "section x: no value for y")
	broken = false
	same(t, "then", r.prompt("again").Text, "ok")
}

// proves: A143
func TestNoModel(t *testing.T) {
	for _, route := range []llm.Config{{}, {Provider: "p"}, {Model: "m"}} {
		r := newRig(t, func(c *agent.Config) { c.Route = route })
		out := r.prompt("go")
		same(t, "code", out.End.Error.Code, agent.CodeNoModel)
		if !strings.Contains(out.End.Error.Message, `agent "s" has no provider/model`) {
			t.Errorf("message %q", out.End.Error.Message)
		}
	}
}

// proves: A144, A51
func TestRequestHookSwitchesTheModel(t *testing.T) {
	switchTo := "m1"
	r := newRig(t, func(c *agent.Config) {
		c.Route = llm.Config{Stop: []string{"x"}}
		c.Hooks.Request = func(_ context.Context, route llm.Config) (llm.Config, error) {
			if switchTo != "" {
				route.Provider, route.Model = "p", switchTo
			}
			route.Stop[0] = "mine" // what the hook is given is its own
			return route, nil
		}
	}, says("1"), says("2"), says("3"))
	r.prompt("a")
	switchTo = ""
	r.prompt("b")
	switchTo = "m2"
	r.prompt("c")
	same(t, "the caller's route", r.cfg.Route.Stop[0], "x")
	same(t, "headers", r.only("header"), "header:initial header:change")
	for i, want := range []string{"m1", "m1", "m2"} {
		same(t, "model", r.model.requests[i].Config.Model, want)
	}
	m := r.model.requests[2].Messages[1]
	same(t, "source", m.Source.Kind+" "+m.Source.Provider+" "+m.Source.Model, "model p m1")
}

// What is said after the boundary of a step belongs to the next one.
// proves: A49
func TestInputAfterTheBoundaryJoinsTheNextRequest(t *testing.T) {
	var r *rig
	said := false
	r = newRig(t, func(c *agent.Config) {
		c.Hooks.Request = func(_ context.Context, route llm.Config) (llm.Config, error) {
			if !said {
				said = true
				r.queue(r.Inject, "late")
			}
			return route, nil
		}
	}, says("one"), says("two"))
	r.prompt("go")
	same(t, "first request", r.history(0), "go")
	same(t, "second request", r.history(1), "go one late")
}

func TestChangedPromptIsLogged(t *testing.T) {
	system := "one"
	r := newRig(t, func(c *agent.Config) {
		c.Prompt = func(context.Context) (string, error) { return system, nil }
	}, says("1"), says("2"), says("3"))
	r.prompt("a")
	system = "two"
	r.prompt("b")
	r.prompt("c")
	same(t, "headers", r.only("header"), "header:initial header:change")
	same(t, "sent", r.model.requests[2].System, "two")
}

// proves: A141
func TestMaxTokensSticksToItsTurn(t *testing.T) {
	var r *rig
	cut := play(llm.TextDelta{Text: "long"}, llm.ToolCallDelta{Index: 1, ID: "a", Name: "echo", Arguments: "{}"}, usage(1, 9), llm.Finish{Reason: llm.FinishMaxTokens})
	stops := []agent.Stop{}
	r = newRig(t, func(c *agent.Config) {
		c.Tools = registry(t, echo(false))
		c.Hooks.Stopping = func(_ context.Context, s agent.Stop) ([]llm.Message, error) {
			stops = append(stops, s)
			return nil, nil
		}
	}, meanwhile(func() { r.queue(r.Steer, "go on") }, cut), says("short"), says("other"))
	out := r.prompt("go")
	same(t, "log", r.only("call model end"), "model:long model:short end:max-tokens")
	if out.Text != "short" || !stops[0].MaxTokens {
		t.Errorf("outcome %+v, stops %+v", out, stops)
	}
	same(t, "next turn", r.prompt("next").End.Kind, session.EndCompleted)
}

// An answer that holds nothing but a cut call anchors its usage and says nothing.
func TestMaxTokensWithoutContent(t *testing.T) {
	r := newRig(t, nil, play(llm.ToolCallDelta{ID: "a", Name: "x", Arguments: "{"}, usage(1, 9), llm.Finish{Reason: llm.FinishMaxTokens}), says("ok"))
	out := r.prompt("go")
	if out.End.Kind != session.EndMaxTokens || out.Usage.OutputTokens != 9 {
		t.Errorf("outcome %+v", out)
	}
	r.prompt("next")
	same(t, "request", r.history(1), "go next")
}

func TestRefusal(t *testing.T) {
	r := newRig(t, func(c *agent.Config) { c.Tools = registry(t, echo(false)) },
		play(llm.TextDelta{Text: "I"}, llm.ToolCallDelta{Index: 1, ID: "a", Name: "echo", Arguments: "{}"}, llm.Finish{Reason: llm.FinishRefusal, RequestID: "q"}),
		says("ok"))
	out := r.prompt("go")
	same(t, "log", r.only("call model end"), "model:I end:error(REFUSAL)")
	same(t, "id", out.End.Error.RequestID, "q")
	r.prompt("next")
	same(t, "request", r.history(1), "go I next")
}

func TestMaxSteps(t *testing.T) {
	again := calls(call("a", "echo", ""))
	r := newRig(t, func(c *agent.Config) {
		c.MaxSteps = 3
		c.Tools = registry(t, echo(false))
	}, again, again, again, says("next"))
	out := r.prompt("go")
	if out.End.Kind != session.EndMaxSteps || out.Steps != 3 {
		t.Errorf("outcome %+v", out)
	}
	same(t, "balanced", r.only("result"), "result:a={} result:a={} result:a={}")
	same(t, "next turn", r.prompt("more").Text, "next")
}

// A hook that always steers is bounded by the number of steps, and what it said
// last does not open another turn.
func TestMaxStepsBoundsTheStoppingHook(t *testing.T) {
	r := newRig(t, func(c *agent.Config) {
		c.MaxSteps = 2
		c.Hooks.Stopping = func(context.Context, agent.Stop) ([]llm.Message, error) { return []llm.Message{say("more")}, nil }
	}, says("1"), says("2"))
	out := r.prompt("go")
	if out.End.Kind != session.EndMaxSteps || out.Turns != 1 || r.Waiting() {
		t.Errorf("outcome %+v, waiting %v", out, r.Waiting())
	}
}

// Steering that comes when the model is done and the steps are used up is for
// another turn.
func TestSteeringAfterTheLastStep(t *testing.T) {
	var r *rig
	r = newRig(t, func(c *agent.Config) { c.MaxSteps = 1 },
		meanwhile(func() { r.queue(r.Steer, "late") }, says("1")), says("2"))
	r.prompt("go")
	same(t, "log", r.only("turn1 turn2 user model end"), "turn1 user:go model:1 end:completed turn2 user:late model:2 end:completed")
}
