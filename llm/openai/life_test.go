package openai

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/dsh-go/dsh-workflow/llm"
)

// pipes is a listener whose connections are pipes in memory, so that a server
// and its clients can live in virtual time.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}
func (p pipes) Close() error   { close(p.done); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// inBubble runs a test in virtual time against a handler.
func inBubble(t *testing.T, stall time.Duration, h http.HandlerFunc, f func(t *testing.T, m *Model)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := pipes{make(chan net.Conn), make(chan struct{})}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // only then does the server watch the connection
			h(w, r)
		})}
		served := make(chan error)
		go func() { served <- server.Serve(l) }()
		tr := NewTransport()
		tr.Proxy, tr.DialContext = nil, l.dial
		m, err := New(Config{Provider: "test", BaseURL: "http://localhost/v1", HTTP: tr, Stall: stall})
		if err != nil {
			t.Fatal(err)
		}
		f(t, m)
		tr.CloseIdleConnections()
		server.Close()
		<-served
	})
}

// say writes and flushes. A handler waits with pause, which ends with the
// request.
func say(w http.ResponseWriter, s string) {
	io.WriteString(w, s)
	w.(http.Flusher).Flush()
}

func pause(r *http.Request, d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.Context().Done():
	}
}

// proves: A317
func TestC18Silence(t *testing.T) {
	const stall = 10 * time.Second
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
		after   time.Duration
	}{
		"no headers": {func(w http.ResponseWriter, r *http.Request) { pause(r, time.Hour) }, "! TIMEOUT", stall},
		"headers then nothing": {func(w http.ResponseWriter, r *http.Request) {
			say(w, "")
			pause(r, time.Hour)
		}, "! TIMEOUT", stall},
		"one chunk then nothing": {func(w http.ResponseWriter, r *http.Request) {
			pause(r, stall-time.Second)
			say(w, data(textEvent("a")))
			pause(r, time.Hour)
		}, "text a | ! TIMEOUT", 2*stall - time.Second},
		"error without an end": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(500)
			say(w, "x")
			pause(r, time.Hour)
		}, "! SERVER", stall},
		"comments": {func(w http.ResponseWriter, r *http.Request) {
			for range 600 {
				pause(r, 50*time.Millisecond)
				say(w, ": ka\n\n")
			}
			say(w, data(textEvent("a"), stopEvent, done))
		}, "text a | stop", 3 * stall},
		"one byte at a time": {func(w http.ResponseWriter, r *http.Request) {
			for _, b := range data(textEvent("a"), stopEvent, done) {
				pause(r, 4*time.Second)
				say(w, string(b))
			}
		}, "text a | stop", time.Duration(len(data(textEvent("a"), stopEvent, done))-1) * 4 * time.Second},
		"reasoning": {func(w http.ResponseWriter, r *http.Request) {
			for range 4 {
				say(w, data(`{"choices":[{"delta":{"reasoning_content":"r"}}]}`))
				pause(r, stall/2)
			}
			say(w, data(textEvent("a"), stopEvent, done))
		}, "reasoning rrrr | text a | stop", 2 * stall},
		"no end mark": {func(w http.ResponseWriter, r *http.Request) {
			say(w, data(textEvent("a"), stopEvent))
			pause(r, time.Hour)
		}, "text a | stop", finishGrace},
		"open after the end mark": {func(w http.ResponseWriter, r *http.Request) {
			say(w, data(textEvent("a"), stopEvent, done))
			pause(r, time.Hour)
		}, "text a | stop", drainGrace},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, stall, c.handler, func(t *testing.T, m *Model) {
				start := time.Now()
				a := ask(t.Context(), m, question("x"))
				took := time.Since(start)
				if a.text() != c.want {
					t.Errorf("got %q, want %q (%v)", a.text(), c.want, a.err)
				}
				if took < c.after || took > c.after+time.Second {
					t.Errorf("took %v, want %v", took, c.after)
				}
			})
		})
	}
}

func TestStallOfTheRequestWins(t *testing.T) {
	inBubble(t, 0, func(w http.ResponseWriter, r *http.Request) { pause(r, time.Hour) }, func(t *testing.T, m *Model) {
		start := time.Now()
		req := question("x")
		req.Stall = 3 * time.Second
		if a := ask(t.Context(), m, req); a.err.Kind != llm.CodeTimeout || time.Since(start) != 3*time.Second {
			t.Errorf("%v after %v", a.err, time.Since(start))
		}
		if a := ask(t.Context(), m, question("x")); a.err.Kind != llm.CodeTimeout || time.Since(start) != 3*time.Second+DefaultStall {
			t.Errorf("%v after %v", a.err, time.Since(start))
		}
	})
}

func TestSlowReaderIsNoStall(t *testing.T) {
	inBubble(t, time.Second, func(w http.ResponseWriter, r *http.Request) {
		for range 5 {
			say(w, data(textEvent("a")))
		}
		say(w, data(stopEvent, done))
	}, func(t *testing.T, m *Model) {
		n := 0
		for c, err := range m.Stream(t.Context(), question("x")) {
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := c.(llm.TextDelta); ok {
				n++
				time.Sleep(time.Minute)
			}
		}
		if n != 5 {
			t.Error(n)
		}
	})
}

// proves: A317
func TestAbort(t *testing.T) {
	inBubble(t, 0, func(w http.ResponseWriter, r *http.Request) {
		say(w, data(textEvent("a")))
		pause(r, time.Hour)
	}, func(t *testing.T, m *Model) {
		why := errors.New("the run was cancelled")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(why) })
		start := time.Now()
		a := ask(ctx, m, question("x"))
		if a.text() != "text a | ! ABORTED" || !errors.Is(a.err, why) || time.Since(start) != time.Second {
			t.Error(a.text(), llm.Chain(a.err), time.Since(start))
		}
		if b := ask(ctx, m, question("x")); b.text() != "! ABORTED" || !errors.Is(b.err, why) {
			t.Error(b.text(), b.err)
		}
		late, cancelLate := context.WithTimeout(t.Context(), time.Second)
		defer cancelLate()
		if b := ask(late, m, question("x")); b.text() != "text a | ! ABORTED" || !errors.Is(b.err, context.DeadlineExceeded) {
			t.Error(b.text(), b.err)
		}
	})
}

func TestBreakEndsTheRequest(t *testing.T) {
	ended := make(chan struct{}, 1)
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		say(w, data(textEvent("a")))
		<-r.Context().Done()
		ended <- struct{}{}
	})
	for range m.Stream(t.Context(), question("x")) {
		break
	}
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Error("the server never saw the end of the request")
	}
}

func TestConnectionsAreReusedAndReleased(t *testing.T) {
	var opened atomic.Int32
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("User-Agent") {
		case "fail":
			w.WriteHeader(500)
			w.Write(bytes.Repeat([]byte("x"), 2000))
		case "bare":
			io.WriteString(w, `{"choices":[{"message":{"content":"x"}}]}`)
		default:
			for range 50 {
				say(w, data(textEvent("a")))
			}
			say(w, data(stopEvent, done))
		}
	})
	s := httptest.NewUnstartedServer(handler)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	tr := NewTransport()
	defer tr.CloseIdleConnections()
	for _, agent := range []string{"ok", "fail", "bare", "ok", "fail", "ok"} {
		m, err := New(Config{BaseURL: s.URL, HTTP: tr, UserAgent: agent})
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			ask(t.Context(), m, question("x"))
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections for 30 requests in a row", n)
	}
}

func TestManyStreamsAtOnce(t *testing.T) {
	defer goleak.VerifyNone(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.ContentLength != int64(len(body)) {
			t.Errorf("length %d of %d bytes", r.ContentLength, len(body))
		}
		var who [1]byte
		if i := bytes.Index(body, []byte("who:")); i > 0 {
			who[0] = body[i+4]
		}
		for range 20 {
			say(w, data(textEvent(string(who[:]))))
		}
		if who[0] == 'b' {
			panic(http.ErrAbortHandler)
		}
		say(w, data(stopEvent, done))
	}))
	defer s.Close()
	m, err := New(Config{BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			who := string("abc"[i%3])
			text := string(bytes.Repeat([]byte(who), 20))
			switch who {
			case "a":
				if a := ask(t.Context(), m, question("who:a")); a.text() != "text "+text+" | stop" {
					t.Error(a.text())
				}
			case "b":
				if a := ask(t.Context(), m, question("who:b")); a.text() != "text "+text+" | ! STREAM_CLOSED" {
					t.Error(a.text())
				}
			default:
				for range m.Stream(t.Context(), question("who:c")) {
					break
				}
			}
		})
	}
	wg.Wait()
}

func TestNobodyListens(t *testing.T) {
	m, err := New(Config{Provider: "gone", BaseURL: "http://127.0.0.1:1/v1"})
	if err != nil {
		t.Fatal(err)
	}
	a := ask(t.Context(), m, question("x"))
	if a.text() != "! TRANSPORT" || a.err.Err == nil {
		t.Error(a.text(), a.err)
	}
}

// TestWireEqualsEncode compares what a server receives with what Encode says.
func TestWireEqualsEncode(t *testing.T) {
	var got []byte
	var header http.Header
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got, _ = io.ReadAll(r.Body)
		header = r.Header
		if r.URL.Path != "/v1/chat/completions" || r.Method != http.MethodPost {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		say(w, data(textEvent("a"), stopEvent, done))
	})
	req := question("é \u2028 <&> \" \\ \x01")
	req.System, req.Config.Effort = "system", "high"
	ask(t.Context(), m, req)
	want, err := Encode(req, m.Profile())
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if header.Get("Content-Type") != "application/json" || header.Get("Accept") != "text/event-stream" || header.Get("User-Agent") != "dsh-workflow" {
		t.Error(header)
	}
}

// TestHTTP2 repeats what depends on the protocol below: an answer, a break, a
// stall and an abort.
func TestHTTP2(t *testing.T) {
	defer goleak.VerifyNone(t)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.ProtoMajor != 2 {
			t.Errorf("protocol %s", r.Proto)
		}
		say(w, data(textEvent("a")))
		if bytes.Contains(body, []byte("hang")) {
			<-r.Context().Done()
			return
		}
		say(w, data(stopEvent, done))
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	tr := NewTransport()
	tr.TLSClientConfig = s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	defer tr.CloseIdleConnections()
	m, err := New(Config{BaseURL: s.URL, Key: "k", HTTP: tr})
	if err != nil {
		t.Fatal(err)
	}
	if a := ask(t.Context(), m, question("x")); a.text() != "text a | stop" {
		t.Error(a.text(), a.err)
	}
	for range m.Stream(t.Context(), question("hang")) {
		break
	}
	hang := question("hang")
	hang.Stall = 100 * time.Millisecond
	if a := ask(t.Context(), m, hang); a.err == nil || a.err.Kind != llm.CodeTimeout {
		t.Error(a.text(), a.err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range m.Stream(ctx, question("hang")) {
		cancel()
		last = err
	}
	if failed := llm.AsError(last); failed == nil || failed.Kind != llm.CodeAborted {
		t.Error(last)
	}
}
