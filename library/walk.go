package library

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh-workflow/meta"
)

// Skipped is a file or folder that gives nothing.
type Skipped struct {
	Path   string `json:"path"`
	Origin Origin `json:"origin"`
	Code   string `json:"code"`
	Reason string `json:"reason"`
}

// Walk is what was met on the way through the places.
type Walk struct {
	// Folders are all places in order of precedence, those that do not exist too.
	Folders []string
	Skipped []Skipped
}

// over takes every file of every folder of a kind to take. What take refuses is
// skipped.
func (w *Walk) over(p Places, of kind, take func(f folder, root *os.Root, name string) error) {
	folders, err := p.folders(of)
	if err != nil {
		w.skip(folder{base: p.Dir, origin: Project}, p.Dir, refusal(p.Dir, err))
	}
	for _, f := range folders {
		w.Folders = append(w.Folders, f.path())
		if f.origin == Project && !p.Trusted {
			w.leaveOut(f)
			continue
		}
		w.files(f, take)
	}
}

// leaveOut mentions a folder that is there and counts for nothing.
func (w *Walk) leaveOut(f folder) {
	if _, err := os.Lstat(f.path()); err == nil {
		w.skip(f, f.path(), &Error{Kind: Untrusted, Reason: untrusted})
	}
}

// untrusted is the reason why the folders of a project are left out.
const untrusted = "the project is not trusted; `dsh-workflow trust add` trusts it"

func (w *Walk) files(f folder, take func(f folder, root *os.Root, name string) error) {
	root, err := f.open()
	if err != nil {
		// A link to nothing is not the same as nothing: it is somebody's mistake.
		if _, missing := os.Lstat(f.path()); !errors.Is(missing, fs.ErrNotExist) {
			w.skip(f, f.path(), refusal(f.path(), err))
		}
		return
	}
	defer root.Close()
	files, more, err := names(root)
	if err != nil {
		w.skip(f, f.path(), refusal(f.path(), err))
		return
	}
	for _, name := range files {
		if err := take(f, root, name); err != nil {
			w.skip(f, filepath.Join(f.path(), name), err)
		}
	}
	if more {
		w.skip(f, f.path(), &Error{Kind: TooLarge, Reason: fmt.Sprintf("it has more than %d entries; the others are not read", MaxFiles)})
	}
}

func (w *Walk) skip(f folder, path string, err error) {
	s := Skipped{Path: path, Origin: f.origin, Reason: err.Error()}
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		s.Code = coded.Code()
	}
	var known *Error
	var faults meta.Diagnostics
	switch {
	case errors.As(err, &known):
		s.Reason = known.Reason
	case errors.As(err, &faults) && len(faults) > 0:
		// All faults of a file can be many pages; the check of the file shows them.
		s.Reason = fmt.Sprintf("%d:%d: %s", faults[0].Line, faults[0].Column, faults[0].Message)
		if n := len(faults) - 1; n > 0 {
			s.Reason += fmt.Sprintf(" (and %d more)", n)
		}
	}
	w.Skipped = append(w.Skipped, s)
}
