package agent_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/tool"
)

// proves: A128, A44
func TestOnePromptIsOneTurn(t *testing.T) {
	r := newRig(t, nil, says("hello"))
	out := r.prompt("hi")
	same(t, "log", r.events(0), "turn+1-0 turn1 turn+0-1 user:hi step1 header:initial . . . model:hello /step end:completed")
	want := agent.Outcome{
		End: session.EndReason{Kind: session.EndCompleted}, Text: "hello",
		Usage: llm.Usage{InputTokens: 10, OutputTokens: 2}, Turns: 1, Steps: 1,
	}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	if r.Waiting() {
		t.Error("something waits after Run")
	}
}

// proves: A129, A47, A48
func TestToolRoundTripExtendsTheHistory(t *testing.T) {
	r := newRig(t, func(c *agent.Config) { c.Tools = registry(t, echo(false)) },
		calls(call("a", "echo", `{"x":1}`)), says("done"), says("again"))
	r.prompt("go")
	same(t, "first", r.history(0), "go")
	same(t, "second", r.history(1), `go [a] a={"x":1}`)
	r.prompt("more")
	same(t, "next turn", r.history(2), `go [a] a={"x":1} done more`)
	same(t, "headers", r.only("header"), "header:initial")
	for i := 1; i < 3; i++ {
		before, after := r.model.requests[i-1].Messages, r.model.requests[i].Messages
		if diff := cmp.Diff(before, after[:len(before)]); diff != "" {
			t.Errorf("request %d does not extend the one before:\n%s", i, diff)
		}
	}
}

// proves: A130
func TestEachFollowupIsATurn(t *testing.T) {
	r := newRig(t, nil, says("1"), says("2"), says("3"))
	for _, text := range []string{"a", "b", "c"} {
		r.queue(r.Followup, text)
	}
	out := r.run(context.Background())
	same(t, "turns", r.only("turn1 turn2 turn3 user"), "turn1 user:a turn2 user:b turn3 user:c")
	if out.Turns != 3 || out.Text != "3" || out.Usage.OutputTokens != 6 {
		t.Errorf("outcome %+v", out)
	}
}

// proves: A131, A134
func TestSteeringJoinsTheNextStepAfterAllResults(t *testing.T) {
	var r *rig
	r = newRig(t, func(c *agent.Config) {
		c.Tools = registry(t, echo(true), shell("steer", true, func(context.Context, tool.Call) (tool.Result, error) {
			if err := r.Steer(say("left")); err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Content: tool.Text("ok")}, r.Inject(say("note"))
		}))
	}, calls(call("a", "steer", "{}"), call("b", "echo", "{}")), says("end"))
	out := r.prompt("go")
	same(t, "second request", r.history(1), "go [a][b] a=ok b={} left note")
	if out.Turns != 1 || out.Steps != 2 {
		t.Errorf("outcome %+v", out)
	}
}

// A followup waits for its turn, however many steps the one that runs has.
func TestFollowupWaitsForTheTurnToEnd(t *testing.T) {
	var r *rig
	r = newRig(t, func(c *agent.Config) { c.Tools = registry(t, echo(false)) },
		meanwhile(func() { r.queue(r.Followup, "later") }, calls(call("a", "echo", ""))), says("one"), says("two"))
	r.prompt("go")
	same(t, "second request", r.history(1), "go [a] a={}")
	same(t, "third request", r.history(2), "go [a] a={} one later")
}

// Steering that comes while the model speaks its last words keeps the turn going.
func TestSteeringDuringTheLastAnswer(t *testing.T) {
	var r *rig
	r = newRig(t, nil, meanwhile(func() { r.queue(r.Steer, "wait") }, says("done")), says("waiting"))
	r.prompt("go")
	same(t, "log", r.only("turn1 user model end"), "turn1 user:go model:done user:wait model:waiting end:completed")
}

// proves: A132
func TestSteeringWhileIdleOpensATurn(t *testing.T) {
	r := newRig(t, nil, says("ok"))
	r.queue(r.Steer, "hello")
	if !r.Waiting() {
		t.Fatal("steering does not wake")
	}
	out := r.run(context.Background())
	same(t, "request", r.history(0), "hello")
	if out.Turns != 1 || r.Waiting() {
		t.Errorf("outcome %+v, waiting %v", out, r.Waiting())
	}
}

// proves: A133, A45, A170
func TestIdleInjectWaitsAcrossAResume(t *testing.T) {
	r := newRig(t, nil, says("one"))
	r.prompt("first")
	r.queue(r.Inject, "note")
	if out := r.run(context.Background()); out.Turns != 0 || r.Waiting() {
		t.Fatalf("inject opened a turn: %+v", out)
	}
	log, err := session.New(r.log.Header(), session.Options{Seed: r.log.Events(0)})
	if err != nil {
		t.Fatal(err)
	}
	from := log.Len()
	r = rigOver(t, log, nil, says("two"))
	r.prompt("second")
	same(t, "log", r.events(from), "turn+1-0 turn2 step+0-1 turn+0-1 user:note user:second step1 header:resume . . . model:two /step end:completed")
	same(t, "request", r.history(0), "first one note second")
}

func TestInboxRefusesWhatItCannotKeep(t *testing.T) {
	r := newRig(t, nil)
	m := say("x")
	m.ID = "one"
	if err := r.Followup(m); err != nil {
		t.Fatal(err)
	}
	before := r.log.Len()
	model := say("x")
	model.Role = llm.RoleAssistant
	for name, c := range map[string]struct {
		message llm.Message
		code    string
	}{
		"an id that waits": {m, agent.CodeDuplicate},
		"nothing":          {llm.Message{}, agent.CodeMessage},
		"another role":     {model, agent.CodeMessage},
		"no JSON":          {llm.Message{Content: []llm.Block{llm.Unknown{Type: "image", Raw: []byte("{bad")}}}, agent.CodeMessage},
		"a tool result":    {llm.Message{Content: []llm.Block{llm.ToolResult{ToolCallID: "a"}}}, agent.CodeMessage},
	} {
		var refused *agent.Error
		if err := r.Inject(c.message); !errors.As(err, &refused) || refused.Code() != c.code {
			t.Errorf("%s: got %v, want %s", name, err, c.code)
		}
	}
	if r.log.Len() != before {
		t.Errorf("a refused message left a trace: %s", r.events(before))
	}
}
