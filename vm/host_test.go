package vm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
)

// testHost answers a realm in tests. Each field may be left out.
type testHost struct {
	agent func(AgentCall, Settle) error
	phase func(string) error
	spent float64

	mu     sync.Mutex
	calls  []AgentCall
	phases []string
	notes  []Note
}

var _ Host = (*testHost)(nil)

func (h *testHost) Agent(c AgentCall, settle Settle) error {
	h.mu.Lock()
	h.calls = append(h.calls, c)
	h.mu.Unlock()
	if h.agent != nil {
		return h.agent(c, settle)
	}
	settle(text("answer to "+c.Prompt), nil)
	return nil
}

func (h *testHost) Phase(title string) error {
	h.phases = append(h.phases, title)
	if h.phase != nil {
		return h.phase(title)
	}
	return nil
}

func (h *testHost) Note(n Note) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notes = append(h.notes, n)
}

func (h *testHost) Spent(int) float64 { return h.spent }

func (h *testHost) After(d time.Duration, fire func()) func() {
	t := time.AfterFunc(d, fire)
	return func() { t.Stop() }
}

// of is the messages of one kind of note.
func (h *testHost) of(kind string) []string {
	var out []string
	for _, n := range h.notes {
		if n.Kind == kind {
			out = append(out, n.Message)
		}
	}
	return out
}

func text(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}

// fault is an error of the host with a code.
type fault struct{ code, message string }

func (f *fault) Error() string { return f.message }
func (f *fault) Code() string  { return f.code }

func run(t testing.TB, h Host, body string) (string, error) {
	t.Helper()
	return runScript(t, h, Script{Name: "t", Body: body})
}

func runScript(t testing.TB, h Host, s Script) (string, error) {
	t.Helper()
	return runWith(t, h, s, Options{})
}

func runWith(t testing.TB, h Host, s Script, o Options) (string, error) {
	t.Helper()
	r, err := TestEngine(o).Run(t.Context(), s, h)
	return string(r.Value), err
}

// want runs a body that must succeed.
func want(t *testing.T, body, value string) *testHost {
	t.Helper()
	h := &testHost{}
	got, err := run(t, h, body)
	if err != nil || got != value {
		t.Errorf("%s\n got %s, %v\nwant %s", body, got, err, value)
	}
	return h
}

// wantCode runs a body that must fail with a code, and returns the error.
func wantCode(t *testing.T, h Host, body, code string) error {
	t.Helper()
	got, err := run(t, h, body)
	var coded interface{ Code() string }
	if !errors.As(err, &coded) || coded.Code() != code {
		t.Errorf("%s\n got %s, %v\nwant %s", body, got, err, code)
	}
	if err == nil {
		err = fmt.Errorf("no error")
	}
	return err
}

// realmOf starts a realm whose insides the test can see.
func realmOf(t *testing.T, h Host, body string) (*realm, func(context.Context) (Result, error)) {
	t.Helper()
	s, o := Script{Name: "t", Body: body}, Options{}.withDefaults()
	prog, err := compile(s, o)
	if err != nil {
		t.Fatal(err)
	}
	r := newRealm(s, h, o)
	return r, func(ctx context.Context) (Result, error) { return r.run(ctx, prog) }
}
