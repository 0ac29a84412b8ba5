package openai

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/llm"
)

// longHistory is a conversation of n steps, each with thinking, one call and a
// result of 2 KB.
func longHistory(n int) llm.Request {
	req := question("do it")
	req.System = strings.Repeat("You are a careful agent. ", 200)
	for i := range n {
		id := fmt.Sprint("call_", i)
		req.Messages = append(req.Messages,
			assistant(llm.Reasoning{Text: strings.Repeat("thinking ", 60)}, llm.Text{Text: "I read the file."}, call(id, `{"path":"/a/b/c.go","offset":1,"limit":2000}`)),
			user(result(id, strings.Repeat("\tif err != nil { return \"x\" }\n", 70))))
	}
	return req
}

func BenchmarkEncode(b *testing.B) {
	p, _ := ProfileNamed("deepseek")
	for _, steps := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(steps, "steps"), func(b *testing.B) {
			req := longHistory(steps)
			body, _ := Encode(req, p)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Encode(req, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func streamBody(events int) string {
	var s strings.Builder
	for range events {
		s.WriteString(`data: {"id":"chatcmpl-1234567890","object":"chat.completion.chunk","created":1764000000,"model":"deepseek-v4-flash","system_fingerprint":"fp_0123456789","choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}]}` + "\n\n")
	}
	return s.String() + data(stopEvent, usageEvent, done)
}

// BenchmarkEvents is the reader of the event stream alone.
func BenchmarkEvents(b *testing.B) {
	body := []byte(streamBody(1000))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		e := eventReader{src: bytes.NewReader(body)}
		for {
			if _, err := e.next(); err != nil {
				break
			}
		}
	}
}

// BenchmarkStream is a whole answer of 1000 deltas through a real connection.
func BenchmarkStream(b *testing.B) {
	body := streamBody(1000)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, body)
	}))
	defer s.Close()
	m, err := New(Config{BaseURL: s.URL})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if a := ask(context.Background(), m, question("x")); a.err != nil {
			b.Fatal(a.err)
		}
	}
}
