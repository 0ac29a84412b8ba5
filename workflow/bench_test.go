package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
	"github.com/dsh-go/dsh-workflow/vm"
)

// store keeps journals in memory and can be made to fail.
type store struct {
	mu       sync.Mutex
	records  []Record
	durable  int // records that a sync has covered
	syncs    int
	result   *Result
	refusals int // how many of the next appends fail
	closed   bool
	header   Header
	scripts  []string
}

func (s *store) Create(_ context.Context, h Header, script []byte) (Journal, error) {
	s.header, s.scripts = h, []string{string(script)}
	return s, nil
}

func (s *store) AddScript(source []byte) (string, error) {
	s.scripts = append(s.scripts, string(source))
	return fmt.Sprint(len(s.scripts) - 1), nil
}

func (s *store) Look(context.Context, RunID) (Kept, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	records := slices.Clone(s.records)
	return Kept{
		Header: s.header,
		Records: func(yield func(Record, error) bool) {
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
			}
		},
		Record: func(n int) (Record, error) { return records[n-1], nil },
		Script: func(name string) ([]byte, error) {
			if name == "" {
				name = "0"
			}
			i, err := strconv.Atoi(name)
			return []byte(s.scripts[i]), err
		},
	}, nil
}

func (s *store) Reopen(ctx context.Context, id RunID) (Journal, Kept, error) {
	s.result, s.closed = nil, false
	kept, err := s.Look(ctx, id)
	return s, kept, err
}

func (s *store) Fork(ctx context.Context, id RunID, h Header, _ int) (Journal, Kept, error) {
	fork := s.until(-1)
	fork.header = h
	return fork.Reopen(ctx, id)
}

// until is a copy that a crash behind record n left; a negative n is now.
func (s *store) until(n int) *store {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < 0 {
		n = len(s.records)
	}
	return &store{records: slices.Clone(s.records[:n]), header: s.header, scripts: slices.Clone(s.scripts)}
}

func (s *store) Append(records []Record, sync bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refusals != 0 {
		s.refusals--
		return errors.New("no space left on device")
	}
	s.records = append(s.records, records...)
	if sync {
		s.syncs++
		s.durable = len(s.records)
	}
	return nil
}

func (s *store) Finish(r Result) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.result = &r
	return nil
}

func (s *store) Dir() string { return "" }

func (s *store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

// trial is one engine over a scripted provider.
type trial struct {
	t        *testing.T
	store    *store
	provider *subagenttest.Scripted
	engine   *Engine
}

func newTrial(t *testing.T, script func(subagent.Request) subagenttest.Script) *trial {
	t.Helper()
	p := subagenttest.NewScriptedFunc("spawn", script)
	providers, err := subagent.NewRegistry(p)
	if err != nil {
		t.Fatal(err)
	}
	s := &store{}
	e, err := New(Config{Providers: providers, Store: s, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return &trial{t: t, store: s, provider: p, engine: e}
}

// echo is a provider that answers with the prompt.
func echo(req subagent.Request) subagenttest.Script { return subagenttest.Script{Reply: req.Prompt} }

const head = `export const meta = { name: 'trial', description: 'a test' }; `

// request is a body under a meta statement on its first line.
func request(body string) Request {
	return Request{Source: head + body, Root: "/"}
}

func (tr *trial) start(ctx context.Context, req Request) *Run {
	tr.t.Helper()
	r, err := tr.engine.Start(ctx, req)
	if err != nil {
		tr.t.Fatalf("start: %v", err)
	}
	return r
}

// run runs a request to its end and checks what holds for every run.
func (tr *trial) run(req Request) Result {
	tr.t.Helper()
	r := tr.start(tr.t.Context(), req)
	return tr.wait(r)
}

func (tr *trial) wait(r *Run) Result {
	tr.t.Helper()
	res, err := r.Wait(context.Background())
	if err != nil {
		tr.t.Fatal(err)
	}
	tr.checkLog(r, res)
	return res
}

// checkLog holds the journal against the result: records are numbered and all
// durable, every start has one end, the census adds up, RunEnded is last.
func (tr *trial) checkLog(r *Run, res Result) {
	tr.t.Helper()
	s := tr.store
	s.mu.Lock()
	defer s.mu.Unlock()
	open := map[Seq]string{}
	ended := map[Seq]bool{}
	for i, rec := range s.records {
		if rec.N != i+1 {
			tr.t.Fatalf("record %d has number %d", i, rec.N)
		}
		switch f := rec.Fact.(type) {
		case AgentStarted:
			if open[f.Seq] != "" || ended[f.Seq] {
				tr.t.Errorf("agent %d started twice", f.Seq)
			}
			open[f.Seq] = f.Child
		case AgentEnded:
			if open[f.Seq] != f.Child || ended[f.Seq] {
				tr.t.Errorf("end of agent %d has no start of its own", f.Seq)
			}
			ended[f.Seq] = true
		case RunEnded:
			if i != len(s.records)-1 {
				tr.t.Errorf("RunEnded is record %d of %d", i+1, len(s.records))
			}
		}
	}
	a := res.Agents
	if len(open) != len(ended) || a.Started != len(open) || a.Started != a.Completed+a.Failed+a.Cancelled {
		tr.t.Errorf("%d starts, %d ends, census %+v", len(open), len(ended), a)
	}
	if s.durable != len(s.records) || s.result == nil || !s.closed {
		tr.t.Errorf("%d of %d records durable, result kept: %v, closed: %v", s.durable, len(s.records), s.result != nil, s.closed)
	}
	n := 0
	for i := range r.Follow(context.Background(), 0) {
		n = i + 1
	}
	if n != len(s.records) {
		tr.t.Errorf("%d records were observable of %d", n, len(s.records))
	}
}

// facts returns the facts of one type, in order.
func facts[F Fact](s *store) []F {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []F
	for _, r := range s.records {
		if f, ok := r.Fact.(F); ok {
			out = append(out, f)
		}
	}
	return out
}

func wantValue(t *testing.T, res Result, want string) {
	t.Helper()
	if res.Status != StatusCompleted && res.Status != StatusWithFailed {
		t.Fatalf("status %s, error %+v", res.Status, res.Error)
	}
	if string(res.Value) != want {
		t.Errorf("value %s, want %s", res.Value, want)
	}
}

func wantFault(t *testing.T, res Result, status Status, code Code, text string) {
	t.Helper()
	if res.Status != status || res.Error == nil {
		t.Fatalf("status %s with %+v, want %s %s", res.Status, res.Error, status, code)
	}
	if res.Error.Code != string(code) || !strings.Contains(res.Error.Message, text) {
		t.Errorf("error %s %q, want %s with %q", res.Error.Code, res.Error.Message, code, text)
	}
}

// fakeHost lets a test call the hooks of a run without a script.
var _ Realm = realmFunc(nil)

type realmFunc func(context.Context, vm.Script, vm.Host) (vm.Result, error)

func (f realmFunc) Run(ctx context.Context, s vm.Script, h vm.Host) (vm.Result, error) {
	return f(ctx, s, h)
}

func lines(parts ...string) string { return strings.Join(parts, "\n") }

func list(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(parts, ",")
}
