package builtin

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// dirEntries is the most entries of one directory that a search holds.
const dirEntries = 1 << 20

// walk goes through the regular files of a tree, sorted by name in each
// directory. It follows no symbolic link, so that it ends, and enters no folder
// of a version control system.
type walk struct {
	root string // absolute, without symbolic links
	// curated leaves out hidden and ignored files, unless named says otherwise.
	curated bool
	named   func(rel string) bool // may be nil
	// enter says whether a directory can hold anything of interest; nil is yes.
	enter func(rel string) bool
	visit func(rel string, entry fs.DirEntry) error
	// unread counts what could not be looked at.
	unread int
}

// run visits everything. The error is the one of visit, of the root itself or of ctx.
func (w *walk) run(ctx context.Context) error {
	var above *ignoring
	if w.curated {
		above = ignoringAbove(w.root)
	}
	return w.dir(ctx, "", above)
}

func (w *walk) dir(ctx context.Context, rel string, rules *ignoring) error {
	abs := filepath.Join(w.root, filepath.FromSlash(rel))
	entries, err := list(ctx, abs)
	switch {
	case err != nil && (rel == "" || ctx.Err() != nil || errors.Is(err, errOverflow)):
		return err
	case err != nil:
		w.unread++
		return nil
	}
	if w.curated {
		rules = rules.within(abs, entries)
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := w.entry(ctx, path.Join(rel, e.Name()), e, rules); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) entry(ctx context.Context, rel string, e fs.DirEntry, rules *ignoring) error {
	if versionControl[e.Name()] {
		return nil
	}
	out := w.curated && (strings.HasPrefix(e.Name(), ".") || rules.ignores(filepath.Join(w.root, filepath.FromSlash(rel)), e.IsDir()))
	switch {
	case e.IsDir() && !out && (w.enter == nil || w.enter(rel)):
		return w.dir(ctx, rel, rules)
	case e.Type().IsRegular() && (!out || w.named != nil && w.named(rel)):
		return w.visit(rel, e)
	}
	return nil
}

// versionControl names what belongs to a version control system.
var versionControl = map[string]bool{".git": true, ".svn": true, ".hg": true, ".bzr": true, ".jj": true, ".sl": true}

// list reads a directory, sorted by name.
func list(ctx context.Context, dir string) ([]fs.DirEntry, error) {
	f, err := openCalmly(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var all []fs.DirEntry
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		some, err := f.ReadDir(1024)
		all = append(all, some...)
		switch {
		case err == io.EOF:
			return sorted(ctx, all, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
		case err != nil:
			return nil, err
		case len(all) > dirEntries:
			return nil, errOverflow
		}
	}
}

// openCalmly opens for reading; what has become a pipe does not hang it.
func openCalmly(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// openRegular opens a regular file and nothing else.
func openRegular(name string) (*os.File, error) {
	f, err := openCalmly(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errNotText}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// sorted sorts as slices.SortFunc does, but a long list can be given up.
func sorted[T any](ctx context.Context, s []T, order func(a, b T) int) ([]T, error) {
	const run = 4096
	for part := range slices.Chunk(s, run) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		slices.SortStableFunc(part, order)
	}
	if len(s) <= run {
		return s, nil
	}
	other := make([]T, len(s))
	for width := run; width < len(s); width *= 2 {
		for at := 0; at < len(s); at += 2 * width {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			mid, end := min(at+width, len(s)), min(at+2*width, len(s))
			merge(other[at:end], s[at:mid], s[mid:end], order)
		}
		s, other = other, s
	}
	return s, nil
}

func merge[T any](into, a, b []T, order func(a, b T) int) {
	for i := range into {
		if len(b) == 0 || len(a) > 0 && order(a[0], b[0]) <= 0 {
			into[i], a = a[0], a[1:]
		} else {
			into[i], b = b[0], b[1:]
		}
	}
}
