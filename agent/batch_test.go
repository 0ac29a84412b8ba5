package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/tool"
)

// timeline notes what the bodies of tools do, in virtual time.
type timeline struct {
	start time.Time

	mu    sync.Mutex
	notes []string
	most  int
	now   int
}

func (l *timeline) enter(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now++
	l.most = max(l.most, l.now)
	l.notes = append(l.notes, fmt.Sprintf("%s@%d", id, time.Since(l.start)/time.Second))
}

func (l *timeline) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now--
}

// tool takes {"s":seconds,"alone":bool} and sleeps so long.
func (l *timeline) tool() tool.Tool {
	type args struct {
		Seconds int  `json:"s"`
		Alone   bool `json:"alone"`
	}
	read := func(raw json.RawMessage) (a args) {
		_ = json.Unmarshal(raw, &a) // the test wrote it
		return a
	}
	t := shell("sleep", false, func(_ context.Context, c tool.Call) (tool.Result, error) {
		l.enter(c.ID)
		defer l.leave()
		time.Sleep(time.Duration(read(c.Arguments).Seconds) * time.Second)
		return tool.Result{Content: tool.Text("ok")}, nil
	})
	t.Parallel = func(raw json.RawMessage) bool { return !read(raw).Alone }
	return t
}

func sleeps(id string, seconds int, alone bool) llm.ToolCall {
	return call(id, "sleep", fmt.Sprintf(`{"s":%d,"alone":%v}`, seconds, alone))
}

// nap runs one batch of sleeps and returns what its bodies did.
func nap(t *testing.T, parallel int, batch ...llm.ToolCall) (*rig, *timeline) {
	l := &timeline{start: time.Now()}
	r := newRig(t, func(c *agent.Config) {
		c.Tools = registry(t, l.tool())
		c.MaxParallel = parallel
	}, calls(batch...), says("end"))
	r.prompt("go")
	return r, l
}

// proves: A158
func TestSafeCallsOverlapAndCommitInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, l := nap(t, 0, sleeps("a", 3, false), sleeps("b", 1, false), sleeps("c", 2, false))
		if l.most != 3 || time.Since(l.start) != 3*time.Second {
			t.Errorf("%d at once, %v", l.most, time.Since(l.start))
		}
		same(t, "log", r.only("call result"), "call:a call:b call:c result:a=ok result:b=ok result:c=ok")
	})
}

// proves: A159
func TestExclusiveCallIsABarrier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, l := nap(t, 0, sleeps("a", 2, false), sleeps("b", 1, false), sleeps("x", 1, true), sleeps("c", 1, false), sleeps("d", 1, false))
		same(t, "log", r.only("call result"),
			"call:a call:b result:a=ok result:b=ok call:x result:x=ok call:c call:d result:c=ok result:d=ok")
		same(t, "third", l.notes[2], "x@2")
		if time.Since(l.start) != 4*time.Second || l.most != 2 {
			t.Errorf("took %v, %d at once", time.Since(l.start), l.most)
		}
	})
}

// proves: A161
func TestPoolIsBoundedAndRefilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, l := nap(t, 2, sleeps("a", 3, false), sleeps("b", 1, false), sleeps("c", 1, false), sleeps("d", 1, false))
		same(t, "bodies", fmt.Sprint(l.notes[2:]), "[c@1 d@2]")
		if l.most != 2 || time.Since(l.start) != 3*time.Second {
			t.Errorf("%d at once, %v", l.most, time.Since(l.start))
		}
		same(t, "log", r.only("call result"), "call:a call:b call:c call:d result:a=ok result:b=ok result:c=ok result:d=ok")
	})
	synctest.Test(t, func(t *testing.T) {
		r, l := nap(t, 1, sleeps("a", 1, false), sleeps("b", 1, false))
		same(t, "serial log", r.only("call result"), "call:a result:a=ok call:b result:b=ok")
		if l.most != 1 {
			t.Errorf("%d at once", l.most)
		}
	})
	for _, c := range []agent.Config{{MaxParallel: -1}, {MaxSteps: -1}} {
		r := newRig(t, nil)
		c.Session, c.Model = r.log, r.model
		if _, err := agent.New(c); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}

// A call that had to wait is asked again whether it may run beside others.
// proves: A160
func TestClassifiedRightBeforeTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &timeline{start: time.Now()}
		sleeper := l.tool()
		opened := false
		gate := shell("gate", false, func(context.Context, tool.Call) (tool.Result, error) {
			opened = true
			return tool.Result{Content: tool.Text("open")}, nil
		})
		sleeper.Parallel = func(json.RawMessage) bool { return opened }
		r := newRig(t, func(c *agent.Config) { c.Tools = registry(t, gate, sleeper) },
			calls(call("g", "gate", ""), sleeps("a", 1, false), sleeps("b", 1, false)), says("end"))
		r.prompt("go")
		if l.most != 2 {
			t.Errorf("%d at once after the gate", l.most)
		}
	})
}

// proves: A163, A193
func TestCancelDuringABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := cancellable()
		l := &timeline{start: time.Now()}
		r := newRig(t, func(c *agent.Config) {
			c.Tools = registry(t, l.tool())
			c.MaxParallel = 2
		}, calls(sleeps("a", 3, false), sleeps("b", 2, false), sleeps("c", 1, false), sleeps("d", 1, true)))
		r.queue(r.Followup, "go")
		time.AfterFunc(time.Second, cancel)
		r.run(ctx)
		if time.Since(l.start) != 3*time.Second || len(l.notes) != 2 {
			t.Errorf("took %v, bodies %v", time.Since(l.start), l.notes)
		}
		skipped := "Error:_tool_call_aborted_before_dispatch(ABORTED_BEFORE_DISPATCH)"
		stopped := "Error:_tool_call_aborted(ABORTED)"
		same(t, "log", r.only("call result /step end"),
			"call:a call:b result:a="+stopped+" result:b="+stopped+" call:c call:d result:c="+skipped+" result:d="+skipped+" /step end:aborted(user)")
	})
}

// proves: A162
func TestCancelBeforeABatch(t *testing.T) {
	ctx, cancel := cancellable()
	ran := false
	r := newRig(t, func(c *agent.Config) {
		c.Tools = registry(t, shell("mark", true, func(context.Context, tool.Call) (tool.Result, error) {
			ran = true
			return tool.Result{}, nil
		}))
	}, func(ctx context.Context, yield func(llm.Chunk, error) bool) {
		calls(call("a", "mark", ""), call("b", "nothing", ""))(ctx, yield)
		cancel()
	})
	r.queue(r.Followup, "go")
	r.run(ctx)
	skipped := "Error:_tool_call_aborted_before_dispatch(ABORTED_BEFORE_DISPATCH)"
	same(t, "log", r.only("call result end"), "call:a call:b result:a="+skipped+" result:b="+skipped+" end:aborted(user)")
	if ran {
		t.Error("a body ran")
	}
}

// Bad calls are results that the model sees; no body runs.
// proves: A165
func TestCallsThatCannotRun(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	write := shell("write", false, func(_ context.Context, c tool.Call) (tool.Result, error) {
		return tool.Result{Content: tool.Text("ok")}, os.WriteFile(file, c.Arguments, 0o600)
	})
	write.Input = json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)
	r := newRig(t, func(c *agent.Config) { c.Tools = registry(t, write, echo(false)) },
		calls(call("cut", "write", `{"path":"f","text":"some te`), call("gone", "nothing", "{}"), call("none", "echo", "")), says("sorry"),
		play(llm.ToolCallDelta{ID: "long", Name: "write", Arguments: `{"path":"f`}, llm.Finish{Reason: llm.FinishMaxTokens}))
	r.prompt("go")
	results := r.only("result")
	if !strings.Contains(results, "result:cut=Error:_invalid_arguments:_not_valid_JSON") || !strings.Contains(results, "cut_off") {
		t.Errorf("the model is not told that its call was cut: %s", results)
	}
	for _, want := range []string{`result:gone=Error:_unknown_tool_"nothing"(UNKNOWN_TOOL)`, "result:none={}"} {
		if !strings.Contains(results, want) {
			t.Errorf("%s not in %s", want, results)
		}
	}
	if n := len(r.model.requests[1].Messages); n != 5 {
		t.Errorf("the next request has %d messages", n)
	}
	r.prompt("longer")
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
	for _, e := range r.log.Events(0) {
		if c, ok := e.Data.(session.ToolCall); ok && c.CallID == "cut" && c.Arguments != `{"path":"f","text":"some te` {
			t.Errorf("the log has %q", c.Arguments)
		}
	}
}

// proves: A142
func TestToolThatConcludes(t *testing.T) {
	var r *rig
	steer := false
	finish := shell("finish", false, func(_ context.Context, c tool.Call) (tool.Result, error) {
		if steer {
			r.queue(r.Steer, "not yet")
		}
		return tool.Result{Content: tool.Text("recorded"), Concludes: true, Value: json.RawMessage(`{"n":1}`)}, nil
	})
	stops := []agent.Stop{}
	r = newRig(t, func(c *agent.Config) {
		c.Tools = registry(t, finish)
		c.Hooks.Stopping = func(_ context.Context, s agent.Stop) ([]llm.Message, error) {
			stops = append(stops, s)
			return nil, nil
		}
	}, calls(call("a", "finish", "")), calls(call("b", "finish", "")), says("well"))
	out := r.prompt("go")
	if out.Steps != 1 || out.End.Kind != session.EndCompleted || len(stops) != 1 || !stops[0].Concluded {
		t.Errorf("outcome %+v, stops %+v", out, stops)
	}
	for _, e := range r.log.Events(0) {
		if d, ok := e.Data.(session.ToolResult); ok && string(d.Meta) != `{"n":1}` {
			t.Errorf("the structured value is not in the log: %s", d.Meta)
		}
	}
	steer = true
	if out := r.prompt("again"); out.Steps != 2 || out.Text != "well" {
		t.Errorf("steering is pending, but %+v", out)
	}
	same(t, "request", r.history(2), "go [a] a=recorded again [b] b=recorded not_yet")
}

// A failed call does not conclude.
func TestFailedCallDoesNotConclude(t *testing.T) {
	r := newRig(t, func(c *agent.Config) {
		c.Tools = registry(t, shell("finish", false, func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{Concludes: true}, errors.New("no")
		}))
	}, calls(call("a", "finish", "")), says("sorry"))
	if out := r.prompt("go"); out.Steps != 2 {
		t.Errorf("outcome %+v", out)
	}
}

// A block that no log can hold is the tool's failure, and the agent lives on.
func TestResultThatCannotBeLogged(t *testing.T) {
	for _, raw := range []string{"{bad", "[1]"} {
		r := newRig(t, func(c *agent.Config) {
			c.Tools = registry(t, shell("paint", false, func(context.Context, tool.Call) (tool.Result, error) {
				return tool.Result{Content: []llm.Block{llm.Unknown{Type: "image", Raw: json.RawMessage(raw)}}, Concludes: true}, nil
			}))
		}, calls(call("a", "paint", "")), says("sorry"))
		out := r.prompt("go")
		if results := r.only("result"); !strings.HasPrefix(results, `result:a=Error:_tool_"paint"_returned_invalid_output`) ||
			!strings.HasSuffix(results, "(INVALID_TOOL_OUTPUT)") || out.Text != "sorry" {
			t.Errorf("outcome %+v, %s", out, results)
		}
	}
}

func TestWhatAToolIsTold(t *testing.T) {
	for _, c := range []struct{ set, want tool.Call }{
		{tool.Call{}, tool.Call{Cwd: "/w", Root: "/w"}},
		{tool.Call{Cwd: "/w/sub"}, tool.Call{Cwd: "/w/sub", Root: "/w/sub"}},
		{tool.Call{Cwd: "/w/sub", Root: "/w", Home: "/h", Outputs: "/o"}, tool.Call{Cwd: "/w/sub", Root: "/w", Home: "/h", Outputs: "/o/session-043a718774c572bd8a25adbeb1bfcd5c0256ae11cecf9f9c3f925d0e52beaf89"}},
	} {
		var got tool.Call
		r := newRig(t, func(cfg *agent.Config) {
			cfg.Cwd, cfg.Root, cfg.Home, cfg.Outputs = c.set.Cwd, c.set.Root, c.set.Home, c.set.Outputs
			cfg.Tools = registry(t, shell("tell", false, func(_ context.Context, call tool.Call) (tool.Result, error) {
				got = call
				return tool.Result{Content: tool.Text("ok")}, nil
			}))
		}, calls(call("a", "tell", ` {"x": 1}`)), says("ok"))
		r.prompt("go")
		c.want.ID, c.want.Name, c.want.Session, c.want.Arguments = "a", "tell", "s", got.Arguments
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// Calls that share an id each get a result.
func TestEqualCallIDs(t *testing.T) {
	r := newRig(t, func(c *agent.Config) { c.Tools = registry(t, echo(true)) },
		calls(call("a", "echo", `{"n":1}`), call("a", "echo", `{"n":2}`)), says("end"))
	r.prompt("go")
	same(t, "request", r.history(1), `go [a][a] a={"n":1} a={"n":2}`)
}
