package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/tool"
)

// disk is a session.Sink that knows what is durable, and can be full.
type disk struct {
	written, durable int
	full             bool
	synced           func() // called after each sync; may be nil
}

func (d *disk) Len() int { return d.written }

func (d *disk) Append(_ session.Seq, lines [][]byte) error {
	if d.full {
		return errors.New("no space left on device")
	}
	d.written += len(lines)
	return nil
}

func (d *disk) Sync() error {
	d.durable = d.written
	if d.synced != nil {
		d.synced()
	}
	return nil
}

func (d *disk) Close() error { return nil }

func onDisk(t *testing.T, d *disk) *session.Log {
	log, err := session.New(session.Header{ID: "s"}, session.Options{Sink: d})
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// Everything that shaped a request, and every call, is durable before anybody
// outside can know of it; a finished turn is durable when Run returns.
// proves: A100
func TestBarriers(t *testing.T) {
	d := &disk{}
	log := onDisk(t, d)
	check := func(where string) {
		if d.durable != log.Len() {
			t.Errorf("%s: %d of %d events are durable", where, d.durable, log.Len())
		}
	}
	ran := 0
	body := func(context.Context, tool.Call) (tool.Result, error) {
		ran++
		check("tool")
		return tool.Result{Content: tool.Text("ok")}, nil
	}
	r := rigOver(t, log, func(c *agent.Config) {
		c.Tools = registry(t, shell("one", false, body))
		c.Prompt = func(context.Context) (string, error) {
			for i, e := range log.Events(0) {
				if _, ok := e.Data.(session.TurnEnd); ok && i >= d.durable {
					t.Errorf("a turn begins before the one before it is durable")
				}
			}
			return "", nil
		}
	},
		meanwhile(func() { check("request") }, calls(call("a", "one", ""), call("b", "one", ""))),
		meanwhile(func() { check("second request") }, says("ok")), says("ok"))
	r.queue(r.Followup, "first")
	r.queue(r.Followup, "second")
	r.run(context.Background())
	check("end")
	if ran != 2 {
		t.Errorf("%d bodies ran", ran)
	}
}

// proves: A100
func TestFullDisk(t *testing.T) {
	ran := false
	for name, when := range map[string]string{"before the request": "start", "before the tool": "stream"} {
		t.Run(name, func(t *testing.T) {
			d := &disk{full: when == "start"}
			r := rigOver(t, onDisk(t, d), func(c *agent.Config) {
				c.Tools = registry(t, shell("one", false, func(context.Context, tool.Call) (tool.Result, error) {
					ran = true
					return tool.Result{}, nil
				}))
			}, meanwhile(func() { d.full = true }, calls(call("a", "one", ""))))
			r.queue(r.Followup, "go")
			_, err := r.Run(context.Background())
			var fault *agent.Error
			if !errors.As(err, &fault) || fault.Code() != agent.CodeLog {
				t.Fatalf("got %v", err)
			}
			if ran {
				t.Error("a body ran whose call is not durable")
			}
			if when == "start" && len(r.model.requests) > 0 {
				t.Error("a request was sent that is not durable")
			}
			if _, err := r.Run(context.Background()); errors.As(err, &fault) && fault.Code() == agent.CodeBusy {
				t.Error("the agent thinks that it still runs")
			}
		})
	}
}

// A cancel that comes while the disk works sends no request.
func TestCancelDuringTheBarrier(t *testing.T) {
	ctx, cancel := cancellable()
	d := &disk{synced: cancel}
	r := rigOver(t, onDisk(t, d), nil, says("never"))
	r.queue(r.Followup, "go")
	r.run(ctx)
	same(t, "log", r.only("step /step model end"), "step1 /step end:aborted(user)")
	if len(r.model.requests) != 0 {
		t.Error("the model was asked")
	}
}

// A cancel that comes while the disk takes the call in leaves it without a body.
//
// proves: A101
func TestCancelWhileACallBecomesDurable(t *testing.T) {
	ctx, cancel := cancellable()
	d := &disk{}
	log := onDisk(t, d)
	logged := func() bool {
		for _, e := range log.Events(0) {
			if _, ok := e.Data.(session.ToolCall); ok {
				return true
			}
		}
		return false
	}
	for _, cancels := range []bool{false, true} {
		ran := 0
		r := rigOver(t, log, func(c *agent.Config) {
			c.Tools = registry(t, shell("one", false, func(context.Context, tool.Call) (tool.Result, error) {
				ran++
				if d.durable != log.Len() {
					t.Errorf("the body runs with %d of %d events durable", d.durable, log.Len())
				}
				return tool.Result{Content: tool.Text("ok")}, nil
			}))
		}, calls(call("a", "one", "")), says("done"))
		if cancels {
			from := log.Len()
			d.synced = func() {
				if all := log.Events(session.Seq(from)); len(all) > 0 && word(all[len(all)-1].Data) == "call:a" {
					cancel()
				}
			}
		}
		r.queue(r.Followup, "go")
		r.run(ctx)
		if !logged() || (ran == 0) != cancels {
			t.Errorf("cancelled: %t, %d bodies ran", cancels, ran)
		}
	}
	var last []string
	for _, e := range log.Events(0) {
		if w := word(e.Data); strings.HasPrefix(w, "result") {
			last = append(last, w)
		}
	}
	same(t, "results", strings.Join(last, " "), "result:a=ok result:a=Error:_tool_call_aborted_before_dispatch(ABORTED_BEFORE_DISPATCH)")
}

func TestRunTwiceAtOnce(t *testing.T) {
	ctx, cancel := cancellable()
	var r *rig
	r = newRig(t, nil, hangs(func() {
		defer cancel()
		var busy *agent.Error
		if _, err := r.Run(ctx); !errors.As(err, &busy) || busy.Code() != agent.CodeBusy {
			t.Errorf("got %v", err)
		}
	}))
	r.queue(r.Followup, "go")
	r.run(ctx)
}

// crash makes the log that a process leaves which died inside a turn: the events
// so far, closed by the repair.
func crash(t *testing.T, events []session.Event) *session.Log {
	t.Helper()
	repaired := append(events, session.Repair(events)...)
	log, err := session.New(session.Header{ID: "s", Cwd: "/w"}, session.Options{Seed: repaired})
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// Cut after any event, the session goes on: no prompt is lost that no model has
// seen, none is asked twice, and every call has its one result.
// proves: A76
func TestResumeAfterACrashAtEveryEvent(t *testing.T) {
	build := func() *rig {
		return newRig(t, func(c *agent.Config) { c.Tools = registry(t, echo(true)) },
			calls(call("a", "echo", "{}"), call("b", "echo", "{}")), says("one"), says("two"))
	}
	r := build()
	r.queue(r.Followup, "p")
	r.queue(r.Followup, "q")
	r.run(context.Background())
	whole := r.log.Events(0)
	for n := 2; n <= len(whole); n++ { // both prompts are accepted
		log := crash(t, whole[:n:n])
		next := rigOver(t, log, func(c *agent.Config) { c.Tools = registry(t, echo(true)) }, says("x"), says("y"), says("z"))
		next.queue(next.Followup, "after")
		next.run(context.Background())
		seen := map[string]int{}
		open := map[string]int{}
		for _, m := range log.Messages() {
			for _, b := range m.Content {
				switch b := b.(type) {
				case llm.Text:
					seen[b.Text]++
				case llm.ToolCall:
					open[b.ID]++
				case llm.ToolResult:
					open[b.ToolCallID]--
				}
			}
		}
		if seen["p"] != 1 || seen["q"] != 1 || seen["after"] != 1 {
			t.Errorf("cut after %d: the prompts are seen %v times\n%s", n, seen, next.events(0))
		}
		for id, balance := range open {
			if balance != 0 {
				t.Errorf("cut after %d: call %s has %d results too few", n, id, balance)
			}
		}
	}
}

// Input that entered a step in other words does not come back after a crash.
func TestResumeDoesNotRepeatRewrittenInput(t *testing.T) {
	r := newRig(t, func(c *agent.Config) {
		c.Hooks.PreStep = func(context.Context, agent.Proposal) ([]llm.Message, error) {
			return []llm.Message{say("rewritten")}, nil
		}
	}, says("one"))
	r.prompt("go")
	whole := r.log.Events(0)
	for n := range whole {
		if _, ok := whole[n].Data.(session.StepStart); ok {
			if next := rigOver(t, crash(t, whole[:n+1:n+1]), nil); next.Waiting() {
				t.Error("it waits again")
			}
		}
	}
}

// The part of a log that another session left to this one says nothing about
// this one's inbox.
func TestForkInheritsNoInbox(t *testing.T) {
	r := newRig(t, nil, says("one"))
	r.queue(r.Followup, "go")
	r.queue(r.Inject, "for the parent")
	r.run(context.Background())
	r.queue(r.Followup, "for the parent too")
	seed := r.log.Events(0)
	log, err := session.New(session.Header{ID: "child", SeedLength: len(seed)}, session.Options{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	child := rigOver(t, log, nil, says("two"))
	if child.Waiting() {
		t.Error("the child works off its parent's inbox")
	}
	child.prompt("for the child")
	same(t, "request", child.history(0), "for_the_parent go one for_the_child")
}

func TestOpenTurnIsRefused(t *testing.T) {
	r := newRig(t, nil)
	if _, err := r.log.Append(session.TurnStart{Turn: 1}); err != nil {
		t.Fatal(err)
	}
	var refused *agent.Error
	if _, err := agent.New(r.cfg); !errors.As(err, &refused) || refused.Code() != agent.CodeConfig {
		t.Errorf("got %v", err)
	}
}
