package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"

	"github.com/dsh-go/dsh-workflow/internal/jsonl"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// Reopen takes a run that exists for writing, to go on with it. Damage that lost
// nothing is mended. Errors are of type [*Error]: UNKNOWN_RUN, and RUN_BUSY while
// another writer is at work; or a [*Gap], and then nothing was changed.
func (d *Dir) Reopen(ctx context.Context, id workflow.RunID) (workflow.Journal, workflow.Kept, error) {
	if err := ctx.Err(); err != nil {
		return nil, workflow.Kept{}, err
	}
	if err := d.known(id); err != nil {
		return nil, workflow.Kept{}, err
	}
	path := d.Path(id)
	w, report, err := d.writer(path, id, (&sequence{run: id}).check)
	if err != nil {
		return nil, workflow.Kept{}, reopenError(id, err)
	}
	w.past = true
	kept, err := d.kept(id)
	if err == nil {
		err = os.MkdirAll(filepath.Join(path, dirSessions), 0o700)
	}
	if err != nil {
		return nil, workflow.Kept{}, &Error{Kind: CodeWrite, Run: id, Err: errors.Join(err, w.release())}
	}
	for _, line := range report.Skipped {
		if !line.Torn {
			kept.Mended = append(kept.Mended, &Skipped{Line: line.Number, Why: line.Skipped})
		}
	}
	return w, kept, nil
}

func reopenError(id workflow.RunID, err error) error {
	var locked *jsonl.LockedError
	var gap *Gap
	switch {
	case errors.As(err, &gap):
		return gap
	case errors.As(err, &locked):
		return &Error{Kind: CodeBusy, Run: id, Err: err}
	}
	return &Error{Kind: CodeWrite, Run: id, Err: err}
}

// Look reads a run, also while it is being written. Where a record is missing its
// records end with a [*Gap].
func (d *Dir) Look(ctx context.Context, id workflow.RunID) (workflow.Kept, error) {
	if err := ctx.Err(); err != nil {
		return workflow.Kept{}, err
	}
	if err := d.known(id); err != nil {
		return workflow.Kept{}, err
	}
	return d.kept(id)
}

func (d *Dir) kept(id workflow.RunID) (workflow.Kept, error) {
	h, _, err := d.Header(id)
	if err != nil {
		return workflow.Kept{}, err
	}
	p := &places{dir: d, run: id}
	return workflow.Kept{Header: h, Records: p.records(), Record: p.record, Script: func(name string) ([]byte, error) {
		if name == "" {
			name = fileScript
		}
		if !plainName(workflow.RunID(name)) {
			return nil, &Error{Kind: CodeDamaged, Run: id, Err: fmt.Errorf("its script has the name %q", name)}
		}
		return d.read(id, name)
	}}, nil
}

// sequence looks for records that are missing between others.
type sequence struct {
	run  workflow.RunID
	last int
	odd  *Skipped // the first piece behind the last record that is none
}

func (n *sequence) check(line jsonl.Line) error {
	number, ok := numberOf(line.Value)
	switch {
	case !ok:
		if n.odd == nil {
			n.odd = &Skipped{Line: line.Number, Why: orText(line.Skipped, "not a record")}
		}
		return nil
	case number == n.last+1:
		n.last, n.odd = number, nil
		return nil
	case n.odd != nil:
		return &Gap{Run: n.run, Line: n.odd.Line, Why: n.odd.Why}
	}
	return &Gap{Run: n.run, Line: line.Number, Why: fmt.Sprintf("record %d where %d was expected", number, n.last+1)}
}

// numberOf reads the number of a record, mostly without decoding it.
func numberOf(value []byte) (int, bool) {
	if rest, ok := bytes.CutPrefix(value, []byte(`{"n":`)); ok {
		if digits, _, ok := bytes.Cut(rest, []byte(",")); ok {
			if n, err := strconv.Atoi(string(digits)); err == nil {
				return n, true
			}
		}
	}
	var r struct{ N int }
	err := json.Unmarshal(value, &r)
	return r.N, err == nil && r.N > 0
}

func orText(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// places remembers where the records of a run stand, so that one can be read
// again without keeping all of them in memory.
//
// Concurrency: records is ranged over before record is called.
type places struct {
	dir *Dir
	run workflow.RunID
	at  []place // of record n at n-1
}

type place struct{ offset, size int64 }

func (p *places) path() string { return filepath.Join(p.dir.Path(p.run), fileRecords) }

func (p *places) records() iter.Seq2[workflow.Record, error] {
	return func(yield func(workflow.Record, error) bool) {
		p.at = nil
		seen := &sequence{run: p.run}
		for line, err := range jsonl.Scan(p.path()) {
			if err != nil {
				yield(workflow.Record{}, &Error{Kind: CodeDamaged, Run: p.run, Err: err})
				return
			}
			if err := seen.check(line); err != nil {
				yield(workflow.Record{}, err)
				return
			}
			record, why := decode(line)
			if why != "" {
				if !yield(workflow.Record{}, &Skipped{Line: line.Number, Why: why}) {
					return
				}
				continue
			}
			p.at = append(p.at, place{line.Offset, line.Size})
			if !yield(record, nil) {
				return
			}
		}
	}
}

// record reads record n again.
func (p *places) record(n int) (r workflow.Record, err error) {
	if n < 1 || n > len(p.at) {
		return r, &Error{Kind: CodeDamaged, Run: p.run, Err: fmt.Errorf("there is no record %d", n)}
	}
	line, err := jsonl.At(p.path(), p.at[n-1].offset, p.at[n-1].size)
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	if err != nil {
		return r, &Error{Kind: CodeDamaged, Run: p.run, Err: fmt.Errorf("record %d: %w", n, err)}
	}
	if r.N != n {
		return r, &Error{Kind: CodeDamaged, Run: p.run, Err: fmt.Errorf("record %d stands where %d was", r.N, n)}
	}
	return r, nil
}
