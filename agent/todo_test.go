package agent_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/tool"
	"github.com/dsh-go/dsh-workflow/tool/builtin"
)

// proves: A231, A232
func TestTodoListLastsForATurn(t *testing.T) {
	list := func(content string) string {
		return `{"todos":[{"content":"` + content + `","status":"pending"}]}`
	}
	seen := map[string][]session.Todo{}
	var r *rig
	look := func(when string, next reply) reply {
		return meanwhile(func() { seen[when] = session.Todos(r.log.Events(0)) }, next)
	}
	r = newRig(t, func(c *agent.Config) { c.Tools = registry(t, builtin.New(builtin.Options{})...) },
		calls(call("c1", "todo_write", list(" one ")), call("c2", "todo_write", list("two")), call("c3", "todo_write", list(""))),
		look("after two lists and a refused one", says("done")), look("in the next turn", says("ok")))
	r.prompt("go")
	seen["when the turn has ended"] = session.Todos(r.log.Events(0))
	same(t, "log", r.only("call session result end"), "call:c1 session.Opaque result:c1=Updated_todo_list:_1_pending,_0_in_progress,_0_completed. "+
		"call:c2 session.Opaque result:c2=Updated_todo_list:_1_pending,_0_in_progress,_0_completed. "+
		"call:c3 result:c3=Error:_invalid_todo:_`content`_must_be_a_non-empty_string(INVALID_ARGS) end:completed")
	r.prompt("again")
	two := []session.Todo{{Content: "two", Status: "pending"}}
	want := map[string][]session.Todo{
		"after two lists and a refused one": two, "when the turn has ended": two, "in the next turn": nil,
	}
	if d := cmp.Diff(want, seen); d != "" {
		t.Error(d)
	}
}

// A note that no log takes is the tool's fault, like any other invalid output.
func TestNotesThatNoLogTakes(t *testing.T) {
	for _, n := range []tool.Note{{Type: "turn/end", Data: json.RawMessage(`{}`)}, {Type: "x/y", Data: json.RawMessage(`{`)}, {Data: json.RawMessage(`{}`)}} {
		r := newRig(t, func(c *agent.Config) {
			c.Tools = registry(t, shell("forge", false, func(context.Context, tool.Call) (tool.Result, error) {
				return tool.Result{Content: tool.Text("ok"), Note: &n}, nil
			}))
		}, calls(call("c1", "forge", "{}")), says("done"))
		r.prompt("go")
		if got := r.log.Surface()[2].Data.(session.ToolResult); got.Error == nil || got.Error.Code != tool.KindInvalidOutput {
			t.Errorf("%+v: %+v", n, got)
		}
	}
}
