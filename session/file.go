package session

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/dsh-go/dsh-workflow/internal/jsonl"
)

// fileHeader is the first line of a file. DelegationDepth is always written.
type fileHeader struct {
	Type string `json:"type"`
	Header
}

// FileSink keeps a log in a file of JSON lines: the header first, then one event
// a line. The file has mode 0600, new folders 0700. One writer at a time: the
// file is locked until Close.
//
// Concurrency: one goroutine at a time, as for every [Sink].
type FileSink struct {
	path   string
	header Header
	create func(path string, o jsonl.Options) (*jsonl.File, error)
	file   *jsonl.File // nil until the first append of a new log
	lock   *jsonl.Lock // of a resumed log; that of a new one belongs to file
	disk   func(jsonl.Disk) jsonl.Disk
	next   Seq // number of the next event
	synced Seq // events below it are durable
}

var _ Sink = (*FileSink)(nil)

// OpenFile prepares a new log at path, under the header h. Nothing is written
// before the first events come; if another log has taken the path by then, the
// append fails with an [*Error] of code SESSION_EXISTS or SESSION_BUSY.
func OpenFile(path string, h Header) (*FileSink, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	return &FileSink{path: path, header: h, create: jsonl.Create}, nil
}

// OpenNewFile is OpenFile for a path that nobody uses twice, such as one with a
// random id: it costs less, because the file is its own lock. If it is there all
// the same, even empty, the append fails with SESSION_EXISTS.
func OpenNewFile(path string, h Header) (*FileSink, error) {
	s, err := OpenFile(path, h)
	if err != nil {
		return nil, err
	}
	s.create = jsonl.CreateNew
	return s, nil
}

// ResumeFile opens the log at path to go on with it. What a crash left is mended
// durably: a torn end is cut and an open turn is closed by [Repair]. The events
// are the seed of the [Log] that is to be made on the sink. Errors are those of
// [Load], and SESSION_BUSY when another writer has the log; then, and when the
// log is refused, the file is as it was.
func ResumeFile(path string) (*FileSink, Header, []Event, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, Header{}, nil, fileError(err, path)
	}
	lock, err := jsonl.Acquire(path+".lock", jsonl.Self())
	if err != nil {
		return nil, Header{}, nil, fileError(err, path)
	}
	sink, events, err := resumeLocked(path, lock)
	if err != nil {
		return nil, Header{}, nil, errors.Join(err, lock.Release())
	}
	return sink, sink.header, events, nil
}

func resumeLocked(path string, lock *jsonl.Lock) (*FileSink, []Event, error) {
	if _, held := jsonl.Held(path); held { // by the one who made it
		return nil, nil, fileError(&jsonl.LockedError{Path: path}, path)
	}
	if _, err := load(path); err != nil {
		return nil, nil, err // before anything is mended
	}
	file, _, err := jsonl.Open(path, jsonl.Options{Unlocked: true})
	if err != nil {
		return nil, nil, fileError(err, path)
	}
	sink, events, err := resume(path, file)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	sink.lock = lock
	return sink, events, nil
}

func resume(path string, file *jsonl.File) (*FileSink, []Event, error) {
	loaded, err := load(path)
	if err != nil {
		return nil, nil, err
	}
	if loaded.size < file.Size() {
		if err := file.Truncate(loaded.size); err != nil {
			return nil, nil, wrapped(CodeStore, err, "mend session log %s", path)
		}
	}
	s := &FileSink{path: path, header: loaded.header, file: file, next: Seq(len(loaded.events))}
	s.synced = s.next
	closing := Repair(loaded.events)
	lines := make([][]byte, 0, len(closing))
	for _, e := range closing {
		data, err := encodeData(e.Data)
		if err != nil {
			return nil, nil, err
		}
		lines = append(lines, encodeLine(e, data))
	}
	if len(lines) > 0 {
		if err := errors.Join(s.Append(s.next, lines), s.Sync()); err != nil {
			return nil, nil, wrapped(CodeStore, err, "mend session log %s", path)
		}
	}
	return s, append(loaded.events, closing...), nil
}

// Len returns how many events the file holds.
func (s *FileSink) Len() int { return int(s.next) }

// Append writes the lines of the events from number first on. A number that is
// not the next one is refused.
func (s *FileSink) Append(first Seq, lines [][]byte) error {
	if first != s.next {
		return fault(CodeInvariant, "append seq mismatch for %q: expected %d at index 0, got %d", s.header.ID, s.next, first)
	}
	batch := lines
	if s.file == nil {
		file, err := s.create(s.path, jsonl.Options{Disk: s.disk})
		if err != nil {
			return fileError(err, s.path)
		}
		s.file = file
	}
	if s.file.Size() == 0 {
		head, err := json.Marshal(fileHeader{Type: tagHeader, Header: s.header})
		if err != nil {
			return err
		}
		batch = append([][]byte{head}, lines...)
	}
	if err := s.file.Append(batch...); err != nil {
		return err
	}
	s.next += Seq(len(lines))
	return nil
}

// Sync makes the appended events durable.
func (s *FileSink) Sync() error {
	if s.file == nil {
		return nil
	}
	if err := s.file.Sync(); err != nil {
		s.next = s.synced
		return err
	}
	s.synced = s.next
	return nil
}

// Close gives the file back. It does not sync.
func (s *FileSink) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.lock != nil {
		err = errors.Join(err, s.lock.Release())
	}
	return err
}

func fileError(err error, path string) error {
	var locked *jsonl.LockedError
	switch {
	case errors.As(err, &locked):
		return wrapped(CodeBusy, err, "session log %s is open for writing elsewhere", path)
	case errors.Is(err, fs.ErrNotExist):
		return wrapped(CodeMissing, err, "there is no session log at %s", path)
	case errors.Is(err, fs.ErrExist):
		return wrapped(CodeExists, err, "there is a session log at %s already", path)
	}
	return wrapped(CodeStore, err, "open session log %s", path)
}
