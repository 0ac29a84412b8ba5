package session

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTodosAreThoseOfTheTurn(t *testing.T) {
	write := func(raw string) Event { return Event{Data: Opaque{Type: "todo/write", Raw: json.RawMessage(raw)}} }
	a := write(`{"todos":[{"content":"a","status":"pending"}]}`)
	list := []Todo{{Content: "a", Status: "pending"}}
	for name, tc := range map[string]struct {
		events []Event
		want   []Todo
	}{
		"nothing":            {nil, nil},
		"the last one":       {[]Event{{Data: TurnStart{1}}, write(`{"todos":[]}`), a, {Data: StepEnd{1, 1}}}, list},
		"an empty one":       {[]Event{{Data: TurnStart{1}}, a, write(`{"todos":[]}`)}, []Todo{}},
		"until the turn":     {[]Event{{Data: TurnStart{1}}, a, {Data: TurnEnd{Turn: 1}}, {Data: TurnStart{2}}}, nil},
		"what is no list":    {[]Event{a, write(`{"todos":7}`), {Data: Opaque{Type: "goal/set", Raw: json.RawMessage(`{"todos":[]}`)}}}, list},
		"after the turn too": {[]Event{{Data: TurnStart{1}}, a, {Data: TurnEnd{Turn: 1}}}, list},
	} {
		if d := cmp.Diff(tc.want, Todos(tc.events)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
