package health

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/jsonl"
)

// What a folder needs and what a disk should be able to do.
const (
	slowSync = 500 * time.Millisecond
	lowSpace = 1 << 30
	noSpace  = 64 << 20
)

// Folder tries whether files can be made in a folder, synced, locked and removed
// again. A folder that does not exist is tried in the nearest one above it that
// does; nothing is left behind.
func Folder(path string) Finding {
	at := existing(path)
	dir, err := os.MkdirTemp(at, ".dsh-doctor-")
	if err != nil {
		return Finding{Level: Fail, Text: fmt.Sprintf("%s cannot be written to: %v", at, cause(err)), Do: "give yourself the right to write there, or choose another folder with DSH_HOME"}
	}
	defer os.RemoveAll(dir)
	took, err := flush(filepath.Join(dir, "sync"))
	if err != nil {
		return Finding{Level: Fail, Text: fmt.Sprintf("%s: a file could not be synced: %v", at, cause(err)), Do: "runs would be lost with the power: choose a folder on another file system with DSH_HOME"}
	}
	if err := lock(filepath.Join(dir, "lock")); err != nil {
		return Finding{Level: Fail, Text: fmt.Sprintf("%s: %v", at, err), Do: "two processes could write to one run: choose a folder on a local file system with DSH_HOME"}
	}
	if took > slowSync {
		return Finding{Level: Warn, Text: fmt.Sprintf("%s: a sync takes %s", path, took.Round(time.Millisecond)), Do: "each result waits for a sync: a faster disk for DSH_HOME makes runs faster"}
	}
	return Good("%s can be written to, synced and locked", path)
}

func existing(path string) string {
	for {
		if info, err := os.Stat(path); err == nil && info.IsDir() || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}

func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func flush(path string) (time.Duration, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	if _, err := file.WriteString("ok\n"); err != nil {
		return 0, err
	}
	began := time.Now()
	err = file.Sync()
	return time.Since(began), err
}

// lock takes a lock and sees that nobody else gets it.
func lock(path string) error {
	held, err := jsonl.Acquire(path, jsonl.Self())
	if err != nil {
		return fmt.Errorf("files cannot be locked: %w", err)
	}
	second, err := jsonl.Acquire(path, jsonl.Self())
	var locked *jsonl.LockedError
	if err == nil {
		err = errors.New("two writers got the same lock")
		_ = second.Release()
	} else if errors.As(err, &locked) {
		err = nil
	}
	return errors.Join(err, held.Release())
}

// Space tells how much room the disk of a folder has.
func Space(path string) Finding {
	free, err := free(existing(path))
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return Good("the free space cannot be read on this system")
	case err != nil:
		return Finding{Level: Warn, Text: fmt.Sprintf("the free space of %s cannot be read: %v", path, err), Do: "look at the disk"}
	case free < noSpace:
		return Finding{Level: Fail, Text: fmt.Sprintf("%s has %s left", path, bytes(free)), Do: "make room, for example with dsh-workflow runs gc --older-than 30d"}
	case free < lowSpace:
		return Finding{Level: Warn, Text: fmt.Sprintf("%s has only %s left", path, bytes(free)), Do: "make room, for example with dsh-workflow runs gc --older-than 30d"}
	}
	return Good("%s free", bytes(free))
}

func bytes(n uint64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
