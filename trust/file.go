package trust

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/atomicfile"
	"github.com/dsh-go/dsh-workflow/internal/jsonl"
)

const (
	fileName    = "trust.json"
	fileVersion = 1
	maxBytes    = 4 << 20

	// patience is how long a writer waits for others, pause how often it looks.
	patience = 10 * time.Second
	pause    = 10 * time.Millisecond
)

// DamagedError says that the file of a store cannot be taken for what it is.
type DamagedError struct {
	Path string
	Err  error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s cannot be read, so no folder is trusted: %v; mend or remove it", e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *DamagedError) Unwrap() error { return e.Err }

// Code returns TRUST_DAMAGED.
func (e *DamagedError) Code() string { return "TRUST_DAMAGED" }

// content is the file.
type content struct {
	Version int     `json:"version"`
	Folders []Entry `json:"folders"`
}

// Path is the file of the store, whether it exists or not.
func (s *Store) Path() string { return filepath.Join(s.config.Home, fileName) }

// List gives all answers, sorted by their paths. The error is a [*DamagedError].
func (s *Store) List() ([]Entry, error) {
	raw, err := readRegular(s.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var c content
	if err == nil {
		c, err = decode(raw)
	}
	if err != nil {
		return nil, &DamagedError{Path: s.Path(), Err: err}
	}
	return c.Folders, nil
}

func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > maxBytes:
		return nil, fmt.Errorf("it has more than %d bytes", maxBytes)
	}
	return os.ReadFile(path)
}

// decode takes nothing that was not written by encode: what a program of another
// version means by a key is not guessed.
func decode(raw []byte) (content, error) {
	var c content
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return content{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return content{}, errors.New("something stands behind its end")
	}
	if c.Version != fileVersion {
		return content{}, fmt.Errorf("it has version %d, and this program knows %d", c.Version, fileVersion)
	}
	seen := map[string]bool{}
	for _, e := range c.Folders {
		if !filepath.IsAbs(e.Path) || filepath.Clean(e.Path) != e.Path {
			return content{}, fmt.Errorf("%q is not the path of a folder", e.Path)
		}
		if seen[e.Path] {
			return content{}, fmt.Errorf("%q stands in it twice", e.Path)
		}
		seen[e.Path] = true
	}
	return c, nil
}

// change reads, changes and writes the answers while no other writer does.
func (s *Store) change(f func([]Entry) []Entry) (err error) {
	lock, err := s.lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	old, err := s.List()
	if err != nil {
		return err
	}
	entries := f(old)
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) })
	text, err := json.MarshalIndent(content{Version: fileVersion, Folders: append([]Entry{}, entries...)}, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(s.Path(), append(text, '\n'), 0o600)
}

// lock waits for other writers. The home is made if it is not there.
func (s *Store) lock() (*jsonl.Lock, error) {
	for end := time.Now().Add(patience); ; time.Sleep(pause) {
		lock, err := jsonl.Acquire(s.Path()+".lock", jsonl.Self())
		var busy *jsonl.LockedError
		if err == nil || !errors.As(err, &busy) || time.Now().After(end) {
			return lock, err
		}
	}
}
