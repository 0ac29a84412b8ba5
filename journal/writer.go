package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh-workflow/internal/atomicfile"
	"github.com/dsh-go/dsh-workflow/internal/jsonl"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// keptBytes of records without a sync are synced, so that they need not be kept
// in memory any longer.
const keptBytes = 1 << 20

// writer is the journal of one run on disk.
//
// Concurrency: one goroutine at a time, as for every [workflow.Journal].
type writer struct {
	dir  string
	id   workflow.RunID
	file *jsonl.File // nil once closed
	lock *jsonl.Lock
	kept [][]byte // appended without a sync; the disk may still lose them
	size int      // bytes of kept
	lost bool     // a failed sync took kept from the file
	past bool     // a result of an earlier history may be there
}

var _ workflow.Journal = (*writer)(nil)

// Dir returns the run's folder.
func (w *writer) Dir() string { return w.dir }

// Append adds records. After an error nothing of the batch is in the file, and
// what an earlier batch without sync had put there is put there again next time.
func (w *writer) Append(records []workflow.Record, sync bool) error {
	if w.file == nil {
		return &Error{Kind: CodeClosed, Run: w.id}
	}
	if err := w.keepResult(); err != nil {
		return &Error{Kind: CodeWrite, Run: w.id, Err: err}
	}
	lines := make([][]byte, 0, len(records))
	size := 0
	for _, record := range records {
		line, err := json.Marshal(record)
		if err != nil {
			return &Error{Kind: CodeWrite, Run: w.id, Err: err}
		}
		lines = append(lines, line)
		size += len(line)
	}
	if err := w.put(lines); err != nil {
		return err
	}
	if !sync && w.size+size < keptBytes {
		w.kept, w.size = append(w.kept, lines...), w.size+size
		return nil
	}
	return w.sync()
}

// keepResult gives the result of an earlier history another name before the run
// goes on: while it runs it has none.
func (w *writer) keepResult() error {
	if !w.past {
		return nil
	}
	old := filepath.Join(w.dir, fileResult)
	for i := 1; ; i++ {
		name := filepath.Join(w.dir, fmt.Sprintf("result-%d.json", i))
		switch err := os.Link(old, name); {
		case errors.Is(err, fs.ErrExist):
			continue
		case err == nil, errors.Is(err, fs.ErrNotExist):
		default:
			return err
		}
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		w.past = false
		return nil
	}
}

// AddScript keeps another version of the script.
func (w *writer) AddScript(source []byte) (string, error) {
	for i := 2; ; i++ {
		name := fmt.Sprintf("script-%d.js", i)
		err := writeNew(filepath.Join(w.dir, name), source)
		if !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// put writes lines, behind those that a failed sync has lost.
func (w *writer) put(lines [][]byte) error {
	batch := lines
	if w.lost {
		batch = append(w.kept[:len(w.kept):len(w.kept)], lines...)
	}
	if len(batch) == 0 {
		return nil
	}
	if err := w.file.Append(batch...); err != nil {
		return &Error{Kind: CodeWrite, Run: w.id, Err: err}
	}
	w.lost = false
	return nil
}

// sync makes everything durable that stands in the file.
func (w *writer) sync() error {
	if err := w.file.Sync(); err != nil {
		w.lost = true
		return &Error{Kind: CodeWrite, Run: w.id, Err: err}
	}
	w.kept, w.size = nil, 0
	return nil
}

// Finish writes result.json.
func (w *writer) Finish(r workflow.Result) error {
	if w.file == nil {
		return &Error{Kind: CodeClosed, Run: w.id}
	}
	text, err := json.Marshal(r)
	if err == nil {
		err = atomicfile.Write(filepath.Join(w.dir, fileResult), append(text, '\n'), 0o600)
	}
	if err != nil {
		return &Error{Kind: CodeWrite, Run: w.id, Err: err}
	}
	return nil
}

// Close makes durable what was appended without a sync and releases the run.
// Closing twice does nothing.
func (w *writer) Close() error {
	if w.file == nil {
		return nil
	}
	var err error
	if len(w.kept) > 0 {
		if err = w.put(nil); err == nil {
			err = w.sync()
		}
	}
	if err := errors.Join(err, w.release()); err != nil {
		return &Error{Kind: CodeWrite, Run: w.id, Err: err}
	}
	return nil
}

func (w *writer) release() error {
	file := w.file
	w.file = nil
	return errors.Join(file.Close(), w.lock.Release())
}
