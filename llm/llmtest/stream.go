package llmtest

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/llm/sim"
)

// stream answers with server-sent events.
func (p *performance) stream() bool {
	p.w.Header().Set("Content-Type", "text/event-stream")
	p.w.Header().Set("Cache-Control", "no-cache")
	p.w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(p.w)
	if out.Flush() != nil || !p.wait(p.server.opts.TTFT) {
		return false
	}
	p.server.ledger.cache().Store(p.meter)
	if !p.keepAlive(out) {
		return false
	}
	parts := p.parts()
	stallAfter := 2
	if p.step.StallAfter != nil {
		stallAfter = *p.step.StallAfter
	}
	stallAfter = min(stallAfter, len(parts)-1)
	for i, part := range parts {
		if i == stallAfter && p.step.StallMs != 0 && !p.wait(ms(p.step.StallMs)) {
			return false
		}
		if i > 0 && !p.wait(ms(p.step.PaceMs)) {
			return false
		}
		if i == (len(parts)+1)/2 && p.step.Drop == sim.DropMid && p.server.ledger.plays(p.key, p.step.Times) {
			return false
		}
		if i == len(parts)-1 {
			p.slot.release()
		}
		if !p.write(out, part) {
			return false
		}
	}
	return true
}

// keepAlive sends comments before the first event.
func (p *performance) keepAlive(out *http.ResponseController) bool {
	n := p.step.Keepalives
	if p.step.Keepalive {
		n = max(n, 1)
	}
	for range n {
		if !p.wait(ms(p.step.KeepaliveMs)) || !p.write(out, p.lines(": keep-alive", "")) {
			return false
		}
	}
	return true
}

// write sends bytes at once, or as many at a time as the step says.
func (p *performance) write(out *http.ResponseController, part []byte) bool {
	size := p.step.Chunk
	if size <= 0 {
		size = max(1, len(part))
	}
	for len(part) > 0 {
		n := min(size, len(part))
		if _, err := p.w.Write(part[:n]); err != nil {
			return false
		}
		if out.Flush() != nil {
			return false
		}
		part = part[n:]
	}
	return true
}

// parts are the pieces of the body between which something may happen.
func (p *performance) parts() [][]byte {
	if p.step.RawLines != nil {
		return trim([][]byte{p.lines(p.step.RawLines...)}, p.step.Cut)
	}
	var parts [][]byte
	if !p.step.EmptyChoices {
		parts = p.choices()
	}
	if u := p.counters(); u != nil {
		parts = append(parts, p.event(envelope{Choices: []choice{}, Usage: u}))
	}
	if !p.step.NoDone {
		parts = append(parts, p.data("[DONE]"))
	}
	return trim(parts, p.step.Cut)
}

// trim ends a body after cut bytes, or so many before its end if cut is negative.
func trim(parts [][]byte, cut int) [][]byte {
	if cut == 0 {
		return parts
	}
	if cut < 0 {
		for _, part := range parts {
			cut += len(part)
		}
	}
	for i, part := range parts {
		if cut < len(part) {
			return append(parts[:i:i], part[:max(cut, 0)])
		}
		cut -= len(part)
	}
	return parts
}

// choices are the events that carry the answer.
func (p *performance) choices() [][]byte {
	events := [][]byte{p.delta(map[string]any{"role": "assistant", "content": ""}, nil)}
	add := func(d any) { events = append(events, p.delta(d, nil)) }
	if p.step.Reasoning != nil {
		for _, piece := range pieces(*p.step.Reasoning) {
			add(map[string]any{"reasoning_content": piece})
		}
	}
	for _, piece := range sim.Pieces(p.step.Text) {
		add(map[string]any{"content": piece})
	}
	for i, c := range p.calls {
		for _, d := range p.callDeltas(i, c) {
			add(map[string]any{"tool_calls": []toolDelta{d}})
		}
	}
	for _, raw := range p.step.Deltas {
		add(raw)
	}
	if p.step.Garbage != "" {
		events = append(events, p.data(p.step.Garbage))
	}
	if p.step.StreamError != nil {
		events = append(events, p.data(string(p.step.StreamError)))
	}
	return append(events, p.delta(struct{}{}, p.finish()))
}

// pieces is [sim.Pieces], but one piece for an empty text: an empty reasoning is
// announced, too.
func pieces(text string) []string {
	if text == "" {
		return []string{""}
	}
	return sim.Pieces(text)
}

// toolDelta is a fragment of a tool call.
type toolDelta struct {
	Index    int      `json:"index"`
	ID       *string  `json:"id,omitempty"`
	Type     string   `json:"type,omitempty"`
	Function callPart `json:"function"`
}

type callPart struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

func (p *performance) callDeltas(index int, c llm.ToolCall) []toolDelta {
	if p.step.ZeroIndex {
		index = 0
	}
	deltas := []toolDelta{{Index: index, ID: &c.ID, Type: "function", Function: callPart{Name: c.Name}}}
	fragments := []string{c.Arguments}
	if p.step.SplitArgs {
		fragments = strings.Split(c.Arguments, "") // at characters
	}
	for _, f := range fragments {
		deltas = append(deltas, toolDelta{Index: index, Function: callPart{Arguments: f}})
	}
	return deltas
}

// envelope is one event of the stream.
type envelope struct {
	ID      string          `json:"id"`
	Object  string          `json:"object"`
	Created int64           `json:"created"`
	Model   string          `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   json.RawMessage `json:"usage,omitempty"`
}

type choice struct {
	Index  int             `json:"index"`
	Delta  any             `json:"delta"`
	Finish json.RawMessage `json:"finish_reason"`
}

func (p *performance) delta(d any, finish json.RawMessage) []byte {
	return p.event(envelope{Choices: []choice{{Delta: d, Finish: finish}}})
}

func (p *performance) event(e envelope) []byte {
	e.ID, e.Object, e.Created, e.Model = p.id(), "chat.completion.chunk", time.Now().Unix(), p.req.Model
	text, err := json.Marshal(e)
	if err != nil { // a raw part of a step was decoded from JSON, so it is JSON
		return p.data(`{"error":{"message":"` + err.Error() + `"}}`)
	}
	return p.data(string(text))
}

func (p *performance) data(text string) []byte {
	if p.step.NoSpace {
		return p.lines("data:"+text, "")
	}
	return p.lines("data: "+text, "")
}
