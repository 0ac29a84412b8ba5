package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/llm"
)

// answer is everything that one request gave.
type answer struct {
	llm.Assembler
	chunks []llm.Chunk
	err    *llm.Error
}

// text returns the answer in one line: blocks, then how it ended.
func (a *answer) text() string {
	var out []string
	for _, b := range a.Blocks() {
		switch b := b.(type) {
		case llm.Text:
			out = append(out, "text "+b.Text)
		case llm.Reasoning:
			out = append(out, "reasoning "+b.Text)
		case llm.ToolCall:
			out = append(out, fmt.Sprintf("call %s %s %s", b.ID, b.Name, b.Arguments))
		}
	}
	if a.err != nil {
		return strings.Join(append(out, "! "+string(a.err.Kind)), " | ")
	}
	return strings.Join(append(out, string(a.Finish().Reason)), " | ")
}

func ask(ctx context.Context, m *Model, req llm.Request) *answer {
	a := &answer{}
	for c, err := range m.Stream(ctx, req) {
		if err != nil {
			errors.As(err, &a.err)
			continue
		}
		a.chunks = append(a.chunks, c)
		a.Add(c)
	}
	return a
}

func question(text string) llm.Request {
	return llm.Request{
		Config:   llm.Config{Model: "m"},
		Messages: []llm.Message{{Role: llm.RoleUser, Content: []llm.Block{llm.Text{Text: text}}}},
	}
}

// serve starts a server and returns a model that talks to it.
func serve(t *testing.T, h http.HandlerFunc) *Model {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	m, err := New(Config{Provider: "test", BaseURL: s.URL + "/v1", Key: "secret-key-of-the-test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// play returns what a model makes of a literal body.
func play(t *testing.T, body string) *answer {
	t.Helper()
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, body)
	})
	return ask(t.Context(), m, question("hi"))
}

// data frames events the ordinary way.
func data(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString("data: " + e + "\n\n")
	}
	return b.String()
}

func textEvent(s string) string {
	return `{"choices":[{"index":0,"delta":{"content":` + string(llm.AppendString(nil, s)) + `},"finish_reason":null}]}`
}

const (
	stopEvent  = `{"model":"served","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	callsEnd   = `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`
	usageEvent = `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":4,"prompt_cache_hit_tokens":3}}`
	done       = `[DONE]`
)

func TestPlainAnswer(t *testing.T) {
	a := play(t, data(
		`{"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning_content":""}}]}`,
		`{"choices":[{"index":0,"delta":{"reasoning_content":"think"}}]}`, textEvent("hel"), textEvent("lo"), stopEvent, usageEvent, done))
	if got, want := a.text(), "reasoning think | text hello | stop"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	u, _ := a.Usage()
	if u != (llm.Usage{InputTokens: 7, CacheReadTokens: 3, OutputTokens: 4}) {
		t.Errorf("usage %+v", u)
	}
	if a.Finish().Served != "served" {
		t.Errorf("served %q", a.Finish().Served)
	}
}
