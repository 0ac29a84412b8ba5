package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/llm"
)

// patience is how long the suite waits for what should happen at once.
const patience = 5 * time.Second

// Run checks that a model keeps the contract of [llm.Model]. The models that
// factory makes must play the scripts of package sim, as those behind a [Server]
// do, answer to any model name, and not try again by themselves.
func Run(t *testing.T, factory func(t *testing.T) llm.Model) {
	for _, c := range []struct {
		name  string
		check func(*testing.T, llm.Model)
	}{
		{"blocks in order, usage, finish", checkOrder},
		{"finish reasons", checkFinish},
		{"no answer without content", checkEmpty},
		{"breaking out cancels", checkBreak},
		{"context cancels", checkCancel},
		{"a cancelled context starts nothing", checkCancelled},
		{"an error comes last", checkErrorLast},
		{"classes of refusals", checkClasses},
		{"broken streams", checkBroken},
		{"silence ends a request", checkStall},
		{"a second range", checkOnce},
		{"tool call and result", checkRoundTrip},
		{"structured output", checkCapture},
		{"many at once", checkConcurrent},
	} {
		t.Run(c.name, func(t *testing.T) { c.check(t, factory(t)) })
	}
}

// reply is one answer, read to its end.
type reply struct {
	chunks []llm.Chunk
	err    *llm.Error
	asm    llm.Assembler
}

// read ranges over an answer and checks what holds for every one of them.
func read(t *testing.T, m llm.Model, ctx context.Context, req llm.Request) *reply {
	t.Helper()
	r := new(reply)
	finished := false
	for chunk, err := range m.Stream(ctx, req) {
		switch {
		case r.err != nil:
			t.Fatalf("something after the error %v: %#v, %v", r.err, chunk, err)
		case finished:
			t.Fatalf("something after the finish: %#v, %v", chunk, err)
		case err != nil:
			if chunk != nil {
				t.Fatalf("an error with a chunk: %#v, %v", chunk, err)
			}
			if !errors.As(err, &r.err) {
				t.Fatalf("error of type %T, not *llm.Error: %v", err, err)
			}
			continue
		case chunk == nil:
			t.Fatal("neither chunk nor error")
		}
		_, finished = chunk.(llm.Finish)
		r.chunks = append(r.chunks, chunk)
		r.asm.Add(chunk)
	}
	if r.err == nil && !finished {
		t.Fatal("an answer without finish or error")
	}
	return r
}

func play(script string) llm.Request {
	return llm.Request{
		Config:   llm.Config{Model: "mock"},
		System:   "You are being tested.",
		Messages: []llm.Message{said("@@mock " + script)},
		Stall:    30 * time.Second,
	}
}

func said(text string) llm.Message {
	return llm.Message{ID: "m-" + text, Role: llm.RoleUser, Content: []llm.Block{llm.Text{Text: text}}, Source: llm.Source{Kind: llm.SourceUser}}
}

func (r *reply) want(t *testing.T, code llm.Code) {
	t.Helper()
	if r.err == nil {
		t.Fatalf("an answer, not the error %s: %v", code, r.asm.Blocks())
	}
	if r.err.Kind != code {
		t.Fatalf("error %s (%v), want %s", r.err.Kind, r.err, code)
	}
}

func checkOrder(t *testing.T, m llm.Model) {
	r := read(t, m, t.Context(), play(`[{"reasoning":"think about it at some length, über alles","text":"a text that takes more than one event ✓",
		"tools":[{"name":"bash","args":{"command":"ls"},"id":"one"},{"name":"read","args":{"path":"ü"},"id":"two"}],"splitArgs":true}]`))
	if r.err != nil {
		t.Fatal(r.err)
	}
	want := []llm.Block{
		llm.Reasoning{Text: "think about it at some length, über alles"},
		llm.Text{Text: "a text that takes more than one event ✓"},
		llm.ToolCall{ID: "one", Name: "bash", Arguments: `{"command":"ls"}`},
		llm.ToolCall{ID: "two", Name: "read", Arguments: `{"path":"ü"}`},
	}
	if diff := cmp.Diff(want, r.asm.Blocks()); diff != "" {
		t.Error("blocks (-want +got):\n", diff)
	}
	if got := r.asm.Finish().Reason; got != llm.FinishToolCalls {
		t.Errorf("finish %q", got)
	}
	usage, ok := r.asm.Usage() // nothing came after the finish, so it came before
	if !ok || usage.InputTokens+usage.CacheReadTokens <= 0 || usage.OutputTokens <= 0 {
		t.Errorf("usage %+v, %t", usage, ok)
	}
	if usage.ReasoningTokens <= 0 || usage.ReasoningTokens > usage.OutputTokens {
		t.Errorf("reasoning tokens are not a part of the output: %+v", usage)
	}
}

func checkFinish(t *testing.T, m llm.Model) {
	for reason, want := range map[string]llm.FinishReason{"stop": llm.FinishStop, "length": llm.FinishMaxTokens, "content_filter": llm.FinishRefusal} {
		r := read(t, m, t.Context(), play(fmt.Sprintf(`[{"text":"cut","finish":%q}]`, reason)))
		if r.err != nil {
			t.Fatal(reason, r.err)
		}
		if got := r.asm.Finish().Reason; got != want {
			t.Errorf("%s became %q", reason, got)
		}
	}
}

func checkEmpty(t *testing.T, m llm.Model) {
	read(t, m, t.Context(), play(`[{}]`)).want(t, llm.CodeEmpty)
	if r := read(t, m, t.Context(), play(`[{"reasoning":"only thought"}]`)); r.err != nil {
		t.Error("reasoning alone is an answer:", r.err)
	}
}

func checkBreak(t *testing.T, m llm.Model) {
	begun := time.Now()
	for chunk, err := range m.Stream(t.Context(), play(`[{"text":"the beginning of an answer that never ends","stallMs":-1,"stallAfter":3}]`)) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := chunk.(llm.TextDelta); ok {
			break
		}
	}
	if took := time.Since(begun); took > patience {
		t.Errorf("leaving the range took %s", took)
	}
	if r := read(t, m, t.Context(), play(`["still here"]`)); r.err != nil {
		t.Error("the next request:", r.err)
	}
}

func checkCancel(t *testing.T, m llm.Model) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(50*time.Millisecond, cancel)
	begun := time.Now()
	read(t, m, ctx, play(`[{"text":"the beginning of an answer that never ends","stallMs":-1}]`)).want(t, llm.CodeAborted)
	if took := time.Since(begun); took > patience {
		t.Errorf("cancelling took %s", took)
	}
}

func checkCancelled(t *testing.T, m llm.Model) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := read(t, m, ctx, play(`["not to be said"]`))
	r.want(t, llm.CodeAborted)
	if len(r.chunks) > 0 {
		t.Errorf("chunks: %v", r.chunks)
	}
}

func checkErrorLast(t *testing.T, m llm.Model) {
	r := read(t, m, t.Context(), play(`[{"text":"an answer that is cut somewhere in its middle, after quite a few words","drop":"mid","times":-1}]`))
	if r.err == nil {
		t.Fatal("no error")
	}
	if r.err.Kind != llm.CodeTransport && r.err.Kind != llm.CodeStreamClosed {
		t.Errorf("a cut connection is %s: %v", r.err.Kind, r.err)
	}
	if len(r.chunks) == 0 {
		t.Error("what came before the cut is lost")
	}
	read(t, m, t.Context(), play(`[{"drop":"start","times":-1}]`)).want(t, llm.CodeTransport)
}

func checkClasses(t *testing.T, m llm.Model) {
	for _, c := range []struct {
		fail string
		want llm.Code
	}{
		{`"status":400`, llm.CodeInvalidRequest},
		{`"status":413`, llm.CodeInvalidRequest},
		{`"status":401`, llm.CodeAuth},
		{`"status":403`, llm.CodeAuth},
		{`"status":402`, llm.CodeQuota},
		{`"status":404,"body":{"error":{"message":"The model does not exist","code":"model_not_found"}}`, llm.CodeUnknownModel},
		{`"status":429,"retryAfter":2`, llm.CodeRateLimit},
		{`"status":429,"body":{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, llm.CodeQuota},
		{`"status":400,"body":{"error":{"message":"maximum context length is 8192 tokens","code":"context_length_exceeded"}}`, llm.CodeContextWindow},
		{`"status":500`, llm.CodeServer},
		{`"status":503`, llm.CodeServer},
		{`"status":418`, "HTTP_418"},
	} {
		t.Run(c.fail, func(t *testing.T) {
			r := read(t, m, t.Context(), play(`[{"fail":{`+c.fail+`,"times":-1}}]`))
			r.want(t, c.want)
			var sent struct{ Status, RetryAfter int }
			if err := json.Unmarshal([]byte("{"+c.fail+"}"), &sent); err != nil {
				t.Fatal(err)
			}
			if r.err.Status != sent.Status {
				t.Errorf("status %d", r.err.Status)
			}
			if want := time.Duration(sent.RetryAfter) * time.Second; r.err.RetryAfter != want {
				t.Errorf("retry after %s, want %s", r.err.RetryAfter, want)
			}
		})
	}
}

func checkBroken(t *testing.T, m llm.Model) {
	for step, want := range map[string]llm.Code{
		`{"text":"words","garbage":"{\"choices\":"}`:                                                            llm.CodeMalformed,
		`{"text":"words","finish":null,"noDone":true}`:                                                          llm.CodeStreamClosed,
		`{"text":"words","streamError":{"error":{"message":"the engine is overloaded","type":"server_error"}}}`: "",
		`{"html":"<html><body>sign in</body></html>"}`:                                                          "",
		`{"bareError":{"error":{"message":"no luck"}}}`:                                                         "",
	} {
		r := read(t, m, t.Context(), play("["+step+"]"))
		if r.err == nil {
			t.Errorf("%s: taken for an answer", step)
		} else if want != "" && r.err.Kind != want {
			t.Errorf("%s: %s, want %s", step, r.err.Kind, want)
		}
	}
}

func checkStall(t *testing.T, m llm.Model) {
	req := play(`[{"text":"the beginning of an answer that never ends","stallMs":-1}]`)
	req.Stall = 600 * time.Millisecond
	begun := time.Now()
	read(t, m, t.Context(), req).want(t, llm.CodeTimeout)
	if took := time.Since(begun); took < req.Stall || took > patience {
		t.Errorf("silence of %s was noticed after %s", req.Stall, took)
	}
	alive := play(`[{"text":"slow but alive","keepalives":6,"keepaliveMs":150}]`)
	alive.Stall = 600 * time.Millisecond
	if r := read(t, m, t.Context(), alive); r.err != nil {
		t.Error("comments are life:", r.err)
	}
}

// checkOnce: a second range is a mistake of the caller. It is refused with one
// error, or is a whole answer of its own; it is never a part of one.
func checkOnce(t *testing.T, m llm.Model) {
	answer := m.Stream(t.Context(), play(`["said once"]`))
	for round := range 2 {
		var got llm.Assembler
		var refused error
		n := 0
		for chunk, err := range answer {
			if n++; err != nil {
				refused = err
				continue
			}
			got.Add(chunk)
		}
		want := []llm.Block{llm.Text{Text: "said once"}}
		switch {
		case round == 0 && (refused != nil || !cmp.Equal(want, got.Blocks())):
			t.Errorf("%d yields, blocks %v, error %v", n, got.Blocks(), refused)
		case round == 1 && (refused == nil || n != 1):
			t.Errorf("a second range gave %d yields, blocks %v, error %v; want one error", n, got.Blocks(), refused)
		}
	}
}

func checkRoundTrip(t *testing.T, m llm.Model) {
	req := play(`[{"text":"let me look","tool":"bash","args":{"command":"ls"}}, {"text":"there is nothing"}]`)
	req.Tools = []llm.ToolSpec{{Name: "bash", Description: "Runs a command.", Parameters: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}}}`)}}
	first := read(t, m, t.Context(), req)
	if first.err != nil {
		t.Fatal(first.err)
	}
	blocks := first.asm.Blocks()
	call, ok := blocks[len(blocks)-1].(llm.ToolCall)
	if !ok || call.ID == "" || call.Name != "bash" || call.Arguments != `{"command":"ls"}` {
		t.Fatalf("blocks %#v", blocks)
	}
	req.Messages = append(slices.Clone(req.Messages),
		llm.Message{ID: "a", Role: llm.RoleAssistant, Content: blocks, Source: llm.Source{Kind: llm.SourceModel}},
		llm.Message{ID: "r", Role: llm.RoleUser, Source: llm.Source{Kind: llm.SourceTool, CallID: call.ID},
			Content: []llm.Block{llm.ToolResult{ToolCallID: call.ID, Content: []llm.Block{llm.Text{Text: "a.txt"}}}}})
	second := read(t, m, t.Context(), req)
	if second.err != nil {
		t.Fatal(second.err)
	}
	if diff := cmp.Diff([]llm.Block{llm.Text{Text: "there is nothing"}}, second.asm.Blocks()); diff != "" {
		t.Error("second answer (-want +got):\n", diff)
	}
}

func checkCapture(t *testing.T, m llm.Model) {
	req := llm.Request{
		Config:   llm.Config{Model: "mock"},
		Messages: []llm.Message{said("List what is wrong with the house.")},
		Tools: []llm.ToolSpec{{Name: "structured_output", Description: "Takes the result.", Parameters: json.RawMessage(`{"type":"object",
			"properties":{"verdict":{"enum":["good","bad"]},"flaws":{"type":"array","items":{"type":"string"},"minItems":1},"sure":{"type":"boolean"}},
			"required":["verdict","flaws","sure"],"additionalProperties":false}`)}},
	}
	r := read(t, m, t.Context(), req)
	if r.err != nil {
		t.Fatal(r.err)
	}
	blocks := r.asm.Blocks()
	call, ok := blocks[len(blocks)-1].(llm.ToolCall)
	if !ok || call.Name != "structured_output" || r.asm.Finish().Reason != llm.FinishToolCalls {
		t.Fatalf("%#v, %v", blocks, r.asm.Finish())
	}
	var value struct {
		Verdict string
		Flaws   []string
		Sure    *bool
	}
	if err := json.Unmarshal([]byte(call.Arguments), &value); err != nil {
		t.Fatalf("%s: %v", call.Arguments, err)
	}
	if (value.Verdict != "good" && value.Verdict != "bad") || len(value.Flaws) == 0 || value.Sure == nil {
		t.Errorf("not an instance of the schema: %s", call.Arguments)
	}
	again := read(t, m, t.Context(), req)
	if diff := cmp.Diff(blocks, again.asm.Blocks()); diff != "" {
		t.Error("the same request, another answer (-first +second):\n", diff)
	}
}

func checkConcurrent(t *testing.T, m llm.Model) {
	var group sync.WaitGroup
	for i := range 24 {
		group.Go(func() {
			want := fmt.Sprintf("the answer to question number %d, and to no other", i)
			var got llm.Assembler
			for chunk, err := range m.Stream(t.Context(), play(fmt.Sprintf(`[%q]`, want))) {
				if err != nil {
					t.Error(i, err)
					return
				}
				got.Add(chunk)
			}
			if diff := cmp.Diff([]llm.Block{llm.Text{Text: want}}, got.Blocks()); diff != "" {
				t.Error("(-want +got):\n", diff)
			}
		})
	}
	group.Wait()
}
