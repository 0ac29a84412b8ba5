package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
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
	edited  [][]byte // later versions of the script
	busy    bool
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
	m.runs[h.RunID] = &kept{header: head, script: bytes.Clone(script), busy: true}
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

// Look reads a run.
func (m *Memory) Look(ctx context.Context, id workflow.RunID) (workflow.Kept, error) {
	run, err := m.look(id)
	if err != nil {
		return workflow.Kept{}, err
	}
	h, err := m.Header(id)
	return workflow.Kept{Header: h, Records: m.Records(id), Record: run.record, Script: run.version}, err
}

func (k kept) record(n int) (r workflow.Record, err error) {
	return r, json.Unmarshal(k.records[n-1], &r)
}

func (k kept) version(name string) ([]byte, error) {
	if name == "" {
		return bytes.Clone(k.script), nil
	}
	i, err := strconv.Atoi(name)
	if err != nil || i < 1 || i > len(k.edited) {
		return nil, fmt.Errorf("there is no version %q of the script", name)
	}
	return bytes.Clone(k.edited[i-1]), nil
}

// Reopen takes a run for writing again.
func (m *Memory) Reopen(ctx context.Context, id workflow.RunID) (workflow.Journal, workflow.Kept, error) {
	if err := m.take(id); err != nil {
		return nil, workflow.Kept{}, err
	}
	k, err := m.Look(ctx, id)
	return &pen{store: m, id: id}, k, err
}

func (m *Memory) take(id workflow.RunID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	run := m.runs[id]
	switch {
	case run == nil:
		return &Error{Kind: CodeUnknown, Run: id}
	case run.busy:
		return &Error{Kind: CodeBusy, Run: id}
	}
	run.busy, run.result = true, nil
	return nil
}

// Fork makes the run of h from a copy of run id.
func (m *Memory) Fork(ctx context.Context, id workflow.RunID, h workflow.Header, before int) (workflow.Journal, workflow.Kept, error) {
	from, err := m.look(id)
	if err != nil {
		return nil, workflow.Kept{}, err
	}
	j, err := m.Create(ctx, h, from.script)
	if err != nil {
		return nil, workflow.Kept{}, err
	}
	records := from.records
	if before > 0 {
		records = records[:min(len(records), before-1)]
	}
	err = j.(*pen).change(func(run *kept) { run.edited, run.records = slices.Clone(from.edited), slices.Clone(records) })
	if err != nil {
		return nil, workflow.Kept{}, err
	}
	k, err := m.Look(ctx, h.RunID)
	return j, k, err
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

// AddScript keeps another version of the script.
func (p *pen) AddScript(source []byte) (name string, err error) {
	err = p.change(func(run *kept) {
		run.edited = append(run.edited, bytes.Clone(source))
		name = fmt.Sprint(len(run.edited))
	})
	return name, err
}

// Close ends the journal; the run stays in the store.
func (p *pen) Close() error {
	if p.closed {
		return nil
	}
	err := p.change(func(run *kept) { run.busy = false })
	p.closed = true
	return err
}
