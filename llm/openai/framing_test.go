package openai

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dsh-go/dsh-workflow/llm"
)

func joinEvents(events []string, sep string) string { return strings.Join(events, sep) }

// proves: C19, A313, A312
func TestC19OddFramingIsTheSameAnswer(t *testing.T) {
	events := []string{
		`{"choices":[{"index":0,"delta":{"reasoning_content":"why"}}]}`,
		textEvent("héllo "), textEvent("🙂"),
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"p\""}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"grep","arguments":"{}"}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]}`,
		`{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}`, callsEnd, usageEvent, done,
	}
	plain := play(t, data(events...))
	want := `reasoning why | text héllo 🙂 | call a read {"p":1} | call b grep {} | tool-calls`
	if plain.text() != want {
		t.Fatalf("plain: %s", plain.text())
	}
	multi := func(e string) string { return strings.ReplaceAll(e, `"choices":`, "\ndata: \"choices\":\ndata:") }
	bodies := map[string]string{
		"comments":           strings.Repeat(": ka\n\n", 1000) + data(events...),
		"comments between":   "data: " + joinEvents(events, "\n\n"+strings.Repeat(": ka\n", 500)+"data: ") + "\n\n",
		"empty data":         "data: \n\ndata:\n\n" + joinEvents(strings.SplitAfter(data(events...), "\n\n"), "data:\n\n"),
		"ping events":        "event: ping\ndata: {}\n\nevent: ping\ndata: nothing\n\n" + data(append([]string{"{}", `{"type":"keepalive"}`, `{"type":"ping"}`, "null"}, events...)...),
		"CRLF":               strings.ReplaceAll(data(events...), "\n", "\r\n"),
		"CR":                 strings.ReplaceAll(data(events...), "\n", "\r"),
		"no space":           strings.ReplaceAll(data(events...), "data: ", "data:"),
		"fields":             "id: 1\nretry: 10\nevent: message\n" + joinEvents(strings.SplitAfter(data(events...), "\n\n"), "id:7\nunknown\nevent: x\n"),
		"multi-line":         "data: " + multi(joinEvents(events, "\n\ndata: ")) + "\n\n",
		"no last newline":    strings.TrimRight(data(events...), "\n"),
		"no blank lines":     "data: " + joinEvents(events, "\ndata: ") + "\n",
		"byte order mark":    "\ufeff" + data(events...),
		"leading blanks":     "\n\r\n  \n" + data(events...),
		"no end mark":        data(events[:len(events)-1]...),
		"nor last newline":   strings.TrimRight(data(events[:len(events)-1]...), "\n"),
		"rest after the end": data(events...) + "garbage that nobody reads",
		"null members":       strings.ReplaceAll(data(events...), `"choices":[{`, `"error":null,"usage":null,"choices":[{"logprobs":null,"message":null,`),
		"long line":          data(`{"pad":"`+strings.Repeat("x", 3<<20)+`"}`) + data(events...),
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(plain.chunks, play(t, body).chunks); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNamesOfReasoning(t *testing.T) {
	a := play(t, data(
		`{"choices":[{"delta":{"reasoning":"one "}}]}`,
		`{"choices":[{"delta":{"reasoning":"two","reasoning_content":"two"}}]}`,
		`{"choices":[{"delta":{"content":[{"type":"text","text":"par"},{"type":"text","text":"ts"}]}}]}`,
		`{"choices":[{"index":1,"delta":{"content":"another choice"}}]}`, stopEvent))
	if got, want := a.text(), "reasoning one two | text parts | stop"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLineThatIsTooLong(t *testing.T) {
	a := play(t, "data: "+strings.Repeat("x", maxLine+1<<20))
	if a.text() != "! MALFORMED_RESPONSE" {
		t.Error(a.text())
	}
}

// drain returns the events of a body, one line each.
func drain(r io.Reader) string {
	e := eventReader{src: r}
	var out strings.Builder
	for {
		ev, err := e.next()
		if err != nil {
			fmt.Fprintf(&out, "end %v\n", err)
			return out.String()
		}
		fmt.Fprintf(&out, "%q %q %v\n", ev.name, ev.data, ev.cut)
	}
}

func TestReadsDoNotShapeEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
			"data: {}", "data:{\"a\":\"é🙂\"}", "data: [DONE]", ": c", "event: e", "\n", "\r", "\r\n", "\n\n", "data", "data:", "id: 1", "x",
		}), 0, 30).Draw(t, "pieces")
		body := strings.Join(pieces, "")
		want := drain(strings.NewReader(body))
		if got := drain(iotest.OneByteReader(strings.NewReader(body))); got != want {
			t.Fatalf("%q: byte by byte\n%s\nat once\n%s", body, got, want)
		}
		if got := drain(iotest.DataErrReader(strings.NewReader(body))); got != want {
			t.Fatalf("%q: with the error\n%s\nat once\n%s", body, got, want)
		}
	})
}

func FuzzEventReader(f *testing.F) {
	f.Add([]byte(data("{}", done)))
	f.Add([]byte("event: a\r\ndata: 1\r\ndata: 2\r\n\r\n: c\rdata: {}\rdata: {}"))
	f.Add([]byte("\ufeffdata\n\ndata:\n\n\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		want := drain(bytes.NewReader(body))
		if got := drain(iotest.OneByteReader(bytes.NewReader(body))); got != want {
			t.Fatalf("byte by byte\n%s\nat once\n%s", got, want)
		}
	})
}

// FuzzAnswer feeds whole bodies to everything below the library: no panic, and
// an end of one kind or the other.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(data(textEvent("a"), stopEvent, usageEvent, done)))
	f.Add([]byte(`{"choices":[{"message":{"content":"x","tool_calls":[{}]}}]}`))
	f.Add([]byte(`<html>`))
	f.Add([]byte(data(`{"error":{"message":"m","code":429}}`)))
	f.Add([]byte(data(`{"choices":[{"delta":{"tool_calls":[{"index":-1,"function":{"name":1,"arguments":{"a":1}}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":"x"}}`)))
	m, err := New(Config{BaseURL: "http://127.0.0.1:1"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c := newCleanBody(m, io.NopCloser(bytes.NewReader(body)), newWatchdog(DefaultStall, func() {}))
		out, err := io.ReadAll(c)
		if (err == nil) != bytes.HasSuffix(out, []byte("\ndata: [DONE]\n")) {
			t.Fatalf("%q: %v", out, err)
		}
		if err != nil && llm.AsError(err).Kind == llm.CodeTransport {
			t.Fatalf("%q: unclassified %v", body, err)
		}
		for line := range bytes.Lines(out) {
			if !bytes.HasPrefix(line, []byte("data: ")) {
				t.Fatalf("%q holds %q", out, line)
			}
		}
	})
}
