package session

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
)

// tailChunk is how much of a log one look reads at most, in bytes.
const tailChunk = 1 << 20

// Tail reads a log that another goroutine or process writes, piece by piece. It
// takes no lock and changes nothing. One goroutine uses it at a time.
type Tail struct {
	path   string
	offset int64
}

// NewTail begins at the first event of the log at path, which need not exist yet.
func NewTail(path string) *Tail { return &Tail{path: path} }

// Next returns the events that were written since the last call and whether
// there may be more at once. Lines that are no events of this version are left
// out; the line that is being written comes when it is whole.
func (t *Tail) Next() (events []Event, more bool, err error) {
	piece, err := t.read()
	if err != nil {
		return nil, false, err
	}
	end := bytes.LastIndexByte(piece, '\n') + 1
	t.offset += int64(end)
	for line := range bytes.Lines(piece[:end]) {
		if e, err := decodeLine(bytes.TrimSpace(line)); err == nil {
			events = append(events, e)
		}
	}
	return events, end > 0 && len(piece) >= tailChunk, nil
}

// read returns what stands behind the offset, with at least one whole line if
// there is one.
func (t *Tail) read() ([]byte, error) {
	file, err := os.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	t.offset = min(t.offset, info.Size()) // a write that failed was taken back
	var piece []byte
	for n := int64(tailChunk); ; n *= 2 {
		piece, err = io.ReadAll(io.NewSectionReader(file, t.offset, n))
		if err != nil || int64(len(piece)) < n || bytes.IndexByte(piece, '\n') >= 0 {
			return piece, err
		}
	}
}
