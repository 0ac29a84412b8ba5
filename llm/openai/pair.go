package openai

import (
	"slices"
	"strconv"

	"github.com/dsh-go/dsh-workflow/llm"
)

// pairedCall is a tool call with the id that it has on the wire and the result
// that answers it, nil if there is none.
type pairedCall struct {
	call   llm.ToolCall
	id     string
	result *llm.ToolResult
}

// callAt names a call: the n-th of message at.
type callAt struct{ at, n int }

// pairing finds the result of each call.
type pairing struct {
	calls map[int][]pairedCall
	open  map[string][]callAt         // calls that wait for a result, by id, in order
	early map[string][]llm.ToolResult // results that came before any call of their id
	known map[string]bool             // ids that a call has had
	used  map[string]bool             // ids on the wire
}

// pair returns the calls of each assistant message by its index in messages.
func pair(messages []llm.Message) map[int][]pairedCall {
	p := pairing{
		calls: map[int][]pairedCall{}, open: map[string][]callAt{}, early: map[string][]llm.ToolResult{},
		known: map[string]bool{}, used: map[string]bool{},
	}
	for i, m := range messages {
		for _, b := range m.Content {
			switch b := b.(type) {
			case llm.ToolCall:
				if m.Role == llm.RoleAssistant {
					p.addCall(i, b)
				}
			case llm.ToolResult:
				p.addResult(b)
			}
		}
	}
	return p.calls
}

func (p *pairing) addCall(at int, c llm.ToolCall) {
	paired := pairedCall{call: c, id: p.name(c.ID)}
	if waiting := p.early[c.ID]; len(waiting) > 0 {
		paired.result = &waiting[0]
		p.early[c.ID] = waiting[1:]
	} else {
		p.open[c.ID] = append(p.open[c.ID], callAt{at, len(p.calls[at])})
	}
	p.known[c.ID] = true
	p.calls[at] = append(p.calls[at], paired)
}

// name returns an id for the wire that no earlier call has.
func (p *pairing) name(id string) string {
	if id == "" {
		id = "call"
	}
	name := id
	for n := 2; p.used[name]; n++ {
		name = id + "-" + strconv.Itoa(n)
	}
	p.used[name] = true
	return name
}

// addResult gives the result to the latest message that has an open call of its
// id, to the first such call there: ids repeat from turn to turn on some servers.
func (p *pairing) addResult(r llm.ToolResult) {
	open := p.open[r.ToolCallID]
	if len(open) == 0 {
		if !p.known[r.ToolCallID] {
			p.early[r.ToolCallID] = append(p.early[r.ToolCallID], r)
		}
		return
	}
	latest := open[len(open)-1].at
	i := slices.IndexFunc(open, func(c callAt) bool { return c.at == latest })
	ref := open[i]
	p.open[r.ToolCallID] = slices.Delete(open, i, i+1)
	p.calls[ref.at][ref.n].result = &r
}
