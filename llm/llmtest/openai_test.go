package llmtest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/llm/openai"
)

// overHTTP returns a model that asks the server.
func overHTTP(t *testing.T, s *Server, profile string) llm.Model {
	t.Helper()
	known, ok := openai.ProfileNamed(profile)
	if !ok {
		t.Fatalf("no profile %q", profile)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	m, err := openai.New(openai.Config{BaseURL: s.URL, Key: "secret", Profile: known, HTTP: transport, Stall: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestOpenAIKeepsTheContract(t *testing.T) {
	for _, profile := range []string{"openai", "deepseek"} {
		t.Run(profile, func(t *testing.T) {
			Run(t, func(t *testing.T) llm.Model {
				s := Start(t, Options{Key: "secret", Models: []string{"mock"}, StrictHistory: true, DeepSeek: profile == "deepseek"})
				return overHTTP(t, s, profile)
			})
		})
	}
}

// Odd framing changes nothing.
func TestOpenAIReadsOddFraming(t *testing.T) {
	m := overHTTP(t, Start(t, Options{}), "openai")
	const answer = `"reasoning":"thinking über alles","text":"a text that takes several events ✓","tools":[{"name":"f","args":{"x":"ü"},"id":"a"},{"name":"g","id":"b"}]`
	want := read(t, m, t.Context(), play(`[{`+answer+`}]`)).asm.Blocks()
	for _, odd := range []string{
		`"keepalives":1000`, `"crlf":true`, `"noSpace":true`, `"chunk":1`, `"chunk":3,"crlf":true,"splitArgs":true,"noSpace":true`,
		`"noDone":true`, `"finish":null`, `"usage":null`, `"usage":"many"`, `"usage":false`, `"usage":{"prompt_tokens":-1}`, `"cut":-1`,
		`"deltas":[{"tool_calls":[]},{"tool_calls":null},{}]`,
	} {
		t.Run(odd, func(t *testing.T) {
			r := read(t, m, t.Context(), play(`[{`+answer+`,`+odd+`}]`))
			if r.err != nil {
				t.Fatal(r.err)
			}
			if diff := cmp.Diff(want, r.asm.Blocks()); diff != "" {
				t.Error("(-plain +odd):\n", diff)
			}
			if usage, ok := r.asm.Usage(); !ok || usage.InputTokens+usage.CacheReadTokens <= 0 {
				t.Errorf("usage %+v, %t", usage, ok)
			}
		})
	}
}

// proves: C19
func TestOpenAIReadsOddLines(t *testing.T) {
	m := overHTTP(t, Start(t, Options{}), "openai")
	events := []string{
		`{"id":"x","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`,
		`{"id":"x","model":"m","choices":[{"index":0,"delta":{"content":"some "},"finish_reason":null}]}`,
		`{"id":"x","model":"m","choices":[{"index":0,"delta":{"content":"text"},"finish_reason":"stop"}]}`,
	}
	plain := func(write func(data string) []string, end ...string) []string {
		var lines []string
		for _, e := range events {
			lines = append(lines, write(e)...)
		}
		return append(lines, end...)
	}
	data := func(d string) []string { return []string{"data: " + d, ""} }
	between := func(odd ...string) []string {
		return plain(func(d string) []string { return append(data(d), odd...) }, "data: [DONE]", "")
	}
	comments := make([]string, 0, 2000)
	for range 1000 {
		comments = append(comments, ": ka", "")
	}
	for name, c := range map[string]struct {
		lines []string
		more  string // further parts of the step
	}{
		"plain":                   {lines: between()},
		"comments":                {lines: between(comments...)},
		"empty data":              {lines: between("data:", "", "data: ", "")},
		"empty event":             {lines: between("", "", "")},
		"ping":                    {lines: between("event: ping", "data: {}", "")},
		"keepalive object":        {lines: between(`data: {"type":"keepalive"}`, "")},
		"other fields":            {lines: between("id: 7", "retry: 100", "event: message", "unknown: x", "")},
		"fields of an event":      {lines: plain(func(d string) []string { return []string{"id: 1", "event: message", "data: " + d, "retry: 5", ""} }, "data: [DONE]", "")},
		"CR LF":                   {lines: between(), more: `,"crlf":true`},
		"no space":                {lines: plain(func(d string) []string { return []string{"data:" + d, ""} }, "data:[DONE]", "")},
		"data of several lines":   {lines: plain(func(d string) []string { return []string{"data: " + d[:9], "data: " + d[9:], ""} }, "data: [DONE]", "")},
		"no newline at the end":   {lines: plain(data, "data: [DONE]"), more: `,"cut":-1`},
		"no end mark":             {lines: plain(data)},
		"no end mark, no newline": {lines: plain(data)[:5], more: `,"cut":-1`},
		"byte by byte":            {lines: between(": ka", ""), more: `,"chunk":1`},
	} {
		t.Run(name, func(t *testing.T) {
			lines, err := json.Marshal(c.lines)
			if err != nil {
				t.Fatal(err)
			}
			r := read(t, m, t.Context(), play(`[{"rawLines":`+string(lines)+c.more+`}]`))
			if r.err != nil {
				t.Fatal(r.err)
			}
			if diff := cmp.Diff([]llm.Block{llm.Text{Text: "some text"}}, r.asm.Blocks()); diff != "" || r.asm.Finish().Reason != llm.FinishStop {
				t.Error("(-plain +odd):\n", diff, r.asm.Finish())
			}
		})
	}
}

// An end without evidence is no answer, wherever it falls.
func TestOpenAIWantsEvidenceOfTheEnd(t *testing.T) {
	m := overHTTP(t, Start(t, Options{}), "openai")
	for _, step := range []string{
		`{"text":"words","finish":null,"noDone":true,"usage":false}`,
		`{"tool":"write","args":{"path":"a.txt","content":"b"},"cut":-700}`,
		`{"text":"words","cut":500}`,
		`{"text":"words","cut":3}`,
	} {
		r := read(t, m, t.Context(), play("["+step+"]"))
		if r.err == nil {
			t.Errorf("%s: taken for an answer: %v", step, r.asm.Blocks())
		}
	}
}

// The schema agent of a thinking model: the reasoning goes back as it came.
func TestOpenAIPassesThinkingBack(t *testing.T) {
	for _, reasoning := range []string{`"let me see\nüber"`, `""`} {
		s := Start(t, Options{StrictHistory: true, DeepSeek: true})
		m := overHTTP(t, s, "deepseek")
		req := play(`[{"reasoning":` + reasoning + `,"tools":[{"name":"f","args":{}},{"name":"f","args":{"x":1}}]},{"reasoning":` + reasoning + `,"tool":"f"},{"text":"done"}]`)
		req.Tools = []llm.ToolSpec{{Name: "f", Description: "Does it.", Parameters: json.RawMessage(`{"type":"object"}`)}}
		for range 3 {
			r := read(t, m, t.Context(), req)
			if r.err != nil {
				t.Fatal(reasoning, r.err)
			}
			req.Messages = append(req.Messages, llm.Message{Role: llm.RoleAssistant, Content: r.asm.Blocks(), Source: llm.Source{Kind: llm.SourceModel}})
			for _, b := range r.asm.Blocks() {
				if c, ok := b.(llm.ToolCall); ok {
					req.Messages = append(req.Messages, llm.Message{Role: llm.RoleUser, Source: llm.Source{Kind: llm.SourceTool, CallID: c.ID},
						Content: []llm.Block{llm.ToolResult{ToolCallID: c.ID}}})
				}
			}
		}
		if last := s.Requests()[2]; !strings.Contains(string(last.Body), `"reasoning_content":`+reasoning) {
			t.Errorf("%s", last.Body)
		}
	}
}
