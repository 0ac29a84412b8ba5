package jsonl

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Owner tells people, and other processes, who holds a lock.
type Owner struct {
	PID    int    `json:"pid"`
	BootID string `json:"bootId,omitempty"` // of the machine's present start, where it has one
	Socket string `json:"socket,omitempty"` // where the owner listens for commands
}

// Self returns this process as an owner.
func Self() Owner {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // absent outside Linux
	return Owner{PID: os.Getpid(), BootID: strings.TrimSpace(string(boot))}
}

// LockedError says that another writer holds the lock.
type LockedError struct {
	Path  string // of the lock file
	Owner Owner  // zero when the file does not tell
}

func (e *LockedError) Error() string {
	if e.Owner.PID == 0 {
		return fmt.Sprintf("%s: another writer is at work", e.Path)
	}
	return fmt.Sprintf("%s: another writer is at work (process %d)", e.Path, e.Owner.PID)
}

// Code returns the class of the failure as a string.
func (e *LockedError) Code() string { return "LOCKED" }

// errHeld is what lockFile returns when somebody else has the lock.
var errHeld = errors.New("lock is held")

// Lock is a held lock. It ends with the process at the latest: what counts is
// the lock of the operating system, the file only tells who has it.
type Lock struct {
	file *os.File
	path string
}

// [Held] holds the lock for some microseconds to see whether it is free. Acquire
// tries again so often, after such a pause, before it believes in a writer.
const (
	acquireTries = 4
	acquirePause = 5 * time.Millisecond
)

// Acquire takes the lock file at path for owner, without waiting for a writer to
// end. It fails with a [*LockedError] when somebody else has it, be it in this
// process.
func Acquire(path string, owner Owner) (*Lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	for try := 1; ; {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := lockFile(file); err != nil {
			holder := readOwner(file)
			file.Close()
			switch {
			case !errors.Is(err, errHeld):
				return nil, fmt.Errorf("lock %s: %w", path, err)
			case try == acquireTries:
				return nil, &LockedError{Path: path, Owner: holder}
			}
			try++
			time.Sleep(acquirePause)
			continue
		}
		// The owner before us may have removed the file between our open and our
		// lock; then we hold a lock that nobody else can see.
		if !still(file, path) {
			file.Close()
			continue
		}
		if err := writeOwner(file, owner); err != nil {
			file.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		return &Lock{file: file, path: path}, nil
	}
}

// Held says whether somebody holds the lock at path now, and who says so.
func Held(path string) (Owner, bool) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return Owner{}, false
	}
	defer file.Close()
	if err := lockFile(file); errors.Is(err, errHeld) {
		return readOwner(file), true
	}
	return Owner{}, false
}

// lockOwn locks a file that its caller has just made. Only [Held] can be in the way.
func lockOwn(file *os.File) error {
	for try := 1; ; try++ {
		err := lockFile(file)
		switch {
		case !errors.Is(err, errHeld):
			return err
		case try == acquireTries:
			return &LockedError{Path: file.Name()}
		}
		time.Sleep(acquirePause)
	}
}

func still(file *os.File, path string) bool {
	mine, err := file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

func readOwner(file *os.File) (owner Owner) {
	text, err := io.ReadAll(io.NewSectionReader(file, 0, 4<<10))
	if err == nil {
		_ = json.Unmarshal(text, &owner) // a file that says nothing useful
	}
	return owner
}

func writeOwner(file *os.File, owner Owner) error {
	text, err := json.Marshal(owner)
	if err != nil {
		return err
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err = file.WriteAt(append(text, '\n'), 0)
	return err
}

// Release gives the lock back and removes its file.
func (l *Lock) Release() error {
	// Removed while held, so that nobody can lock the file in between.
	removeErr := os.Remove(l.path)
	if err := l.file.Close(); err != nil {
		return err
	}
	return removeErr
}
