package openai

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"sync/atomic"
	"unicode/utf8"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/dsh-go/dsh-workflow/llm"
)

// maxRefusal bounds what is read of an answer that is an error, in bytes.
const maxRefusal = 64 << 10

// Stream implements [llm.Model].
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	var begun atomic.Bool
	return func(yield func(llm.Chunk, error) bool) {
		if begun.Swap(true) {
			yield(nil, refuse("an answer can be read once; ask again for another one"))
			return
		}
		body, err := Encode(req, m.config.Profile)
		if err == nil && m.config.Key == "" && m.config.Profile.NeedsKey {
			err = m.fail(llm.CodeMissingKey, nil, "no key is set")
		}
		if err != nil {
			yield(nil, err)
			return
		}
		stall := req.Stall
		if stall <= 0 {
			stall = m.config.Stall
		}
		inner, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		x := &exchange{model: m, body: body, watch: newWatchdog(stall, func() {
			cancel(m.fail(llm.CodeTimeout, nil, "no sign of life for %s", stall))
		})}
		defer x.watch.rest()
		// The request that the library encodes is thrown away, so it stays empty:
		// the library would refuse some models for fields that we do not use.
		stream, err := m.client(x).CreateChatCompletionStream(inner, goopenai.ChatCompletionRequest{})
		if err != nil {
			yield(nil, m.failure(ctx, inner, x, err))
			return
		}
		defer stream.Close()
		r := relay{exchange: x, request: req, yield: yield, text: -1, reasoning: -1, calls: map[int]int{}}
		if err := r.run(stream); err != nil {
			r.end(m.failure(ctx, inner, x, err))
		}
	}
}

// client returns the library's client on top of one exchange.
func (m *Model) client(x *exchange) *goopenai.Client {
	c := goopenai.DefaultConfig(m.config.Key)
	c.BaseURL = m.config.BaseURL
	c.HTTPClient = &http.Client{Transport: x}
	return goopenai.NewClientWithConfig(c)
}

// failure turns what ended a request into an [*llm.Error]. The caller's context
// comes first, then the watchdog, then what the exchange found.
func (m *Model) failure(outer, inner context.Context, x *exchange, err error) *llm.Error {
	if outer.Err() != nil {
		return m.fail(llm.CodeAborted, context.Cause(outer), "the request was aborted")
	}
	var failed *llm.Error
	if cause := context.Cause(inner); cause != nil && (errors.Is(err, context.Canceled) || errors.Is(err, cause)) {
		err = cause
	}
	if !errors.As(err, &failed) {
		general := llm.AsError(err)
		failed = m.fail(general.Kind, err, "%s: %s", general.Message, m.excerpt(llm.Chain(err)))
		if general.Kind == llm.CodeAborted {
			failed.Kind = llm.CodeTransport
		}
	}
	if failed.RequestID == "" {
		failed.RequestID = x.requestID
	}
	return failed
}

// exchange is the RoundTripper below one request: it sends the body that we
// encoded and returns an answer that the library can read.
type exchange struct {
	model     *Model
	body      []byte
	watch     *watchdog
	answer    *cleanBody // nil until the answer has begun
	requestID string
}

// RoundTrip implements [http.RoundTripper]. An answer that is not a success is
// an error of ours, so the library never reads one.
func (x *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
	out := req.Clone(req.Context())
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body)), nil }
	out.Body, _ = out.GetBody()
	out.ContentLength = int64(len(x.body))
	out.Header.Set("User-Agent", x.model.config.UserAgent)
	out.Header.Set("Accept-Encoding", "identity")
	x.watch.arm(x.watch.silence)
	resp, err := x.model.base.RoundTrip(out)
	x.watch.rest()
	if err != nil {
		return nil, err
	}
	x.requestID = requestID(resp.Header)
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		// What could not be read of an error's text is not worth another error.
		text, _ := io.ReadAll(io.LimitReader(watchedReader{resp.Body, x.watch}, maxRefusal))
		return nil, x.model.refused(resp.StatusCode, resp.Header, text)
	}
	x.answer = newCleanBody(x.model, resp.Body, x.watch)
	resp.Body = x.answer
	resp.ContentLength = -1
	return resp, nil
}

// relay turns the library's chunks into ours. There is one block of text and
// one of reasoning, and one for each tool call, numbered as they begin.
type relay struct {
	exchange        *exchange
	request         llm.Request
	yield           func(llm.Chunk, error) bool
	blocks          int
	text, reasoning int         // blocks, -1 before they begin
	calls           map[int]int // block of each call
	output          int         // characters of the answer
	finish          goopenai.FinishReason
	served          string
	stopped         bool
}

// run hands on the chunks. It returns the failure of a stream that did not end
// well, and nil when all is said or nobody listens any more.
func (r *relay) run(stream *goopenai.ChatCompletionStream) error {
	for !r.stopped {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) && r.finish != "" {
			r.end(nil)
			return nil
		}
		if err != nil {
			return err
		}
		for _, choice := range chunk.Choices {
			r.delta(choice.Delta)
			if choice.FinishReason != "" {
				r.finish, r.served = choice.FinishReason, chunk.Model
			}
		}
	}
	return nil
}

func (r *relay) emit(c llm.Chunk) {
	if !r.stopped && !r.yield(c, nil) {
		r.stopped = true
	}
}

func (r *relay) open(block *int) int {
	if *block < 0 {
		*block = r.blocks
		r.blocks++
	}
	return *block
}

func (r *relay) delta(d goopenai.ChatCompletionStreamChoiceDelta) {
	r.output += utf8.RuneCountInString(d.ReasoningContent) + utf8.RuneCountInString(d.Content)
	if d.ReasoningContent != "" {
		r.emit(llm.ReasoningDelta{Index: r.open(&r.reasoning), Text: d.ReasoningContent})
	}
	if d.Content != "" {
		r.emit(llm.TextDelta{Index: r.open(&r.text), Text: d.Content})
	}
	for _, c := range d.ToolCalls {
		if c.Index == nil {
			continue // the clean stream numbers every call
		}
		block, known := r.calls[*c.Index]
		if !known {
			block = -1
			r.calls[*c.Index] = r.open(&block)
		}
		r.output += utf8.RuneCountInString(c.Function.Name) + utf8.RuneCountInString(c.Function.Arguments)
		r.emit(llm.ToolCallDelta{Index: block, ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
}

// end yields the counters and then how the answer ended. After a failure the
// counters are yielded only if the provider sent some.
func (r *relay) end(failed *llm.Error) {
	var counted *counters
	if r.exchange.answer != nil {
		counted = r.exchange.answer.counted
	}
	if failed == nil && counted == nil {
		counted = &counters{prompt: unknownCount, completion: unknownCount}
	}
	if counted != nil {
		r.emit(llm.UsageReport{Usage: counted.settle(r.request, r.output)})
	}
	reason := finishReason(r.finish)
	if failed == nil && r.blocks == 0 && (reason == llm.FinishStop || reason == llm.FinishToolCalls) {
		failed = r.exchange.model.fail(llm.CodeEmpty, nil, "the answer is empty")
		failed.RequestID = r.exchange.requestID
	}
	if failed != nil {
		if !r.stopped {
			r.stopped = true
			r.yield(nil, failed)
		}
		return
	}
	r.emit(llm.Finish{Reason: reason, Served: r.served, RequestID: r.exchange.requestID})
}

func finishReason(reason goopenai.FinishReason) llm.FinishReason {
	switch reason {
	case reasonCalls:
		return llm.FinishToolCalls
	case reasonLength:
		return llm.FinishMaxTokens
	case reasonFilter:
		return llm.FinishRefusal
	}
	return llm.FinishStop
}
