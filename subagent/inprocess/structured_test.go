package inprocess_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/prompt"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/inprocess"
	"github.com/google/go-cmp/cmp"
)

// proves: W324, W325, A256
func TestValidCallEndsTheChild(t *testing.T) {
	r := newRig(t, nil, reports(`{"name":"Ada"}`), says("never asked"))
	result, log := r.run(r.structured())
	want := subagent.Result{Outcome: subagent.Completed, Value: json.RawMessage(`{"name":"Ada"}`), Usage: spent.Usage}
	if diff := cmp.Diff(want, result); diff != "" {
		t.Error(diff)
	}
	if n := len(r.model.sent()); n != 1 {
		t.Errorf("%d requests", n)
	}
	if diff := cmp.Diff([]string{"Structured output recorded."}, toolResults(log)); diff != "" {
		t.Error(diff)
	}
	for _, e := range log.Events(0) {
		if d, ok := e.Data.(session.ToolResult); ok && string(d.Meta) != `{"recorded":true}` {
			t.Errorf("meta %s", d.Meta)
		}
	}
}

// proves: W331, A260, C25
// What the model sent, and what becomes of it.
func TestStructuredLadder(t *testing.T) {
	rejected := func(n int, then ...reply) []reply {
		var all []reply
		for range n {
			all = append(all, reports(`{"nome":1}`))
		}
		return append(all, then...)
	}
	tests := []struct {
		name     string
		replies  []reply
		value    string // empty: failed
		repaired int
		degraded bool
		story    string
	}{
		{name: "array as a string", replies: []reply{reports(`{"name":"x","tags":"[\"a\",\"b\"]"}`)},
			value: `{"name":"x","tags":["a","b"]}`, repaired: 1, story: "result:ok end:completed structured/repaired"},
		{name: "number as a string", replies: []reply{reports(`{"name":"x","age":"3"}`)},
			value: `{"name":"x","age":3}`, repaired: 1},
		{name: "a string that is wanted stays", replies: []reply{reports(`{"name":"[1,2]"}`)}, value: `{"name":"[1,2]"}`},
		{name: "wrapped in output", replies: []reply{reports(`{"output":{"name":"x"}}`)}, value: `{"name":"x"}`, repaired: 1},
		{name: "trailing comma", replies: []reply{reports(`{"name":"x",}`), reports(`{"name":"y"}`)}, value: `{"name":"y"}`,
			story: "result:INVALID_ARGS model:[structured_output] result:ok"},
		{name: "wrong key", replies: rejected(1, reports(`{"name":"x"}`)), value: `{"name":"x"}`,
			story: "result:INVALID_ARGS model:[structured_output] result:ok"},
		{name: "five rejections", replies: rejected(5, reports(`{"name":"x"}`)), story: "result:INVALID_ARGS end:error"},
		{name: "four rejections and a placeholder", replies: rejected(4, reports(`{"name":"..."}`)), value: `{"name":"..."}`, degraded: true},
		{name: "a placeholder at once", replies: []reply{reports(`{"name":"TODO"}`)}, value: `{"name":"TODO"}`},
		{name: "prose", replies: []reply{says("It went well."), says("As I said.")},
			story: "model:It_went_well. plugin:No_result_has_been_recorded"},
		{name: "prose, then a call", replies: []reply{says("It went well."), reports(`{"name":"x"}`)}, value: `{"name":"x"}`},
		{name: "fenced", replies: []reply{says("prose"), says("Here:\n```json\n{\"name\":\"x\"}\n```\nDone.")}, value: `{"name":"x"}`, degraded: true},
		{name: "open fence", replies: []reply{says("prose"), says("```json\n{\"name\":\"x\"}")}, value: `{"name":"x"}`, degraded: true},
		{name: "before the reminder", replies: []reply{says(`The result is {"name":"x"}.`), says("I have said it.")}, value: `{"name":"x"}`, degraded: true},
		{name: "two values", replies: []reply{says("prose"), says(`{"name":"x"} or {"name":"y"}`)}},
		{name: "prose with another value", replies: []reply{says("prose"), says(`{"wrong":1}`)}},
		{name: "no arguments", replies: []reply{reports(""), reports(`{"name":"x"}`)}, value: `{"name":"x"}`,
			story: "result:INVALID_ARGS model:[structured_output] result:ok"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, nil, test.replies...)
			result, log := r.run(r.structured())
			if test.value == "" {
				if result.Outcome != subagent.Failed || result.Failure.Code != "STRUCTURED_OUTPUT" || result.Value != nil {
					t.Errorf("got %+v", result)
				}
			} else if result.Outcome != subagent.Completed || string(result.Value) != test.value {
				t.Errorf("got %+v, %v", result, result.Failure)
			}
			if result.Repaired != test.repaired || result.Degraded != test.degraded {
				t.Errorf("repaired %d, degraded %t", result.Repaired, result.Degraded)
			}
			if got := story(log); !strings.Contains(got, test.story) {
				t.Errorf("%q is not in %s", test.story, got)
			}
		})
	}
}

func TestFailureKeepsTheText(t *testing.T) {
	r := newRig(t, nil, says("first"), says("second"))
	result, _ := r.run(r.structured())
	if result.Text != "second" || result.Usage.OutputTokens != 6 {
		t.Errorf("got %+v", result)
	}
	if n := len(r.model.sent()); n != 2 {
		t.Errorf("%d requests: one reminder is sent", n)
	}
}

// proves: W329, A257
func TestRefusalsAreReadable(t *testing.T) {
	r := newRig(t, nil, reports(`{"name":1,"tags":"x","more":true}`), reports(`{"name":"x"`), reports(`{"name":"x"}`))
	result, log := r.run(r.structured())
	if string(result.Value) != `{"name":"x"}` {
		t.Errorf("got %+v", result)
	}
	got := toolResults(log)
	for _, path := range []string{`"name"`, `"tags"`, `"more"`} {
		if !strings.HasPrefix(got[0], "Error: invalid arguments: ") || !strings.Contains(got[0], path) {
			t.Errorf("%s is not in %q", path, got[0])
		}
	}
	if !strings.Contains(got[1], "not valid JSON at byte 11") {
		t.Errorf("got %q", got[1])
	}
}

// What the model wrote is kept where it was mended, and later requests show the
// call as it counted.
func TestMendingIsInTheLog(t *testing.T) {
	raw := `{"name":"x","age":"3"}`
	r := newRig(t, nil, reports(raw))
	_, log := r.run(r.structured())
	found := false
	for _, e := range log.Events(0) {
		switch d := e.Data.(type) {
		case session.Opaque:
			var note struct {
				Raw, Mended string
				Repairs     int
			}
			if err := json.Unmarshal(d.Raw, &note); err != nil {
				t.Fatal(err)
			}
			found = note.Raw == raw && note.Mended == `{"name":"x","age":3}` && note.Repairs == 1
		case session.ToolCall:
			if d.Arguments != `{"name":"x","age":3}` {
				t.Errorf("the log has the call %s", d.Arguments)
			}
		}
	}
	if !found {
		t.Errorf("no note in %s", story(log))
	}
}

func call(id, name, args string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: name, Arguments: args}
}

// proves: W326, W328, A258
func TestCallsAroundTheValue(t *testing.T) {
	var ran counter
	r := newRig(t, withTools(&ran, "before", "after"),
		calls(call("1", "before", "{}"), call("2", "structured_output", `{"name":"x"}`), call("3", "after", "{}"), call("2", "structured_output", `{"name":"y"}`)))
	result, log := r.run(r.structured())
	if string(result.Value) != `{"name":"x"}` {
		t.Errorf("got %+v", result)
	}
	if diff := cmp.Diff([]string{"before"}, ran.names()); diff != "" {
		t.Error(diff)
	}
	want := []string{
		"ran before",
		"Structured output recorded.",
		"Error: structured output already recorded: the run is complete, so `after` is not executed",
		"Error: structured output already recorded: the run is complete, so `structured_output` is not executed",
	}
	if diff := cmp.Diff(want, toolResults(log)); diff != "" {
		t.Error(diff)
	}
}

// proves: W332
func TestErrorIsKept(t *testing.T) {
	for _, code := range []llm.Code{llm.CodeServer, llm.CodeUnknownModel, llm.CodeAuth} {
		r := newRig(t, nil, fails(code))
		result, _ := r.run(r.structured())
		if result.Outcome != subagent.Failed || result.Failure.Code != string(code) || len(r.model.sent()) != 1 {
			t.Errorf("%s: got %+v after %d requests", code, result.Failure, len(r.model.sent()))
		}
	}
	cut := play(llm.TextDelta{Text: `{"name":"x"}`}, spent, llm.Finish{Reason: llm.FinishMaxTokens})
	r := newRig(t, nil, cut)
	if result, _ := r.run(r.structured()); result.Failure == nil || result.Failure.Code != "MAX_TOKENS" || len(r.model.sent()) != 1 {
		t.Errorf("got %+v", result)
	}
}

// proves: W333, A260
func TestCancelBeforeTheValue(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := newRig(t, nil, func(ctx context.Context, yield func(llm.Chunk, error) bool) {
		if yield(llm.TextDelta{Text: "prose"}, nil) {
			cancel()
			<-ctx.Done()
			yield(llm.Finish{Reason: llm.FinishStop}, nil)
		}
	})
	c, err := r.provider.Start(ctx, r.structured())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	result, err := c.Wait(t.Context())
	if err != nil || result.Outcome != subagent.Cancelled || result.Text != "prose" {
		t.Errorf("got %+v, %v", result, err)
	}
}

// proves: W338, W342, W343, A261
func TestStructuredSection(t *testing.T) {
	r := newRig(t, func(c *inprocess.Config) {
		withTools(&counter{}, "zebra")(c)
		c.Sections = []prompt.Section{{Name: "late", Order: 191, Text: "late section"}}
	}, reports(`{"name":"x"}`))
	r.run(r.structured())
	req := r.model.sent()[0]
	if !strings.Contains(req.System, "arguments that match its schema") || !strings.HasSuffix(req.System, "\n\nlate section") {
		t.Errorf("system %q", req.System)
	}
	last := req.Tools[len(req.Tools)-1]
	if last.Name != "structured_output" || string(last.Parameters) != personSchema || !strings.Contains(last.Description, "exactly once") {
		t.Errorf("tool %+v", last)
	}
	plain := newRig(t, nil, says("x"))
	plain.run(plain.request())
	if req := plain.model.sent()[0]; req.Tools != nil || strings.Contains(req.System, "structured_output") {
		t.Errorf("a plain child has %v and %q", req.Tools, req.System)
	}
}

// proves: W341, W345, A261
func TestSchemasStayApart(t *testing.T) {
	r := newRig(t, nil, reports(`{"name":"x"}`), says("done"))
	other := r.structured()
	other.Call, other.Schema = "run/2", json.RawMessage(`{"type":"object","properties":{"name":{"const":"x"}}}`)
	plain := r.request()
	plain.Call = "run/3"
	var group sync.WaitGroup
	for _, req := range []subagent.Request{r.structured(), other, plain} {
		c := r.start(req)
		group.Go(func() {
			result, err := c.Wait(t.Context())
			if err != nil || result.Outcome != subagent.Completed {
				t.Errorf("%s: %+v, %v", req.Call, result, err)
			}
			c.Close()
			var schemas []string
			for _, sent := range r.model.sent() {
				if sent.SessionID == c.ID() {
					for _, spec := range sent.Tools {
						schemas = append(schemas, string(spec.Parameters))
					}
					if told := strings.Contains(sent.System, "structured_output"); told != (req.Schema != nil) {
						t.Errorf("%s: told of the tool: %t", req.Call, told)
					}
				}
			}
			var want []string
			if req.Schema != nil {
				want = []string{string(req.Schema)}
			}
			if diff := cmp.Diff(want, schemas); diff != "" {
				t.Errorf("%s: %s", req.Call, diff)
			}
			if req.Schema == nil && !strings.Contains(story(r.log(c.ID())), "result:UNKNOWN_TOOL") {
				t.Errorf("a plain child called the tool: %s", story(r.log(c.ID())))
			}
		})
	}
	group.Wait()
}

// A child owes its value on, whatever becomes of the provider that made it; the
// tool is its own, so that nobody else has it, before or after.
//
// proves: W344
func TestToolOutlivesTheProvider(t *testing.T) {
	asked, removed := make(chan struct{}, 2), make(chan struct{})
	r := newRig(t, nil, func(ctx context.Context, yield func(llm.Chunk, error) bool) {
		asked <- struct{}{}
		<-removed
		says("prose")(ctx, yield)
	}, reports(`{"name":"x"}`))
	providers, err := subagent.NewRegistry(r.provider)
	if err != nil {
		t.Fatal(err)
	}
	c, err := providers.Start(t.Context(), r.provider.Name(), r.structured())
	if err != nil {
		t.Fatal(err)
	}
	<-asked
	if !providers.Remove(r.provider.Name()) {
		t.Fatal("no provider to remove")
	}
	close(removed)
	result, err := c.Wait(t.Context())
	if err != nil || string(result.Value) != `{"name":"x"}` {
		t.Errorf("got %+v, %v", result, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	sent := r.model.sent()
	if len(sent) != 2 || len(sent[1].Tools) != 1 {
		t.Fatalf("requests %+v", sent)
	}
	plain := r.request()
	plain.Call = "run/2"
	r.run(plain)
	if tools := r.model.sent()[2].Tools; tools != nil {
		t.Errorf("a child after it has %v", tools)
	}
}

// proves: A262
func TestSchemaBelongsToTheChild(t *testing.T) {
	r := newRig(t, nil, reports(`{"nome":"x"}`), reports(`{"name":"x"}`))
	req := r.structured()
	c := r.start(req)
	copy(req.Schema, strings.Repeat(" ", len(req.Schema)))
	if result, err := c.Wait(t.Context()); err != nil || string(result.Value) != `{"name":"x"}` {
		t.Errorf("got %+v, %v", result, err)
	}
	for _, sent := range r.model.sent() {
		if string(sent.Tools[0].Parameters) != personSchema {
			t.Errorf("the model was shown %s", sent.Tools[0].Parameters)
		}
	}
	if _, err := r.provider.Start(t.Context(), req); err == nil {
		t.Error("started with a schema of blanks")
	}
}

// proves: W347
func TestNarrowingKeepsTheTool(t *testing.T) {
	r := newRig(t, withTools(&counter{}, "read"), reports(`{"name":"x"}`))
	req := r.structured()
	req.Tools = []string{}
	if result, _ := r.run(req); string(result.Value) != `{"name":"x"}` {
		t.Errorf("got %+v", result)
	}
	if tools := r.model.sent()[0].Tools; len(tools) != 1 {
		t.Errorf("tools %v", tools)
	}
}

// Other tools pass through the mending untouched, also when the parts of calls
// come mixed and a name comes late.
func TestMixedParts(t *testing.T) {
	var ran counter
	r := newRig(t, withTools(&ran, "read"), play(
		llm.ToolCallDelta{Index: 1, ID: "b"},
		llm.ToolCallDelta{Index: 0, ID: "a", Name: "read", Arguments: `{"x"`},
		llm.ToolCallDelta{Index: 1, Name: "structured_output", Arguments: `{"result":{"na`},
		llm.ToolCallDelta{Index: 0, Arguments: `:1}`},
		llm.ToolCallDelta{Index: 1, Arguments: `me":"x"}}`},
		spent, llm.Finish{Reason: llm.FinishToolCalls},
	))
	result, _ := r.run(r.structured())
	if string(result.Value) != `{"name":"x"}` || result.Repaired != 1 {
		t.Errorf("got %+v", result)
	}
	if len(ran.calls) != 1 || string(ran.calls[0].Arguments) != `{"x":1}` {
		t.Errorf("ran %+v", ran.calls)
	}
}

// An answer that broke off is asked for again, and only whole answers count.
func TestBrokenAnswersAreNotCounted(t *testing.T) {
	var replies []reply
	for range inprocess.MaxRejections + 1 {
		replies = append(replies, fails(llm.CodeServer, llm.ToolCallDelta{ID: "s", Name: "structured_output", Arguments: `{"nome`}))
	}
	r := newRig(t, func(c *inprocess.Config) {
		c.Retry = llm.Retry{Max: len(replies), Initial: 1, MaxDelay: 1}
	}, append(replies, reports(`{"name":"..."}`))...)
	// A placeholder is suspect only behind a refusal.
	if result, log := r.run(r.structured()); string(result.Value) != `{"name":"..."}` || result.Degraded {
		t.Errorf("got %+v: %s", result, story(log))
	}
}

// FuzzStructured gives the tool arbitrary arguments: the child either completes
// with a value that matches the schema, or has failed.
func FuzzStructured(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"name":"x"}`, `{"name":"x","tags":"[]"}`, `{"output":"{\"name\":\"x\"}"}`, `"{\"name\":1}"`, `{"name":`, "\xff", `[1]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		provider := inprocess.Spawn(inprocess.Config{
			Resolve: inprocess.Fixed(newModel(reports(arguments), says("done")), route), Retry: llm.Retry{Max: -1},
		})
		c, err := provider.Start(t.Context(), subagent.Request{Prompt: "p", Schema: json.RawMessage(personSchema)})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		result, err := c.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if result.Outcome == subagent.Completed {
			var person struct {
				Name *string  `json:"name"`
				Tags []string `json:"tags"`
			}
			if err := json.Unmarshal(result.Value, &person); err != nil || person.Name == nil {
				t.Errorf("%q gave %s", arguments, result.Value)
			}
		} else if result.Failure.Code != "STRUCTURED_OUTPUT" {
			t.Error(fmt.Sprint(result.Failure))
		}
	})
}
