package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-go/dsh-workflow/llm/sim"
)

// Options tune a server. The zero value answers everybody at once.
type Options struct {
	// Port on the loopback address; 0 lets the system choose.
	Port int
	// Latency passes before the headers of an answer, TTFT more before its first event.
	Latency, TTFT time.Duration

	// RPM is how many requests are admitted in any 60 seconds, Concurrency how
	// many at once; more are refused with 429. 0 is no limit.
	RPM, Concurrency int
	// RetryAfter are the values of the Retry-After header of these refusals, used
	// in turn. A value such as "retry-after-ms: 1500" names another header. Without
	// any, the header says when the request would be admitted, or one second.
	RetryAfter []string

	// Models that exist; nil means all.
	Models []string
	// Key that requests must bear; empty means none.
	Key string
	// StrictHistory refuses, with 400, every history in which [CheckHistory] finds a fault.
	StrictHistory bool
	// DeepSeek refuses what the thinking models of that vendor refuse: a forced
	// tool, and tool calls sent back without the reasoning that led to them.
	DeepSeek bool

	// Log receives one JSON line a request: {n, at, path, auth, body}. It is
	// written to by one goroutine at a time.
	Log io.Writer
	// KeepBytes bounds the bodies kept for [Server.Requests], oldest dropped
	// first; 0 means 256 MiB, negative keeps none.
	KeepBytes int
}

const (
	defaultKeepBytes = 256 << 20
	maxBody          = 64 << 20
)

// Server is a running server.
//
// Concurrency: all methods may be called from any goroutine. Each request runs on
// a goroutine of its own; what they share is in the ledger, under its mutex, and
// in the prefix cache. Close ends them all and waits for them.
type Server struct {
	// URL is the base URL for a client, with the path /v1.
	URL string

	opts   Options
	http   *http.Server
	ledger ledger
	stop   context.CancelFunc
	conns  sync.WaitGroup
	served chan struct{}
}

// Start opens a server for the time of a test.
func Start(t testing.TB, opts Options) *Server {
	t.Helper()
	s, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// New opens a server on the loopback address. The caller closes it.
func New(opts Options) (*Server, error) {
	if opts.KeepBytes == 0 {
		opts.KeepBytes = defaultKeepBytes
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(opts.Port)))
	if err != nil {
		return nil, fmt.Errorf("open model server: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{
		URL:    "http://" + listener.Addr().String() + "/v1",
		opts:   opts,
		stop:   stop,
		served: make(chan struct{}),
	}
	s.ledger.clear()
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: time.Minute,
		ErrorLog:          log.New(io.Discard, "", 0),
		ConnState:         s.count,
	}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(listener) // ends with ErrServerClosed, by Close only
	}()
	return s, nil
}

// count keeps the number of connections. A new one is announced by the goroutine
// that accepts, so nothing is added once that has ended.
func (s *Server) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.conns.Done()
	case http.StateActive, http.StateIdle:
	}
}

// Close ends all connections and returns when none is left. It may be called
// more than once.
func (s *Server) Close() {
	s.stop()
	_ = s.http.Close()
	<-s.served
	s.conns.Wait()
}

// Requests returns what has arrived so far at the chat endpoint, in the order of
// arrival, refused requests included.
func (s *Server) Requests() []Recorded { return s.ledger.requests() }

// Stats returns the counters.
func (s *Server) Stats() Stats { return s.ledger.counters() }

// Reset forgets requests, counters, failures already played, prefixes and the
// window of RPM.
func (s *Server) Reset() { s.ledger.clear() }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/__stats":
		writeJSON(w, http.StatusOK, s.Stats())
	case r.URL.Path == "/__reset" && r.Method == http.MethodPost:
		s.Reset()
		writeJSON(w, http.StatusOK, map[string]bool{"ok": true})
	case strings.HasSuffix(r.URL.Path, "/models"):
		s.models(w, r)
	case strings.HasSuffix(r.URL.Path, "/chat/completions") && r.Method == http.MethodPost:
		s.chat(w, r)
	default:
		refuse(w, http.StatusNotFound, "not_found", "no such endpoint: "+r.Method+" "+r.URL.Path)
	}
}

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	if !s.bears(r) {
		refuse(w, http.StatusUnauthorized, "invalid_api_key", "incorrect API key provided")
		return
	}
	names := s.opts.Models
	if names == nil {
		names = []string{"mock"}
	}
	type entry struct {
		ID     string `json:"id"`
		Object string `json:"object"`
	}
	list := make([]entry, 0, len(names))
	for _, n := range names {
		list = append(list, entry{ID: n, Object: "model"})
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}

// chat takes a request through the checks, in the order in which real servers
// make them, and hands it to the script.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			refuse(w, http.StatusRequestEntityTooLarge, "request_too_large", err.Error())
		}
		return
	}
	n := s.ledger.arrive(r, body, &s.opts)
	w.Header().Set("X-Request-Id", fmt.Sprintf("req-%d", n))

	if !s.bears(r) {
		s.ledger.fail()
		refuse(w, http.StatusUnauthorized, "invalid_api_key", "incorrect API key provided")
		return
	}
	var req request
	if err := json.Unmarshal(body, &req); err != nil {
		s.ledger.fail()
		refuse(w, http.StatusBadRequest, "invalid_request_error", "the body is not a request: "+err.Error())
		return
	}
	if !s.knows(req.Model) {
		s.ledger.fail()
		refuse(w, http.StatusNotFound, "model_not_found", fmt.Sprintf("the model %q does not exist", req.Model))
		return
	}
	slot, refusal := s.ledger.admit(&s.opts)
	if refusal != nil {
		refusal.write(w)
		return
	}
	defer slot.release()
	if err := s.inspect(&req, body); err != nil {
		s.ledger.fail()
		slot.release()
		refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	play := &performance{server: s, w: w, r: r, req: &req, n: n, slot: slot}
	play.run()
}

// bears says whether a request has the key that is asked for.
func (s *Server) bears(r *http.Request) bool {
	return s.opts.Key == "" || r.Header.Get("Authorization") == "Bearer "+s.opts.Key
}

func (s *Server) knows(model string) bool {
	if s.opts.Models == nil {
		return true
	}
	for _, m := range s.opts.Models {
		if m == model {
			return true
		}
	}
	return false
}

func (s *Server) inspect(req *request, body []byte) error {
	if s.opts.StrictHistory {
		if err := CheckHistory(body); err != nil {
			return err
		}
	}
	if s.opts.DeepSeek {
		return s.ledger.checkThinking(req)
	}
	return nil
}

// refuse answers with an error in the usual envelope.
func refuse(w http.ResponseWriter, status int, code, message string) {
	kind := "invalid_request_error"
	switch {
	case status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case status >= 500:
		kind = "server_error"
	}
	writeJSON(w, status, map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": code}})
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // a client that left is no fault
}

// request is what the server reads of a body.
type request struct {
	Model      string            `json:"model"`
	Stream     bool              `json:"stream"`
	Tools      json.RawMessage   `json:"tools"`
	ToolChoice json.RawMessage   `json:"tool_choice"`
	Messages   []json.RawMessage `json:"messages"`
}

// turns is the conversation as scripts see it.
func (r *request) turns() []sim.Turn {
	out := make([]sim.Turn, 0, len(r.Messages))
	for _, raw := range r.Messages {
		var m struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		}
		_ = json.Unmarshal(raw, &m) // a message that is none has no role and is skipped
		t := sim.Turn{Role: m.Role}
		if m.Role == "user" {
			t.Text = textOf(m.Content)
		}
		out = append(out, t)
	}
	return out
}

// text is all that is said in the request, oldest first.
func (r *request) text() string {
	var out strings.Builder
	for _, raw := range r.Messages {
		var m struct {
			Content   json.RawMessage `json:"content"`
			Reasoning string          `json:"reasoning_content"`
			Calls     []struct {
				Function struct {
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		}
		_ = json.Unmarshal(raw, &m) // a message that is none says nothing
		out.WriteString(m.Reasoning + "\n" + textOf(m.Content) + "\n")
		for _, c := range m.Calls {
			out.WriteString(c.Function.Arguments + "\n")
		}
	}
	return out.String()
}

// textOf reads content, which is a string or a list of parts.
func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(content, &parts)
	for _, p := range parts {
		text += p.Text
	}
	return text
}

// captureTool returns the name and the schema of the structured-output tool.
func (r *request) captureTool() (name string, schema json.RawMessage) {
	var tools []struct {
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	}
	_ = json.Unmarshal(r.Tools, &tools)
	for _, t := range tools {
		if t.Function.Name == sim.CaptureName || (name == "" && sim.IsCapture(t.Function.Name)) {
			name, schema = t.Function.Name, t.Function.Parameters
		}
	}
	return name, schema
}
