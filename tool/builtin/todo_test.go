//go:build unix

package builtin

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/tool"
)

func tasks(pairs ...string) args {
	list := []any{}
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, args{"content": pairs[i], "status": pairs[i+1]})
	}
	return args{"todos": list}
}

// proves: A231
func TestTodoWrite(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	blank := "Error: invalid todo: `content` must be a non-empty string"
	for _, tc := range []struct {
		in         args
		text, kind string
	}{
		{tasks("  look ", "completed", "a\nb", "in_progress", "c", "pending", "d", "pending"), "Updated todo list: 2 pending, 1 in progress, 1 completed.", ""},
		{tasks(), "Updated todo list: 0 pending, 0 in progress, 0 completed.", ""},
		{tasks("a", "pending", " \n", "pending"), blank, tool.KindInvalidArgs},
		{tasks("a", "pending", "", "pending"), blank, tool.KindInvalidArgs},
		{tasks("a", "pending", " a", "completed"), `Error: invalid todos: duplicate content "a"`, tool.KindInvalidArgs},
		{tasks("a", "in_progress", "b", "in_progress", "c", "in_progress"), "Error: invalid todos: at most one task may be in_progress (got 3)", tool.KindInvalidArgs},
		{tasks("a", "done"), `Error: invalid arguments: "todos[0].status" must be one of ["pending","in_progress","completed"]`, tool.KindInvalidArgs},
		{args{"todos": []any{args{"content": "a", "status": "pending", "id": 1}}}, `Error: invalid arguments: "todos[0].id" is not a declared property (additionalProperties: false)`, tool.KindInvalidArgs},
		{args{}, `Error: invalid arguments: missing required property "todos"`, tool.KindInvalidArgs},
	} {
		a.want("todo_write", tc.in, tc.text, tc.kind)
	}
	b := newAgent(t, t.TempDir(), Options{ParallelTodos: true})
	b.want("todo_write", tasks("a", "in_progress", "b", "in_progress"), "Updated todo list: 0 pending, 2 in progress, 0 completed.")
	b.call.Session = ""
	b.want("todo_write", tasks("a", "pending"), "Error: todo_write requires an owning agent session", tool.KindInvalidArgs)
}

func TestTodoWriteNotesTheWholeList(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	a.call.Name = "todo_write"
	for in, want := range map[string]string{
		`{"todos":[{"content":" look ","status":"pending"}]}`: `{"todos":[{"content":"look","status":"pending"}]}`,
		`{"todos":[]}`: `{"todos":[]}`,
	} {
		r := a.tools.Run(t.Context(), a.call, in)
		if d := cmp.Diff(&tool.Note{Type: TodoNote, Data: json.RawMessage(want)}, r.Note); d != "" {
			t.Error(d)
		}
	}
	if r := a.tools.Run(t.Context(), a.call, `{"todos":[{"content":"","status":"pending"}]}`); r.Note != nil {
		t.Error("a refused list was noted")
	}
}
