package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMessageJSON(t *testing.T) {
	m := Message{ID: "m1", Role: RoleAssistant, Content: []Block{
		Reasoning{"a<b"}, Text{"line\n\"q\" \u2028"},
		ToolCall{ID: "c", Name: "read", Arguments: `{"p":1`},
		ToolResult{ToolCallID: "c", Content: []Block{Text{"x"}}, IsError: true},
		Unknown{Type: "image", Raw: json.RawMessage(`{ "type":"image",  "w":1.0, "h":"<"}`)},
	}, Source: Source{Kind: SourceModel, Provider: "p", Model: "m", Extra: map[string]json.RawMessage{
		"z": json.RawMessage(`1.0`), "a": json.RawMessage(`{"k":[]}`),
	}}}
	want := `{"id":"m1","role":"assistant","content":[{"type":"reasoning","text":"a<b"},` +
		`{"type":"text","text":"line\n\"q\" ` + "\u2028" + `"},{"type":"tool-call","id":"c","name":"read","arguments":"{\"p\":1"},` +
		`{"type":"tool-result","toolCallId":"c","content":[{"type":"text","text":"x"}],"isError":true},` +
		`{ "type":"image",  "w":1.0, "h":"<"}],"source":{"kind":"model","provider":"p","model":"m","a":{"k":[]},"z":1.0}}`
	got := m.AppendJSON(nil)
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Fatal(diff)
	}
	var back Message
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, back); diff != "" {
		t.Error(diff)
	}
}

func TestSourceKeepsWhatItDoesNotName(t *testing.T) {
	for _, in := range []string{
		`{"kind":"plugin","plugin":"hooks","form":"hint"}`,
		`{"kind":"model","provider":"p","model":{"id":"m"}}`,
		`{"kind":"tool","callId":""}`,
		`{"kind":null}`,
		`{"kind":"","a":1}`,
		`{"kind":"user"}`,
	} {
		var s Source
		if err := json.Unmarshal([]byte(in), &s); err != nil {
			t.Fatal(err)
		}
		if got := string(s.AppendJSON(nil)); got != in {
			t.Errorf("%s became %s", in, got)
		}
	}
}

func TestBlocksThatAreNoBlocks(t *testing.T) {
	for _, in := range []string{`[]`, `3`, `{"type":"text","text":1}`, `{"type":"tool-result","content":[4]}`, `{`} {
		if b, err := UnmarshalBlock([]byte(in)); err == nil {
			t.Errorf("%s became %#v", in, b)
		}
	}
	for _, in := range []string{`{"type":"video"}`, `{}`, `{"type":7,"x":"\u003c"}`} {
		b, err := UnmarshalBlock([]byte(in))
		if err != nil || string(AppendBlock(nil, b)) != in {
			t.Errorf("%s became %#v, %v", in, b, err)
		}
	}
}

func TestChunkJSON(t *testing.T) {
	for want, c := range map[string]Chunk{
		`{"type":"text-delta","index":0,"text":""}`:                                               TextDelta{},
		`{"type":"reasoning-delta","index":2,"text":"<"}`:                                         ReasoningDelta{2, "<"},
		`{"type":"tool-call-delta","index":1,"id":"a","name":"b","arguments":"{"}`:                ToolCallDelta{1, "a", "b", "{"},
		`{"type":"tool-call-delta","index":1,"arguments":""}`:                                     ToolCallDelta{Index: 1},
		`{"type":"usage","usage":{"inputTokens":1,"outputTokens":2,"estimated":true}}`:            UsageReport{Usage{InputTokens: 1, OutputTokens: 2, Estimated: true}},
		`{"type":"finish","reason":"max-tokens","served":"m","requestId":"r"}`:                    Finish{FinishMaxTokens, "m", "r"},
		`{"type":"usage","usage":{"inputTokens":0,"cacheReadTokens":5,"outputTokens":0}}`:         UsageReport{Usage{CacheReadTokens: 5}},
		`{"type":"finish","reason":"stop"}`:                                                       Finish{Reason: FinishStop},
		`{"type":"tool-call-delta","index":-3,"arguments":"\u0000` + "\ufffd" + `\\\t\r\u001f "}`: ToolCallDelta{Index: -3, Arguments: "\x00\ufffd\\\t\r\x1f "},
	} {
		got, err := MarshalChunk(c)
		if err != nil || string(got) != want {
			t.Errorf("%#v: %s, %v", c, got, err)
			continue
		}
		back, err := UnmarshalChunk(got)
		if err != nil || back != c {
			t.Errorf("%s: %#v, %v", got, back, err)
		}
	}
	if _, err := UnmarshalChunk([]byte(`{"type":"block-start"}`)); !errors.Is(err, ErrUnknownChunk) {
		t.Error(err)
	}
	if _, err := MarshalChunk(nil); !errors.Is(err, ErrUnknownChunk) {
		t.Error(err)
	}
	for _, in := range []string{``, `[]`, `{"type":"usage","usage":3}`} {
		if _, err := UnmarshalChunk([]byte(in)); err == nil {
			t.Errorf("%q was read", in)
		}
	}
}

func TestStringsAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "valid") {
			s = rapid.String().Draw(t, "text")
		}
		quoted := AppendString(nil, s)
		var back string
		if err := json.Unmarshal(quoted, &back); err != nil {
			t.Fatal(err)
		}
		if want := strings.ToValidUTF8(s, "\ufffd"); utf8.ValidString(s) && back != want {
			t.Fatalf("%q became %q", s, back)
		}
		if again := AppendString(nil, back); !bytes.Equal(again, quoted) {
			t.Fatalf("%s became %s", quoted, again)
		}
	})
}

func FuzzMessageJSON(f *testing.F) {
	f.Add([]byte(`{"id":"1","role":"user","content":[{"type":"text","text":"a"},{"type":"x","y":[1]}],"source":{"kind":"user","n":1}}`))
	f.Add([]byte(`{"content":[{"type":"tool-result","toolCallId":"c","content":[{"type":"tool-call"}]}]}`))
	f.Add([]byte(`{"content":[null,{"type":null}],"source":{"kind":4}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var m Message
		if json.Unmarshal(in, &m) != nil {
			return
		}
		first := m.AppendJSON(nil)
		var back Message
		if err := json.Unmarshal(first, &back); err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		if second := back.AppendJSON(nil); !bytes.Equal(first, second) {
			t.Fatalf("%s became %s", first, second)
		}
	})
}
