package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh-workflow/internal/atomicfile"
)

// Disk is what a File needs of the open file below it. *os.File is one; a test
// may put one between that fails.
type Disk interface {
	io.Writer // at the end of the file
	Truncate(size int64) error
	Sync() error
	Close() error
}

// Options says how a file is opened. The zero value is for production.
type Options struct {
	// Lock is the path of the lock file; empty is the file's own with ".lock".
	Lock string
	// Unlocked leaves the lock out, for a caller that holds one already.
	Unlocked bool
	// Owner stands in the lock file; the zero value is [Self].
	Owner Owner
	// Check, when set, is shown every piece of the file before anything is mended.
	// Its error is the one of Open, and the file stays as it is.
	Check func(Line) error
	// Disk, when set, wraps the open file.
	Disk func(Disk) Disk
}

// Report tells what Open found and mended.
type Report struct {
	Values  int    // values that the file holds
	Torn    int64  // bytes at the end that were cut, when nothing else was wrong
	Skipped []Line // pieces that are no values, in order; those cut among them
	Mended  int    // values that did not stand alone on their lines
	Damaged string // where the original was kept, when lines had to be rewritten
}

// File is the one writer of a file.
//
// Concurrency: a File is used by one goroutine at a time.
type File struct {
	disk   Disk
	lock   *Lock
	size   int64 // of the good values
	synced int64 // how much of size is durable
	dirty  bool  // a failed write left bytes behind size
}

// Open opens the file at path for appending, makes it and its folder when there
// is none, and mends it. Folders get mode 0700 and files 0600. It fails with a
// [*LockedError] when another writer has the file.
func Open(path string, o Options) (*File, Report, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, Report{}, err
	}
	lock, err := o.acquire(path)
	if err != nil {
		return nil, Report{}, err
	}
	f, report, err := open(path, o)
	if err != nil {
		return nil, Report{}, errors.Join(err, lock.release())
	}
	f.lock = lock
	return f, report, nil
}

// Create is Open for a file that must not exist yet. An empty one, left by a
// crash, counts as none; otherwise the error is [fs.ErrExist].
func Create(path string, o Options) (*File, error) {
	f, report, err := Open(path, o)
	if err != nil {
		return nil, err
	}
	if f.size > 0 || len(report.Skipped) > 0 {
		return nil, errors.Join(&fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}, f.Close())
	}
	return f, nil
}

// CreateNew makes the file at path, which must not exist, not even empty, and
// locks the file itself instead of another one beside it. It is for names that
// nobody uses twice: who finds such a file and wants to go on with it asks [Held]
// whether its writer is alive. Of the options only Disk counts.
func CreateNew(path string, o Options) (*File, error) {
	file, err := createNew(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			file, err = createNew(path)
		}
	}
	if err != nil {
		return nil, err
	}
	if err = lockOwn(file); err == nil {
		err = atomicfile.SyncDir(filepath.Dir(path))
	}
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(path))
	}
	f := &File{disk: file}
	if o.Disk != nil {
		f.disk = o.Disk(file)
	}
	return f, nil
}

func createNew(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
}

func (o Options) acquire(path string) (*Lock, error) {
	if o.Unlocked {
		return nil, nil
	}
	if o.Lock == "" {
		o.Lock = path + ".lock"
	}
	if o.Owner == (Owner{}) {
		o.Owner = Self()
	}
	return Acquire(o.Lock, o.Owner)
}

func (l *Lock) release() error {
	if l == nil {
		return nil
	}
	return l.Release()
}

func open(path string, o Options) (*File, Report, error) {
	found, err := repair(path, o.Check)
	if err != nil {
		return nil, Report{}, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, Report{}, err
	}
	f := &File{disk: file, size: found.size, dirty: true}
	if o.Disk != nil {
		f.disk = o.Disk(file)
	}
	if err := f.settle(found, path); err != nil {
		return nil, Report{}, errors.Join(err, f.disk.Close())
	}
	return f, found.report, nil
}

// settle makes the file what repair says that it is, durably: what an earlier
// process wrote without syncing must be safe before anything builds on it.
func (f *File) settle(found found, path string) error {
	if found.absent {
		f.dirty = false
		return atomicfile.SyncDir(filepath.Dir(path))
	}
	if err := f.clean(); err != nil {
		return err
	}
	if found.unended {
		if _, err := f.disk.Write([]byte("\n")); err != nil {
			return fmt.Errorf("end the last line: %w", err)
		}
		f.size++
	}
	return f.Sync()
}

// Size returns the length of the file in bytes.
func (f *File) Size() int64 { return f.size }

// Append writes each value on a line of its own, all with one write, and none
// when it fails: the file is cut back to the length it had, at once or, when
// that fails too, before the next append. Values are not checked; they must
// hold no newline. They are durable after Sync.
func (f *File) Append(values ...[]byte) error {
	if err := f.clean(); err != nil {
		return err
	}
	var lines bytes.Buffer
	for _, value := range values {
		lines.Grow(len(value) + 1)
		lines.Write(value)
		lines.WriteByte('\n')
	}
	n, err := f.disk.Write(lines.Bytes())
	if err == nil && n < lines.Len() {
		err = io.ErrShortWrite
	}
	if err != nil {
		f.dirty = true
		return errors.Join(fmt.Errorf("append: %w", err), f.clean())
	}
	f.size += int64(lines.Len())
	return nil
}

// Sync makes durable what was appended. When it fails, nobody knows which pages
// reached the disk and the system may never try again, so everything since the
// last good Sync is cut off; the caller appends it again.
func (f *File) Sync() error {
	err := f.clean()
	if err == nil {
		if err = f.disk.Sync(); err == nil {
			f.synced = f.size
			return nil
		}
		err = fmt.Errorf("sync: %w", err)
	}
	f.size, f.dirty = f.synced, true
	return errors.Join(err, f.clean())
}

// clean cuts the file to its good length if bytes may stand behind it.
func (f *File) clean() error {
	if !f.dirty {
		return nil
	}
	if err := f.disk.Truncate(f.size); err != nil {
		return fmt.Errorf("cut back to %d bytes: %w", f.size, err)
	}
	f.dirty = false
	return nil
}

// Truncate cuts the file to its first size bytes, which must end with a line.
// It is how a reader that understands the values takes back the last ones.
func (f *File) Truncate(size int64) error {
	if size > f.size || size < 0 {
		return fmt.Errorf("truncate a file of %d bytes to %d", f.size, size)
	}
	f.size, f.synced, f.dirty = size, min(size, f.synced), true
	return f.clean()
}

// Close gives the file and its lock back. It does not sync.
func (f *File) Close() error {
	return errors.Join(f.disk.Close(), f.lock.release())
}

// found is what repair learned about a file.
type found struct {
	report  Report
	size    int64 // up to the end of the last good value
	unended bool  // that value has no newline yet
	absent  bool  // there is no file
}

// repair finds the good length of a file, and rewrites it when damage stands
// before its end.
func repair(path string, check func(Line) error) (found, error) {
	var is found
	rewrite := false
	end := int64(0)
	for line, err := range Scan(path) {
		if errors.Is(err, fs.ErrNotExist) {
			return found{absent: true}, nil
		}
		if err != nil {
			return found{}, err
		}
		if check != nil {
			if err := check(line); err != nil {
				return found{}, err
			}
		}
		is.report.add(line)
		end = line.Offset + line.Size
		rewrite = rewrite || line.Mended || line.Value == nil && !line.Torn
		if line.Value != nil {
			is.size, is.unended = end, line.Torn
		}
	}
	if rewrite {
		return rewritten(path, is.report)
	}
	is.report.Torn = end - is.size
	return is, nil
}

func (r *Report) add(line Line) {
	if line.Value == nil {
		r.Skipped = append(r.Skipped, line)
		return
	}
	r.Values++
	if line.Mended {
		r.Mended++
	}
}

// rewritten puts a file with only the good values in the place of a damaged one,
// which is kept.
func rewritten(path string, report Report) (found, error) {
	kept, err := keep(path)
	if err != nil {
		return found{}, fmt.Errorf("keep the damaged file: %w", err)
	}
	report.Damaged = kept
	var size int64
	err = atomicfile.WriteFrom(path, 0o600, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		for line, err := range Scan(kept) {
			if err != nil {
				return err
			}
			if line.Value == nil {
				continue
			}
			out.Write(line.Value) // the writer keeps its first error until Flush
			out.WriteByte('\n')
			size += int64(len(line.Value)) + 1
		}
		return out.Flush()
	})
	return found{report: report, size: size}, err
}

// keep gives the file at path a second name.
func keep(path string) (string, error) {
	for i := 1; ; i++ {
		name := fmt.Sprintf("%s.damaged-%d", path, i)
		err := os.Link(path, name)
		if !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}
