package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"sync"

	"github.com/dsh-go/dsh-workflow/workflow"
)

// Memory keeps runs in memory, as the bytes that [Dir] would write. The zero
// value is an empty store; it must not be copied.
//
// Concurrency: every method may be called from any goroutine.
type Memory struct {
	mu   sync.Mutex
	runs map[workflow.RunID]*kept
}

var _ workflow.Store = (*Memory)(nil)

// kept is one run; its fields are guarded by the mutex of the store.
type kept struct {
	header  []byte
	script  []byte
	records [][]byte
	result  []byte
}

// Create keeps a run and returns its journal.
func (m *Memory) Create(ctx context.Context, h workflow.Header, script []byte) (workflow.Journal, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !plainName(h.RunID) {
		return nil, &Error{Kind: CodeInvalid, Run: h.RunID}
	}
	head, err := json.Marshal(h)
	if err != nil {
		return nil, &Error{Kind: CodeWrite, Run: h.RunID, Err: err}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runs[h.RunID] != nil {
		return nil, &Error{Kind: CodeExists, Run: h.RunID}
	}
	if m.runs == nil {
		m.runs = make(map[workflow.RunID]*kept)
	}
	m.runs[h.RunID] = &kept{header: head, script: bytes.Clone(script)}
	return &pen{store: m, id: h.RunID}, nil
}

// look returns a copy of what is known about a run.
func (m *Memory) look(id workflow.RunID) (kept, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	run := m.runs[id]
	if run == nil {
		return kept{}, &Error{Kind: CodeUnknown, Run: id}
	}
	return *run, nil
}

// Header returns what is fixed about a run.
func (m *Memory) Header(id workflow.RunID) (workflow.Header, error) {
	var h workflow.Header
	run, err := m.look(id)
	if err != nil {
		return h, err
	}
	return h, json.Unmarshal(run.header, &h)
}

// Script returns the source of a run as it was given.
func (m *Memory) Script(id workflow.RunID) ([]byte, error) {
	run, err := m.look(id)
	return bytes.Clone(run.script), err
}

// Result returns the envelope of a run; false when it has none yet.
func (m *Memory) Result(id workflow.RunID) (workflow.Result, bool, error) {
	var r workflow.Result
	run, err := m.look(id)
	if err != nil || run.result == nil {
		return r, false, err
	}
	return r, true, json.Unmarshal(run.result, &r)
}

// Records yields the records that a run has now, in order.
func (m *Memory) Records(id workflow.RunID) iter.Seq2[workflow.Record, error] {
	return func(yield func(workflow.Record, error) bool) {
		run, err := m.look(id)
		if err != nil {
			yield(workflow.Record{}, err)
			return
		}
		for _, line := range run.records {
			var record workflow.Record
			err := json.Unmarshal(line, &record)
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}

// pen is the journal of one run in memory.
//
// Concurrency: one goroutine at a time, as for every [workflow.Journal].
type pen struct {
	store  *Memory
	id     workflow.RunID
	closed bool
}

var _ workflow.Journal = (*pen)(nil)

// Dir returns "": there is no folder.
func (p *pen) Dir() string { return "" }

// Append adds records.
func (p *pen) Append(records []workflow.Record, _ bool) error {
	lines := make([][]byte, 0, len(records))
	for _, record := range records {
		line, err := json.Marshal(record)
		if err != nil {
			return &Error{Kind: CodeWrite, Run: p.id, Err: err}
		}
		lines = append(lines, line)
	}
	return p.change(func(run *kept) { run.records = append(run.records, lines...) })
}

// Finish keeps the envelope.
func (p *pen) Finish(r workflow.Result) error {
	text, err := json.Marshal(r)
	if err != nil {
		return &Error{Kind: CodeWrite, Run: p.id, Err: err}
	}
	return p.change(func(run *kept) { run.result = text })
}

func (p *pen) change(with func(*kept)) error {
	if p.closed {
		return &Error{Kind: CodeClosed, Run: p.id}
	}
	p.store.mu.Lock()
	defer p.store.mu.Unlock()
	with(p.store.runs[p.id])
	return nil
}

// Close ends the journal; the run stays in the store.
func (p *pen) Close() error {
	p.closed = true
	return nil
}
