package library

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"unicode/utf8"
)

// What is read of a folder.
const (
	MaxFile  = 512 << 10 // bytes of one script
	MaxFiles = 1000      // entries of one folder
)

// open opens the folder, so that nothing outside of its base can be reached
// through it.
func (f folder) open() (*os.Root, error) {
	rel, err := inside(f.base, f.rel)
	if err != nil {
		return nil, err
	}
	base, err := os.OpenRoot(f.base)
	if err != nil {
		return nil, err
	}
	defer base.Close()
	info, err := base.Stat(rel)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &Error{Kind: NotRegular, Subject: f.path(), Reason: "it is not a folder"}
	}
	return base.OpenRoot(rel)
}

// inside follows the links of base/rel and gives the real path below base, or an
// error of kind Outside. It reads links only; the os.Root that opens the result
// holds the border against links that change meanwhile.
func inside(base, rel string) (string, error) {
	real, err := filepath.EvalSymlinks(filepath.Join(base, rel))
	if err != nil {
		return "", err
	}
	realBase, err := filepath.EvalSymlinks(base)
	if err != nil {
		return "", err
	}
	below, err := filepath.Rel(realBase, real)
	if err != nil || !filepath.IsLocal(below) {
		return "", &Error{Kind: Outside, Subject: filepath.Join(base, rel), Reason: "a link leads out of " + base}
	}
	return below, nil
}

// names lists the entries of a folder in order, at most MaxFiles of them; more
// says that there are others.
func names(root *os.Root) (all []string, more bool, err error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	all, err = dir.Readdirnames(MaxFiles + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	slices.Sort(all)
	if more = len(all) > MaxFiles; more {
		all = all[:MaxFiles]
	}
	return all, more, nil
}

// read reads one script of a folder. It never blocks on a pipe, never follows a
// link out of the folder and never takes more than MaxFile bytes.
func (f folder) read(root *os.Root, name string) (string, error) {
	path := filepath.Join(f.path(), name)
	if err := CheckName(name); err != nil {
		return "", err
	}
	rel, err := inside(f.path(), name)
	if err != nil {
		return "", err
	}
	if info, err := root.Stat(rel); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() {
		return "", &Error{Kind: NotRegular, Subject: path, Reason: "it is not a regular file"}
	}
	file, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() {
		return "", &Error{Kind: NotRegular, Subject: path, Reason: "it is not a regular file"}
	}
	raw, err := io.ReadAll(io.LimitReader(file, MaxFile+1))
	switch {
	case err != nil:
		return "", err
	case len(raw) > MaxFile:
		return "", &Error{Kind: TooLarge, Subject: path, Reason: fmt.Sprintf("it has more than %d bytes", MaxFile)}
	case !utf8.Valid(raw):
		return "", &Error{Kind: NotText, Subject: path, Reason: "it is not UTF-8 text"}
	}
	return string(raw), nil
}

// refusal makes an Error of what the system said about a path.
func refusal(path string, err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	reason := err.Error()
	var detail *fs.PathError
	if errors.As(err, &detail) {
		reason = detail.Err.Error()
	}
	if errors.Is(err, fs.ErrNotExist) {
		reason = "a link leads to nothing"
	}
	return &Error{Kind: Unreadable, Subject: path, Reason: reason}
}
