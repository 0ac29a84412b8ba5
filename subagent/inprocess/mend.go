package inprocess

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
)

// mending is one call whose arguments were mended.
type mending struct {
	Raw     string `json:"raw"` // as the model wrote them
	Mended  string `json:"mended"`
	Repairs int    `json:"repairs"`
}

// tagMended is the type of the event that keeps a mending.
const tagMended = "structured/repaired"

func (m mending) note(log *session.Log) error {
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = log.Append(session.Opaque{Type: tagMended, Raw: raw})
	return err
}

var _ llm.Model = (*structured)(nil)

// Stream passes the answers of the model on. It holds calls of the tool for the
// result back until the answer is complete, and replaces arguments that only
// slipped by what was meant: the agent, its log and every later request then
// have one form of the call, the valid one.
func (s *structured) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		h := &held{calls: map[int]*heldCall{}, passed: map[int]bool{}}
		for chunk, err := range s.model.Stream(ctx, req) {
			if delta, ok := chunk.(llm.ToolCallDelta); ok && err == nil {
				if !h.pass(delta, yield) {
					return
				}
				continue
			}
			_, finished := chunk.(llm.Finish)
			if (finished || err != nil) && !h.release(finished, s, yield) {
				return
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// mend decides about one complete call: whether its arguments are as they must
// be, or can be mended.
func (s *structured) mend(arguments string) (string, verdict) {
	raw := arguments
	if strings.TrimSpace(raw) == "" {
		raw = "{}"
	}
	if !json.Valid([]byte(raw)) {
		return "", refusedCall
	}
	value, repairs, ok := s.schema.Repair(json.RawMessage(raw))
	switch {
	case !ok:
		return "", refusedCall
	case repairs == 0:
		return "", soundCall
	}
	s.mended = append(s.mended, mending{Raw: arguments, Mended: string(value), Repairs: repairs})
	return string(value), mendedCall
}

// verdict is what a call of the tool for the result is.
type verdict int

const (
	soundCall verdict = iota
	mendedCall
	refusedCall
)

// held keeps the calls of one answer that are not passed on yet.
type held struct {
	calls  map[int]*heldCall // by the index of the block
	passed map[int]bool      // calls of other tools
}

// heldCall is a call of the tool for the result, or of one not named yet.
type heldCall struct {
	id, name, arguments string
	deltas              []llm.ToolCallDelta
}

// pass takes one part of a call. It is false when nobody listens any more.
func (h *held) pass(d llm.ToolCallDelta, yield func(llm.Chunk, error) bool) bool {
	if h.passed[d.Index] {
		return yield(d, nil)
	}
	c := h.calls[d.Index]
	if c == nil {
		c = &heldCall{}
		h.calls[d.Index] = c
	}
	if c.id == "" {
		c.id = d.ID
	}
	if c.name == "" {
		c.name = d.Name
	}
	c.arguments += d.Arguments
	c.deltas = append(c.deltas, d)
	if c.name == "" || c.name == toolName {
		return true
	}
	h.passed[d.Index] = true
	delete(h.calls, d.Index)
	return c.emit(yield)
}

// emit passes the parts on as they came.
func (c *heldCall) emit(yield func(llm.Chunk, error) bool) bool {
	for _, d := range c.deltas {
		if !yield(d, nil) {
			return false
		}
	}
	return true
}

// release passes on what was held: of a complete answer with mended arguments,
// of one that broke off as it came.
func (h *held) release(complete bool, s *structured, yield func(llm.Chunk, error) bool) bool {
	refused := false
	for _, i := range slices.Sorted(maps.Keys(h.calls)) {
		c := h.calls[i]
		if complete && c.name == toolName {
			text, v := s.mend(c.arguments)
			refused = refused || v == refusedCall
			if v == mendedCall {
				c.deltas = []llm.ToolCallDelta{{Index: i, ID: c.id, Name: c.name, Arguments: text}}
			}
		}
		if !c.emit(yield) {
			return false
		}
	}
	if refused {
		s.rejections++
	}
	clear(h.calls)
	return true
}
