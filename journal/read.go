package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh-workflow/internal/jsonl"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// Header returns what is fixed about a run, and the process that started it.
func (d *Dir) Header(id workflow.RunID) (workflow.Header, Owner, error) {
	var head runFile
	if err := d.json(id, fileRun, &head); err != nil {
		return workflow.Header{}, Owner{}, err
	}
	return head.Header, head.Owner, nil
}

// Script returns the source of a run as it was given.
func (d *Dir) Script(id workflow.RunID) ([]byte, error) { return d.read(id, fileScript) }

// Result returns the envelope of a run; false when the run has none, because it
// is running or its process is gone.
func (d *Dir) Result(id workflow.RunID) (workflow.Result, bool, error) {
	var r workflow.Result
	err := d.json(id, fileResult, &r)
	if errors.Is(err, fs.ErrNotExist) && d.known(id) == nil {
		return workflow.Result{}, false, nil
	}
	return r, err == nil, err
}

// Writing returns the process that writes to a run now; false when none does. A
// run without a result and without a writer was interrupted.
func (d *Dir) Writing(id workflow.RunID) (Owner, bool) {
	if d.known(id) != nil {
		return Owner{}, false
	}
	owner, held := jsonl.Held(filepath.Join(d.Path(id), fileLock))
	return Owner(owner), held
}

// Records yields the records of a run in order, also while it is being written.
// A piece that is no record is yielded as an error of type [*Skipped], and so is
// a gap in the numbers; the records behind it follow. Any other error is the
// last. Records of types that this version does not know come as
// [workflow.Unknown].
func (d *Dir) Records(id workflow.RunID) iter.Seq2[workflow.Record, error] {
	return func(yield func(workflow.Record, error) bool) {
		if err := d.known(id); err != nil {
			yield(workflow.Record{}, err)
			return
		}
		next := 1
		for line, err := range jsonl.Scan(filepath.Join(d.Path(id), fileRecords)) {
			if err != nil {
				yield(workflow.Record{}, &Error{Kind: CodeDamaged, Run: id, Err: err})
				return
			}
			record, why := decode(line)
			if why == "" && record.N != next {
				if !yield(workflow.Record{}, &Skipped{Line: line.Number, Why: fmt.Sprintf("record %d where %d was expected", record.N, next)}) {
					return
				}
			}
			if why != "" {
				if !yield(workflow.Record{}, &Skipped{Line: line.Number, Why: why}) {
					return
				}
				continue
			}
			next = record.N + 1
			if !yield(record, nil) {
				return
			}
		}
	}
}

// decode reads the record of a line, or says why there is none.
func decode(line jsonl.Line) (record workflow.Record, why string) {
	if line.Value == nil {
		return workflow.Record{}, line.Skipped
	}
	if err := json.Unmarshal(line.Value, &record); err != nil {
		return workflow.Record{}, err.Error()
	}
	return record, ""
}

func (d *Dir) json(id workflow.RunID, name string, into any) error {
	text, err := d.read(id, name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return &Error{Kind: CodeDamaged, Run: id, Err: fmt.Errorf("%s: %w", name, err)}
	}
	return nil
}

func (d *Dir) read(id workflow.RunID, name string) ([]byte, error) {
	if !plainName(id) {
		return nil, &Error{Kind: CodeInvalid, Run: id}
	}
	text, err := os.ReadFile(filepath.Join(d.Path(id), name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{Kind: CodeUnknown, Run: id, Err: err}
	case err != nil:
		return nil, &Error{Kind: CodeDamaged, Run: id, Err: err}
	}
	return text, nil
}
