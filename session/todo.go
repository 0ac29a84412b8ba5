package session

import "encoding/json"

// Todo is one task of an agent's own list. Status is pending, in_progress or
// completed.
type Todo struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}

// Todos returns the list that stands after these events: the last one that was
// written since the last turn began, nil if there is none. A list is for the turn
// in which it was made.
func Todos(events []Event) []Todo {
	for i := len(events) - 1; i >= 0; i-- {
		switch d := events[i].Data.(type) {
		case TurnStart:
			return nil
		case Opaque:
			if list, ok := d.Todos(); ok {
				return list
			}
		}
	}
	return nil
}

// Todos reads the event as a list of tasks; false if it is none.
func (o Opaque) Todos() ([]Todo, bool) {
	if o.Type != tagTodoWrite {
		return nil, false
	}
	var d struct {
		Todos []Todo `json:"todos"`
	}
	err := json.Unmarshal(o.Raw, &d)
	return d.Todos, err == nil
}
