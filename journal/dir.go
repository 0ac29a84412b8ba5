package journal

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/dsh-go/dsh-workflow/internal/atomicfile"
	"github.com/dsh-go/dsh-workflow/internal/jsonl"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// The names inside a run's folder.
const (
	fileRun     = "run.json"
	fileScript  = "script.js"
	fileRecords = "journal.jsonl"
	fileResult  = "result.json"
	fileLock    = "lock"
	dirSessions = "sessions"
)

// Owner is the process that writes, or wrote, a run.
type Owner struct {
	PID    int    `json:"pid"`
	BootID string `json:"bootId,omitempty"` // of the machine's start in which the process ran
	Socket string `json:"socket,omitempty"` // where it listens for commands
}

// Options configures a Dir. The zero value is for production.
type Options struct {
	// Socket is where this process listens for commands; it stands in the lock.
	Socket string

	disk func(jsonl.Disk) jsonl.Disk // lets tests put a failing disk below a journal
}

// Dir keeps runs in the folders below one folder.
//
// Concurrency: every method may be called from any goroutine and process. A run
// has one writer at a time.
type Dir struct {
	root    string
	options Options
}

var _ workflow.Store = (*Dir)(nil)

// NewDir returns the store below root, an absolute path. It is made when the
// first run is.
func NewDir(root string, o Options) *Dir { return &Dir{root: root, options: o} }

// Path returns the folder of a run, whether it exists or not.
func (d *Dir) Path(id workflow.RunID) string { return filepath.Join(d.root, string(id)) }

// runFile is the content of run.json.
type runFile struct {
	workflow.Header
	Owner Owner `json:"owner"`
}

// Create makes the folder of a run and returns its journal. Errors are of type
// [*Error]; after one, the folder is gone again unless it was there before.
func (d *Dir) Create(ctx context.Context, h workflow.Header, script []byte) (workflow.Journal, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !plainName(h.RunID) {
		return nil, &Error{Kind: CodeInvalid, Run: h.RunID}
	}
	if err := os.MkdirAll(d.root, 0o700); err != nil {
		return nil, &Error{Kind: CodeWrite, Run: h.RunID, Err: err}
	}
	path := d.Path(h.RunID)
	switch err := os.Mkdir(path, 0o700); {
	case errors.Is(err, fs.ErrExist):
		return nil, &Error{Kind: CodeExists, Run: h.RunID}
	case err != nil:
		return nil, &Error{Kind: CodeWrite, Run: h.RunID, Err: err}
	}
	w, err := d.fill(path, h, script)
	if err != nil {
		return nil, &Error{Kind: CodeWrite, Run: h.RunID, Err: errors.Join(err, os.RemoveAll(path))}
	}
	return w, nil
}

// fill puts the files of a new run into its folder. run.json comes last, so that
// a folder with one is complete.
func (d *Dir) fill(path string, h workflow.Header, script []byte) (_ *writer, err error) {
	w, _, err := d.writer(path, h.RunID, nil)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.release())
		}
	}()
	if err := os.Mkdir(filepath.Join(path, dirSessions), 0o700); err != nil {
		return nil, err
	}
	if err := writeNew(filepath.Join(path, fileScript), script); err != nil {
		return nil, err
	}
	self := d.owner()
	head, err := json.MarshalIndent(runFile{Header: h, Owner: Owner(self)}, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := atomicfile.Write(filepath.Join(path, fileRun), append(head, '\n'), 0o600); err != nil {
		return nil, err
	}
	return w, atomicfile.SyncDir(d.root)
}

func (d *Dir) owner() jsonl.Owner {
	self := jsonl.Self()
	self.Socket = d.options.Socket
	return self
}

// writer locks a run and opens its records.
func (d *Dir) writer(path string, id workflow.RunID, check func(jsonl.Line) error) (*writer, jsonl.Report, error) {
	lock, err := jsonl.Acquire(filepath.Join(path, fileLock), d.owner())
	if err != nil {
		return nil, jsonl.Report{}, err
	}
	file, report, err := jsonl.Open(filepath.Join(path, fileRecords), jsonl.Options{Unlocked: true, Disk: d.options.disk, Check: check})
	if err != nil {
		return nil, jsonl.Report{}, errors.Join(err, lock.Release())
	}
	return &writer{dir: path, id: id, file: file, lock: lock}, report, nil
}

// writeNew writes a file into a folder that nobody else reads yet.
func writeNew(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Sync(), file.Close())
}

// Remove deletes a run with all its files. A run that is being written is
// refused with RUN_BUSY.
func (d *Dir) Remove(id workflow.RunID) error {
	if err := d.known(id); err != nil {
		return err
	}
	lock, err := jsonl.Acquire(filepath.Join(d.Path(id), fileLock), d.owner())
	if err != nil {
		return &Error{Kind: CodeBusy, Run: id, Err: err}
	}
	err = os.RemoveAll(d.Path(id))
	if releaseErr := lock.Release(); releaseErr != nil && !errors.Is(releaseErr, fs.ErrNotExist) {
		err = errors.Join(err, releaseErr)
	}
	if err != nil {
		return &Error{Kind: CodeWrite, Run: id, Err: err}
	}
	return nil
}

// Runs returns the ids of all runs that are complete enough to be read, newest
// last: ids begin with their time.
func (d *Dir) Runs() ([]workflow.RunID, error) {
	entries, err := os.ReadDir(d.root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var ids []workflow.RunID
	for _, entry := range entries {
		if id := workflow.RunID(entry.Name()); entry.IsDir() && d.known(id) == nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// known says why there is no run with this id, or nil.
func (d *Dir) known(id workflow.RunID) error {
	if !plainName(id) {
		return &Error{Kind: CodeInvalid, Run: id}
	}
	if _, err := os.Stat(filepath.Join(d.Path(id), fileRun)); err != nil {
		return &Error{Kind: CodeUnknown, Run: id, Err: err}
	}
	return nil
}

// plainName says whether id names an entry of a folder and nothing else, so that
// an id cannot lead out of the store.
func plainName(id workflow.RunID) bool {
	name := string(id)
	return name != "" && name[0] != '.' && filepath.IsLocal(name) && filepath.Base(name) == name && !slices.Contains([]byte(name), '\\')
}
