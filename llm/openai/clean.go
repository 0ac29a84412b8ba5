package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/dsh-go/dsh-workflow/llm"
)

// The finish reasons of the clean stream.
const (
	reasonStop   = "stop"
	reasonCalls  = "tool_calls"
	reasonLength = "length"
	reasonFilter = "content_filter"
)

// cleanBody is the body that go-openai reads: one data line for each delta, one
// with the finish reason, and the end mark. It ends that way only if the answer
// is complete; otherwise Read fails with an [*llm.Error].
type cleanBody struct {
	model  *Model
	watch  *watchdog
	body   io.ReadCloser
	events eventReader
	calls  callTracker

	out     []byte // clean bytes out[off:] wait for Read
	off     int
	err     error
	sniffed bool
	said    bool // a delta has been handed on
	refused bool // a part of the text was a refusal
	served  string
	finish  string
	counted *counters // the last usable ones, nil if there were none
}

func newCleanBody(m *Model, body io.ReadCloser, watch *watchdog) *cleanBody {
	c := &cleanBody{model: m, watch: watch, body: body}
	c.events.src = watchedReader{body, watch}
	return c
}

// Read returns clean bytes, as soon as there are some.
func (c *cleanBody) Read(p []byte) (int, error) {
	for c.off == len(c.out) {
		if c.err != nil {
			return 0, c.err
		}
		c.out, c.off = c.out[:0], 0
		c.step()
	}
	n := copy(p, c.out[c.off:])
	c.off += n
	return n, nil
}

// Close ends the exchange. After a complete answer it reads what little is left
// so that the connection can be used again.
func (c *cleanBody) Close() error {
	if errors.Is(c.err, io.EOF) {
		c.watch.arm(drainGrace)
		_, _ = io.CopyN(io.Discard, c.body, drainBytes)
		c.watch.rest()
	}
	return c.body.Close()
}

// step reads one event and appends what it means to out, or sets err.
func (c *cleanBody) step() {
	if !c.sniffed {
		c.sniffed = true
		if first, err := c.events.first(); err == nil && strings.IndexByte("{[<", first) >= 0 {
			c.whole()
			return
		}
	}
	ev, err := c.events.next()
	switch {
	case err != nil && c.finish != "":
		c.complete()
	case errors.Is(err, errLongLine):
		c.err = c.model.fail(llm.CodeMalformed, err, "%s", err)
	case err != nil:
		c.err = c.cut(err)
	case bytes.Equal(ev.data, doneMark):
		c.complete()
	case ev.name == "ping" || ev.name == "keepalive" || ev.name == "keep-alive":
	case ev.name == "error":
		c.err = c.model.said(ev.data)
	case ev.cut && !json.Valid(ev.data):
		if c.finish != "" {
			c.complete()
			return
		}
		c.err = c.cut(io.ErrUnexpectedEOF)
	default:
		c.take(ev.data)
	}
}

// cut makes the error for a stream that ended without evidence of its end.
func (c *cleanBody) cut(err error) *llm.Error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return c.model.fail(llm.CodeStreamClosed, err, "the stream ended before the answer was complete")
}

// whole reads a body that is no event stream: a complete answer, an error
// object or a page of something in between.
func (c *cleanBody) whole() {
	body, err := c.events.rest()
	var probe struct {
		Choices []struct {
			Message json.RawMessage `json:"message"`
		} `json:"choices"`
		Error json.RawMessage `json:"error"`
	}
	valid := json.Unmarshal(body, &probe) == nil
	switch {
	case err != nil:
		c.err = c.cut(err)
	case valid && says(probe.Error):
		c.err = c.model.said(body)
	case valid && len(probe.Choices) > 0 && len(probe.Choices[0].Message) > 0:
		c.take(body)
		if c.err == nil {
			c.complete()
		}
	default:
		c.err = c.model.fail(llm.CodeMalformed, nil, "the answer is no event stream: %s", c.model.excerpt(string(body)))
	}
}

// take handles the data of one event.
func (c *cleanBody) take(data []byte) {
	var ev wireEvent
	if bytes.Equal(data, []byte("null")) {
		return
	}
	if err := json.Unmarshal(data, &ev); err != nil {
		c.malformed(err, data)
		return
	}
	if says(ev.Error) {
		c.err = c.model.said(data)
		return
	}
	if ev.Model != "" {
		c.served = string(ev.Model)
	}
	c.count(ev.Usage)
	for _, choice := range ev.Choices {
		if i := string(choice.Index); i != "" && i != "0" && i != "null" {
			continue // one answer was asked for
		}
		c.count(choice.Usage)
		if c.choose(choice, data); c.err != nil {
			return
		}
	}
}

func (c *cleanBody) malformed(err error, data []byte) {
	c.err = c.model.fail(llm.CodeMalformed, err, "the answer cannot be read: %s: %s", c.model.excerpt(err.Error()), c.model.excerpt(string(data)))
}

func (c *cleanBody) count(raw json.RawMessage) {
	if n, ok := readCounters(raw); ok {
		c.counted = &n
	}
}

func (c *cleanBody) choose(choice wireChoice, data []byte) {
	if says(choice.Error) {
		c.err = c.model.said(choice.Error)
		return
	}
	delta, whole := choice.Delta, false
	if delta == nil && !c.said {
		delta, whole = choice.Message, true
	}
	if delta != nil {
		if err := c.delta(delta, whole); err != nil {
			c.malformed(err, data)
			return
		}
	}
	if choice.Finish != "" && c.finish == "" {
		c.finished(string(choice.Finish))
	}
}

// delta appends a clean event for what the delta says, if it says anything.
func (c *cleanBody) delta(d *wireDelta, whole bool) error {
	reasoning := d.Reasoning
	if reasoning == "" {
		reasoning = d.Thoughts
	}
	if d.Refusal != "" {
		c.refused = true
	}
	start := len(c.out)
	c.out = append(c.out, deltaStart...)
	empty := len(c.out)
	c.member("reasoning_content", string(reasoning))
	c.member("content", string(d.Content+d.Refusal))
	var pieces []piece
	for _, call := range d.Calls {
		f, err := call.fragment()
		if err != nil {
			return err
		}
		p, ok, err := c.calls.take(f, whole)
		if err != nil {
			return err
		}
		if ok {
			pieces = append(pieces, p)
		}
	}
	c.pieces(pieces)
	if len(c.out) == empty {
		c.out = c.out[:start]
		return nil
	}
	c.out = append(c.out, deltaEnd...)
	c.said = true
	return nil
}

// What stands before and behind the members of a delta.
const (
	deltaStart = `data: {"choices":[{"index":0,"delta":{`
	deltaEnd   = "}}]}\n"
)

func (c *cleanBody) comma() {
	if c.out[len(c.out)-1] != '{' {
		c.out = append(c.out, ',')
	}
}

func (c *cleanBody) member(name, text string) {
	if text == "" {
		return
	}
	c.comma()
	c.out = append(llm.AppendString(c.out, name), ':')
	c.out = llm.AppendString(c.out, text)
}

// pieces appends the member tool_calls, if there are any.
func (c *cleanBody) pieces(pieces []piece) {
	for i, p := range pieces {
		c.comma()
		if i == 0 {
			c.out = append(c.out, `"tool_calls":[`...)
		}
		c.out = strconv.AppendInt(append(c.out, `{"index":`...), int64(p.slot), 10)
		c.out = append(c.out, `,"type":"function"`...)
		c.member("id", p.id)
		c.out = append(c.out, `,"function":{`...)
		c.member("name", p.name)
		c.member("arguments", p.arguments)
		c.out = append(c.out, "}}"...)
	}
	if len(pieces) > 0 {
		c.out = append(c.out, ']')
	}
}

// finished takes the server's reason to stop. From here the answer is complete,
// and the server has little time to send the counters and the end mark.
func (c *cleanBody) finished(reason string) {
	switch reason {
	case "stop", "end_turn", "eos", "eos_token", "stop_sequence":
		c.finish = reasonStop
	case "tool_calls", "tool_use", "function_call":
		c.finish = reasonCalls
	case "length", "max_tokens", "model_length":
		c.finish = reasonLength
	case "content_filter", "refusal", "safety":
		c.finish = reasonFilter
	case "error", "insufficient_system_resource":
		c.err = c.model.fail(llm.CodeServer, nil, "the server broke off with %s", reason)
		return
	default:
		code := llm.Code(strings.ToUpper(c.model.excerpt(reason)))
		c.err = c.model.fail(code, nil, "the server broke off with %s", c.model.excerpt(reason))
		return
	}
	c.watch.hurry(finishGrace)
}

// complete appends the end of a complete answer.
func (c *cleanBody) complete() {
	reason := c.finish
	switch {
	case reason == reasonLength || reason == reasonFilter:
	case len(c.calls.calls) > 0:
		if err := c.calls.check(); err != nil {
			c.err = c.model.fail(llm.CodeMalformed, err, "%s", err)
			return
		}
		reason = reasonCalls
	case c.refused:
		reason = reasonFilter
	default:
		reason = reasonStop
	}
	if held := c.calls.release(); len(held) > 0 {
		c.out = append(c.out, deltaStart...)
		c.pieces(held)
		c.out = append(c.out, deltaEnd...)
	}
	c.out = append(c.out, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"`...)
	c.out = append(append(c.out, reason...), `"}]`...)
	c.member("model", c.served)
	c.out = append(c.out, "}\ndata: [DONE]\n"...)
	c.err = io.EOF
}
