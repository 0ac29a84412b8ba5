package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dsh-go/dsh-workflow/tool"
)

// TodoNote is the type of the note that todo_write leaves in the session log.
const TodoNote = "todo/write"

//go:embed todo_write.md
var todoDoc string

// todoInput is written by hand because its items are closed.
const todoInput = `{
	"type": "object",
	"properties": {
		"todos": {
			"type": "array",
			"description": "The whole list, in the order in which the tasks are to be done.",
			"items": {
				"type": "object",
				"properties": {
					"content": {"type": "string", "description": "What is to be done."},
					"status": {"type": "string", "enum": ["pending", "in_progress", "completed"]}
				},
				"required": ["content", "status"],
				"additionalProperties": false
			}
		}
	},
	"required": ["todos"]
}`

// todoList is the payload of the note, and the arguments.
type todoList struct {
	Todos []todo `json:"todos"`
}

type todo struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}

func todoTool(parallel bool) tool.Tool {
	return tool.Tool{
		Name:        "todo_write",
		Description: strings.TrimSpace(todoDoc),
		Input:       json.RawMessage(todoInput),
		Run: func(_ context.Context, c tool.Call) (tool.Result, error) {
			if c.Session == "" {
				return tool.Result{}, badArgument("todo_write requires an owning agent session")
			}
			var list todoList
			if err := json.Unmarshal(c.Arguments, &list); err != nil {
				return tool.Result{}, badArgument(err.Error())
			}
			return list.write(parallel)
		},
	}
}

// write checks the list and makes it the agent's, by the note.
func (l todoList) write(parallel bool) (tool.Result, error) {
	count := map[string]int{}
	taken := map[string]bool{}
	for i := range l.Todos {
		t := &l.Todos[i]
		t.Content = strings.TrimSpace(t.Content)
		switch {
		case t.Content == "":
			return tool.Result{}, badArgument("invalid todo: `content` must be a non-empty string")
		case taken[t.Content]:
			return tool.Result{}, badArgument(fmt.Sprintf("invalid todos: duplicate content %q", t.Content))
		}
		taken[t.Content] = true
		count[t.Status]++
	}
	if n := count["in_progress"]; n > 1 && !parallel {
		return tool.Result{}, badArgument(fmt.Sprintf("invalid todos: at most one task may be in_progress (got %d)", n))
	}
	if l.Todos == nil {
		l.Todos = []todo{}
	}
	note, err := json.Marshal(l)
	if err != nil {
		return tool.Result{}, err
	}
	text := fmt.Sprintf("Updated todo list: %d pending, %d in progress, %d completed.", count["pending"], count["in_progress"], count["completed"])
	return tool.Result{Content: tool.Text(text), Note: &tool.Note{Type: TodoNote, Data: note}}, nil
}
