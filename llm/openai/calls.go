package openai

import (
	"errors"
	"strings"
)

// maxCalls bounds the tool calls of one answer.
const maxCalls = 1024

// fragment is one entry of a delta's tool_calls. An empty member was absent.
type fragment struct{ index, id, name, arguments string }

// piece is a fragment that has found its call: slot numbers the calls from 0 in
// the order in which they began. ID and name are set once.
type piece struct {
	slot                int
	id, name, arguments string
}

// callTracker finds the call that a fragment continues. Servers disagree about
// index and id: some give every call index 0, some leave one or both out, some
// repeat the id or the name on each fragment. Where two readings are possible
// it fails, because arguments glued to the wrong call would be run.
type callTracker struct {
	calls   []*trackedCall
	byIndex map[string]*trackedCall // the latest call with that index
	byID    map[string]*trackedCall // the latest call with that id
}

type trackedCall struct {
	slot            int
	index, id, name string
	arguments       strings.Builder
	edge            jsonEdge
	// held is set while {} is all that came: some servers open every call with
	// it and send the arguments behind it.
	held bool
	// rival is an earlier call with the same index whose arguments had begun but
	// not ended when this one began.
	rival *trackedCall
}

var (
	errStrayFragment = errors.New("a fragment of a tool call belongs to no call")
	errTwoReadings   = errors.New("a fragment of a tool call could belong to two calls")
	errTwoValues     = errors.New("a tool call has more than one value as its arguments")
	errManyCalls     = errors.New("an answer has more than 1024 tool calls")
	errNoName        = errors.New("a tool call has no name")
)

// take returns the piece that the fragment is, and false if it says nothing.
// whole is set for calls that come complete, not in fragments.
func (t *callTracker) take(f fragment, whole bool) (piece, bool, error) {
	if f == (fragment{index: f.index}) {
		return piece{}, false, nil
	}
	c, err := t.find(f, whole)
	if err != nil || c == nil {
		return piece{}, false, err
	}
	p := piece{slot: c.slot}
	if c.id == "" && f.id != "" {
		c.id = f.id
		// An id that another call has is left out: each call of an answer gets
		// results of its own.
		if t.byID[f.id] == nil {
			p.id, t.byID[f.id] = f.id, c
		}
	}
	if c.name == "" && f.name != "" {
		c.name, p.name = f.name, f.name
	}
	p.arguments, err = c.extend(f.arguments, whole)
	return p, err == nil && p != piece{slot: c.slot}, err
}

// extend appends to the arguments of a call and returns what is to be handed
// on: the text, or nothing if the server said it before or may take it back.
func (c *trackedCall) extend(text string, whole bool) (string, error) {
	said := strings.TrimSpace(text)
	if c.held && said != "" && said != emptyObject {
		if said[0] != '{' {
			return "", errTwoValues
		}
		c.held, c.edge = false, jsonEdge{}
		c.arguments.Reset()
	}
	if c.edge.closed && said != "" {
		if text != c.arguments.String() {
			return "", errTwoValues
		}
		return "", nil // the server says everything twice
	}
	c.arguments.WriteString(text)
	c.edge.feed(text)
	if !whole && text == emptyObject && c.arguments.Len() == len(text) {
		c.held = true
		return "", nil
	}
	if c.held {
		return "", nil
	}
	return text, nil
}

const emptyObject = "{}"

// release returns what was held back, when the answer is complete.
func (t *callTracker) release() []piece {
	var pieces []piece
	for _, c := range t.calls {
		if c.held {
			c.held = false
			pieces = append(pieces, piece{slot: c.slot, arguments: c.arguments.String()})
		}
	}
	return pieces
}

// find returns the call that f continues or begins.
func (t *callTracker) find(f fragment, whole bool) (*trackedCall, error) {
	if whole {
		return t.open(f)
	}
	current := t.byIndex[f.index]
	if f.index == "" && len(t.calls) > 0 {
		current = t.calls[len(t.calls)-1]
	}
	if f.id != "" {
		if current != nil && current.id == f.id {
			return current, nil
		}
		if c := t.byID[f.id]; c != nil && (f.index == "" || c.index == "" || c.index == f.index) {
			return c, nil
		}
		if current == nil || current.id != "" || t.begins(current, f) {
			return t.open(f)
		}
		return current, nil
	}
	switch {
	case current == nil && f.name == "" && f.index == "":
		if strings.TrimSpace(f.arguments) == "" {
			return nil, nil
		}
		return nil, errStrayFragment
	case current == nil || t.begins(current, f):
		return t.open(f)
	case f.name != "" && current.name != "" && f.name != current.name:
		return nil, errTwoReadings
	case current.rival != nil && !current.rival.edge.closed && f.arguments != "":
		return nil, errTwoReadings
	}
	return current, nil
}

// begins reports whether a fragment with a name is the start of a call of its
// own, told by the end of the current one's arguments.
func (t *callTracker) begins(current *trackedCall, f fragment) bool {
	if f.name == "" || current.name == "" || !current.edge.closed {
		return false
	}
	if f.name != current.name {
		return true
	}
	return f.arguments != "" && f.arguments != current.arguments.String()
}

func (t *callTracker) open(f fragment) (*trackedCall, error) {
	if len(t.calls) == maxCalls {
		return nil, errManyCalls
	}
	if t.byIndex == nil {
		t.byIndex, t.byID = map[string]*trackedCall{}, map[string]*trackedCall{}
	}
	c := &trackedCall{slot: len(t.calls), index: f.index}
	if before := t.byIndex[f.index]; before != nil && before.edge.begun && !before.edge.closed {
		c.rival = before
	}
	t.byIndex[f.index] = c
	t.calls = append(t.calls, c)
	return c, nil
}

// check fails if a call cannot be run because nobody said which tool it means.
func (t *callTracker) check() error {
	for _, c := range t.calls {
		if c.name == "" {
			return errNoName
		}
	}
	return nil
}

// jsonEdge follows a JSON object or array that comes in fragments and knows
// when it has ended.
type jsonEdge struct {
	begun, closed     bool
	inString, escaped bool
	depth             int
}

func (e *jsonEdge) feed(s string) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case e.escaped:
			e.escaped = false
		case e.inString:
			e.escaped = c == '\\'
			e.inString = c != '"'
		case c == '"':
			e.inString, e.begun = true, true
		case c == '{' || c == '[':
			e.depth++
			e.begun = true
		case c == '}' || c == ']':
			e.depth--
			e.closed = e.closed || e.depth <= 0
		case c > ' ':
			e.begun = true
		}
	}
}
