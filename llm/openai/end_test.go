package openai

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/llm"
)

const callStart = `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"write","arguments":"{\"p\":\"x"}}]}}]}`

// proves: C20, A304, A312
func TestC20EndNeedsEvidence(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"after text":         {data(textEvent("half")), "text half | ! STREAM_CLOSED"},
		"in a data line":     {data(textEvent("half")) + `data: {"choices":[{"del`, "text half | ! STREAM_CLOSED"},
		"in the prefix":      {data(textEvent("half")) + `dat`, "text half | ! STREAM_CLOSED"},
		"in arguments":       {data(callStart), `call a write {"p":"x | ! STREAM_CLOSED`},
		"page":               {"<!doctype html><h1>Bad   gateway</h1>", "! MALFORMED_RESPONSE"},
		"bare error":         {`{"error":{"message":"overloaded","type":"server_error"}}`, "! SERVER"},
		"bare error text":    {` {"error":"quota: insufficient_quota"}`, "! QUOTA"},
		"bare JSON":          {`{"ok":true}`, "! MALFORMED_RESPONSE"},
		"cut bare JSON":      {`{"choices":[{"message":{"content":"x"`, "! MALFORMED_RESPONSE"},
		"nothing":            {"", "! STREAM_CLOSED"},
		"comments only":      {": ka\n\n", "! STREAM_CLOSED"},
		"end mark":           {data(textEvent("all"), done), "text all | stop"},
		"end mark and calls": {data(callStart, done), `call a write {"p":"x | tool-calls`},
		"usage last":         {data(textEvent("all"), stopEvent, usageEvent), "text all | stop"},
		"finish last":        {data(textEvent("all"), stopEvent), "text all | stop"},
		"cut after finish":   {data(textEvent("all"), stopEvent) + `data: {"cho`, "text all | stop"},
		"finish twice":       {data(textEvent("all"), stopEvent, stopEvent, done), "text all | stop"},
		"two finishes":       {data(textEvent("all"), `{"choices":[{"delta":{},"finish_reason":"length"}]}`, stopEvent, done), "text all | max-tokens"},
		"garbage":            {data(textEvent("half"), "garbage"), "text half | ! MALFORMED_RESPONSE"},
		"number":             {data("7"), "! MALFORMED_RESPONSE"},
		"error in between":   {data(textEvent("half"), `{"error":{"message":"x","type":"rate_limit_error"}}`), "text half | ! RATE_LIMIT"},
		"error event":        {data(textEvent("half")) + "event: error\ndata: {\"message\":\"busy\"}\n\n", "text half | ! SERVER"},
		"error in a choice":  {data(`{"choices":[{"delta":{},"error":{"code":502,"message":"x"},"finish_reason":"error"}]}`), "! SERVER"},
		"filter":             {data(`{"choices":[{"delta":{},"finish_reason":"content_filter"}]}`), "refusal"},
		"refusal":            {data(`{"choices":[{"delta":{"refusal":"no"}}]}`, stopEvent), "text no | refusal"},
		"overload":           {data(`{"choices":[{"delta":{},"finish_reason":"insufficient_system_resource"}]}`), "! SERVER"},
		"unknown finish":     {data(`{"choices":[{"delta":{},"finish_reason":"tired"}]}`), "! TIRED"},
		"other words":        {data(textEvent("a"), `{"choices":[{"delta":{},"finish_reason":"end_turn"}]}`), "text a | stop"},
		"completion":         {`{"object":"chat.completion","model":"s","choices":[{"index":0,"message":{"role":"assistant","content":"all","reasoning_content":"r"},"finish_reason":"stop"}]}`, "reasoning r | text all | stop"},
		"completion, calls": {`{"choices":[{"message":{"content":null,"tool_calls":[{"id":"","function":{"name":"a","arguments":""}},{"id":"","function":{"name":"a","arguments":"{}"}}]},"finish_reason":"stop"}]}`,
			"call call-0 a  | call call-1 a {} | tool-calls"},
		"completion, no calls": {`{"choices":[{"message":{"content":"x","tool_calls":[{}]},"finish_reason":"stop"}]}`, "text x | stop"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := play(t, c.body).text(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	page := play(t, "<html>\n<b>Bad\tgateway</b>")
	if !strings.Contains(page.err.Message, "<html> <b>Bad gateway</b>") {
		t.Errorf("no excerpt in %q", page.err)
	}
}

// proves: A315
func TestEmptyAnswers(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"stop":           {data(textEvent(""), stopEvent, usageEvent, done), "! EMPTY_RESPONSE"},
		"end mark":       {data(usageEvent, done), "! EMPTY_RESPONSE"},
		"no calls":       {data(`{"choices":[{"delta":{"tool_calls":[]},"finish_reason":"tool_calls"}]}`, usageEvent), "! EMPTY_RESPONSE"},
		"reasoning only": {data(`{"choices":[{"delta":{"content":null,"reasoning_content":"r"}}]}`, stopEvent, usageEvent), "reasoning r | stop"},
		"length":         {data(`{"choices":[{"delta":{},"finish_reason":"length"}]}`, usageEvent), "max-tokens"},
	} {
		t.Run(name, func(t *testing.T) {
			a := play(t, c.body)
			if a.text() != c.want {
				t.Errorf("got %q, want %q", a.text(), c.want)
			}
			if u, ok := a.Usage(); !ok || u.OutputTokens != 4 {
				t.Errorf("usage %+v %v", u, ok)
			}
		})
	}
}

// proves: A314
func TestUsage(t *testing.T) {
	estimated := llm.EstimateRequest(question("hi"))
	for raw, want := range map[string]llm.Usage{
		`{"prompt_tokens":10,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":6},"prompt_cache_hit_tokens":9}`: {InputTokens: 4, CacheReadTokens: 6, OutputTokens: 4},
		`{"prompt_tokens":10,"completion_tokens":4,"prompt_tokens_details":null,"prompt_cache_hit_tokens":9}`:                {InputTokens: 1, CacheReadTokens: 9, OutputTokens: 4},
		`{"prompt_tokens":10,"completion_tokens":4,"completion_tokens_details":{"reasoning_tokens":3}}`:                      {InputTokens: 10, OutputTokens: 4, ReasoningTokens: 3},
		`{"prompt_tokens":10,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":2,"cache_write_tokens":3}}`:      {InputTokens: 5, CacheReadTokens: 2, CacheWriteTokens: 3, OutputTokens: 4},
		// The rest is what servers should not send.
		`null`: {InputTokens: estimated, OutputTokens: 2, Estimated: true},
		`"?"`:  {InputTokens: estimated, OutputTokens: 2, Estimated: true},
		`{}`:   {InputTokens: estimated, OutputTokens: 2, Estimated: true},
		`{"prompt_tokens":"10","completion_tokens":"4"}`:                                                                  {InputTokens: estimated, OutputTokens: 2, Estimated: true},
		`{"prompt_tokens":-10,"completion_tokens":4}`:                                                                     {InputTokens: estimated, OutputTokens: 4, Estimated: true},
		`{"prompt_tokens":10,"completion_tokens":-4}`:                                                                     {InputTokens: 10, OutputTokens: 2, Estimated: true},
		`{"prompt_tokens":0,"completion_tokens":0}`:                                                                       {InputTokens: estimated, OutputTokens: 2, Estimated: true},
		`{"prompt_tokens":10,"completion_tokens":4,"prompt_cache_hit_tokens":11}`:                                         {CacheReadTokens: 10, OutputTokens: 4, Estimated: true},
		`{"prompt_tokens":10,"completion_tokens":4,"prompt_cache_hit_tokens":"3","prompt_tokens_details":[]}`:             {InputTokens: 10, OutputTokens: 4, Estimated: true},
		`{"prompt_tokens":10,"completion_tokens":4,"completion_tokens_details":{"reasoning_tokens":5}}`:                   {InputTokens: 10, OutputTokens: 4, ReasoningTokens: 4, Estimated: true},
		`{"prompt_tokens":1e300,"completion_tokens":4.0}`:                                                                 {InputTokens: estimated, OutputTokens: 4, Estimated: true},
		`{"prompt_tokens":10,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":2,"cache_write_tokens":300}}`: {CacheReadTokens: 2, CacheWriteTokens: 8, OutputTokens: 4, Estimated: true},
	} {
		a := play(t, data(textEvent("12345678"), stopEvent, `{"choices":[],"usage":`+raw+`}`, done))
		if u, ok := a.Usage(); !ok || u != want || a.err != nil {
			t.Errorf("%s: %+v %v, want %+v", raw, u, a.err, want)
		}
	}
	missing := play(t, data(textEvent("12345678"), stopEvent, done))
	if u, _ := missing.Usage(); !u.Estimated || u.OutputTokens != 2 {
		t.Errorf("missing: %+v", u)
	}
	attached := play(t, data(`{"choices":[{"delta":{"content":"12345678"},"finish_reason":"stop","usage":{"prompt_tokens":3,"completion_tokens":4}}]}`))
	if u, _ := attached.Usage(); u != (llm.Usage{InputTokens: 3, OutputTokens: 4}) {
		t.Errorf("attached: %+v", u)
	}
}

// proves: A313
func TestOrderAtTheEnd(t *testing.T) {
	a := play(t, data(textEvent("a"), stopEvent, usageEvent, done))
	n := len(a.chunks)
	if _, ok := a.chunks[n-1].(llm.Finish); !ok {
		t.Errorf("last is %#v", a.chunks[n-1])
	}
	if _, ok := a.chunks[n-2].(llm.UsageReport); !ok {
		t.Errorf("before it is %#v", a.chunks[n-2])
	}
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "r-1")
		w.Write([]byte(data(textEvent("a"), stopEvent)))
	})
	if got := ask(t.Context(), m, question("x")).Finish().RequestID; got != "r-1" {
		t.Errorf("request id %q", got)
	}
}
