package session

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/google/go-cmp/cmp"
)

// one holds a full value of every type of payload.
func one() []Data {
	warm := 0.7
	call := answer(2, 3, "m2", llm.Reasoning{Text: "hm"}, llm.Text{Text: "a\nb"}, llm.ToolCall{ID: "c1", Name: "read", Arguments: `{"p":`})
	call.Usage, call.Interrupted = &llm.Usage{InputTokens: 1, OutputTokens: 2, ReasoningTokens: 1}, true
	res := result(2, 3, "c1", "gone")
	res.Error, res.Meta = &ToolError{Name: "NotFound", Code: "ENOENT"}, json.RawMessage(`{"b":1,"a":[1.50,"<"]}`)
	failure := Failure{Message: "slow down", Code: "RATE_LIMIT", Status: 429, RequestID: "r1"}
	message := user("m1", "hello <&>")
	message.Message.Content = append(message.Message.Content, llm.Unknown{Type: "image", Raw: json.RawMessage(`{"type":"image","z":1,"a":"é"}`)})
	return []Data{
		TurnStart{2}, TurnEnd{2, EndReason{Kind: EndError, Cause: "user", Error: &failure}}, StepStart{2, 3}, StepEnd{2, 3},
		message, AssistantChunk{2, 3, llm.TextDelta{Index: 1, Text: "a"}}, AssistantChunk{2, 3, llm.ReasoningDelta{Text: "b"}},
		AssistantChunk{2, 3, llm.ToolCallDelta{Index: 2, ID: "c", Name: "n", Arguments: "{"}},
		AssistantChunk{2, 3, llm.UsageReport{Usage: llm.Usage{InputTokens: 5, CacheReadTokens: 2, OutputTokens: 3, Estimated: true}}},
		AssistantChunk{2, 3, llm.Finish{Reason: llm.FinishStop, Served: "m-1", RequestID: "r"}},
		call, toolCall(2, 3, "c1"), res,
		RequestHeader{Reason: ReasonChange, Header: EpochHeader{
			Config: llm.Config{Provider: "p", Model: "m", Effort: "high", Temperature: &warm, MaxTokens: 9, Stop: []string{"x"}},
			System: "be <brief>", Tools: []llm.ToolSpec{{Name: "t", Description: "d", Parameters: json.RawMessage(`{"type":"object","a":"<"}`)}},
		}},
		InboxSpliced{Target: "next-turn", Start: 1, Removed: 2, Inserted: []llm.Message{user("m3", "later").Message}, Outcome: "canceled"},
		Descriptor{Version: 2, Mode: "one-shot", Provider: "spawn", Label: "l"},
		Retry{Turn: 2, Step: 3, Attempt: 1, DelayMS: 500, Failure: failure}, RetryStarted{2, 3, 1}, EndSeed{},
		Opaque{Type: "hook/invoked", Raw: json.RawMessage(`{"z":1,"a":{"__proto__":1e400}}`)},
	}
}

// Every type survives the way to a line and back, and the second line is the first.
// proves: A78, A6
func TestEveryTypeRoundTrips(t *testing.T) {
	for _, d := range one() {
		e := Event{Seq: 7, Time: time.UnixMilli(1234).UTC(), Data: d}
		if onSurface(d) {
			e.Replace, e.Sources = &Range{2, 4}, []Seq{2, 3, 4}
		}
		data, err := encodeData(d)
		if err != nil {
			t.Fatal(err)
		}
		text := encodeLine(e, data)
		got, err := decodeLine(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(e, got); diff != "" {
			t.Errorf("%T: %s", d, diff)
		}
		again, err := encodeData(got.Data)
		if err != nil || string(again) != string(data) {
			t.Errorf("second encoding %s, first %s, %v", again, data, err)
		}
	}
}

// The list above, the tags and the decoders know the same types.
func TestEveryTypeHasATag(t *testing.T) {
	tags := map[string]reflect.Type{}
	for _, d := range one() {
		tag := tagOf(d)
		if tag == "" {
			t.Errorf("%T has no tag", d)
		}
		if before, ok := tags[tag]; ok && before != reflect.TypeOf(d) {
			t.Errorf("%q is the tag of %v and %T", tag, before, d)
		}
		tags[tag] = reflect.TypeOf(d)
		if _, opaque := d.(Opaque); typed(tag) == opaque {
			t.Errorf("typed(%q) = %v", tag, typed(tag))
		}
	}
	if len(tags) != 16 {
		t.Errorf("%d types in the list, the package has 16", len(tags))
	}
}

// proves: A7, A8
func TestLinesThatAreRefused(t *testing.T) {
	for text, kind := range map[string]Code{
		`{"type":"turn/start","seq":0,"time":1,"data":{"turn":1},"extra":1}`:            CodeCorrupt,
		`{"type":"turn/start","seq":0,"time":1,"data":{"turn":1},"surfaceOp":"append"}`: CodeCorrupt,
		`{"type":"turn/start","seq":0,"time":1,"data":{"turn":"x"}}`:                    CodeCorrupt,
		`{"type":"turn/start","seq":0,"time":1}`:                                        CodeCorrupt,
		`{"seq":0,"time":1,"data":{}}`:                                                  CodeCorrupt,
		`[]`:                                                                            CodeCorrupt,
		`{"type":"user/message","seq":0,"time":1,"data":{"id":"a","role":"user"}}`:      CodeCorrupt,
		`{"type":"user/message","seq":0,"time":1,"data":{},"surfaceOp":"prepend"}`:      CodeCorrupt,
		`{"type":"user/message","seq":0,"time":1,"data":{},"surfaceOp":{"op":"replace","start":0,"end":0,"x":1}}`: CodeCorrupt,
		`{"type":"assistant/chunk","seq":0,"time":1,"data":{"turn":1,"step":1,"chunk":{"type":"smell"}}}`:         CodeCorrupt,
		`{"type":"some/thing","seq":0,"time":1,"data":{}}`:                                                        CodeUnsupported,
		`{"type":"compaction","seq":0,"time":1,"data":{}}`:                                                        CodeUnsupported,
	} {
		_, err := decodeLine([]byte(text))
		var why *Error
		if !errors.As(err, &why) || why.Kind != kind {
			t.Errorf("%s: got %v, want code %s", text, err, kind)
		}
	}
}

func TestUnknownIgnorableTypeIsKept(t *testing.T) {
	const text = `{"type":"some/thing","seq":3,"time":5,"data":{"b":[1,2.50],"a":null},"ignorable":true}`
	e, err := decodeLine([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	data, err := encodeData(e.Data)
	if err != nil {
		t.Fatal(err)
	}
	if again := encodeLine(e, data); string(again) != text {
		t.Errorf("%s became %s", text, again)
	}
}

// FuzzDecodeLine: a line is refused or says the same when it is written again.
func FuzzDecodeLine(f *testing.F) {
	for _, d := range one() {
		data, err := encodeData(d)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(encodeLine(Event{Data: d}, data)))
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := decodeLine([]byte(text))
		if err != nil {
			return
		}
		data, err := encodeData(e.Data)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again := encodeLine(e, data)
		if strings.Contains(string(again), "\n") {
			t.Fatalf("%s became %s", text, again)
		}
		twin, err := decodeLine(again)
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		// Blanks in raw JSON and absent members are settled by the first writing.
		if data, err = encodeData(twin.Data); err != nil {
			t.Fatal(err)
		}
		if third := encodeLine(twin, data); string(third) != string(again) {
			t.Errorf("%s became %s and then %s", text, again, third)
		}
	})
}
