package library

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-go/dsh-workflow/internal/similar"
	"github.com/dsh-go/dsh-workflow/meta"
)

// Workflow is one saved workflow.
type Workflow struct {
	// Name passes [CheckName].
	Name string `json:"name"`
	// Description is empty when the script has no meta statement. It is text of
	// the script's author and may contain anything.
	Description string `json:"description"`
	WhenToUse   string `json:"whenToUse,omitempty"`
	Origin      Origin `json:"origin"`
	Path        string `json:"path"`

	in folder
}

// Source reads the script again, under the rules of the listing. The error is an
// [Error].
func (w Workflow) Source() (string, error) {
	root, err := w.in.open()
	if err != nil {
		return "", refusal(w.Path, err)
	}
	defer root.Close()
	source, err := w.in.read(root, filepath.Base(w.Path))
	if err != nil {
		return "", refusal(w.Path, err)
	}
	return source, nil
}

// Shadowed is a workflow whose name an earlier one has.
type Shadowed struct {
	Workflow
	// By is the path of the one that wins.
	By string `json:"by"`
}

// Skipped is a file or folder that gives no workflow.
type Skipped struct {
	Path   string `json:"path"`
	Origin Origin `json:"origin"`
	Code   string `json:"code"`
	Reason string `json:"reason"`
}

// Listing is what the places held when they were read.
type Listing struct {
	// Folders are all places in order of precedence, those that do not exist too.
	Folders   []string
	Workflows []Workflow
	Shadowed  []Shadowed
	Skipped   []Skipped
}

// List reads all places. What cannot be used is in the listing with its reason,
// never an error; a folder that does not exist is nothing to mention.
func List(p Places) *Listing {
	l := &Listing{}
	folders, err := p.folders()
	if err != nil {
		l.skip(folder{base: p.Dir, origin: Project}, p.Dir, refusal(p.Dir, err))
	}
	for _, f := range folders {
		l.Folders = append(l.Folders, f.path())
		if f.origin == Project && !p.Trusted {
			l.leaveOut(f)
			continue
		}
		l.add(f)
	}
	return l
}

// leaveOut mentions a folder that is there and counts for nothing.
func (l *Listing) leaveOut(f folder) {
	if _, err := os.Lstat(f.path()); err == nil {
		l.skip(f, f.path(), &Error{Kind: Untrusted, Reason: untrusted})
	}
}

// untrusted is the reason why the folders of a project are left out.
const untrusted = "the project is not trusted; `dsh-workflow trust add` trusts it"

func (l *Listing) add(f folder) {
	root, err := f.open()
	if err != nil {
		// A link to nothing is not the same as nothing: it is somebody's mistake.
		if _, missing := os.Lstat(f.path()); !errors.Is(missing, fs.ErrNotExist) {
			l.skip(f, f.path(), refusal(f.path(), err))
		}
		return
	}
	defer root.Close()
	files, more, err := names(root)
	if err != nil {
		l.skip(f, f.path(), refusal(f.path(), err))
		return
	}
	for _, name := range files {
		w, err := f.workflow(root, name)
		if err != nil {
			l.skip(f, filepath.Join(f.path(), name), err)
			continue
		}
		if first, ok := l.find(w.Name); ok {
			l.Shadowed = append(l.Shadowed, Shadowed{w, first.Path})
			continue
		}
		l.Workflows = append(l.Workflows, w)
	}
	if more {
		l.skip(f, f.path(), &Error{Kind: TooLarge, Reason: fmt.Sprintf("it has more than %d entries; the others are not read", MaxFiles)})
	}
}

// workflow reads one entry of a folder.
func (f folder) workflow(root *os.Root, name string) (Workflow, error) {
	path := filepath.Join(f.path(), name)
	if err := ending(name); err != nil {
		return Workflow{}, err
	}
	source, err := f.read(root, name)
	if err != nil {
		return Workflow{}, refusal(path, err)
	}
	script, err := meta.Read(source)
	if err != nil {
		return Workflow{}, err
	}
	w := Workflow{Name: stem(name), Origin: f.origin, Path: path, in: f}
	if m := script.Meta; m != nil {
		w.Name, w.Description, w.WhenToUse = m.Name, m.Description, m.WhenToUse
	}
	return w, CheckName(w.Name)
}

func ending(name string) error {
	switch filepath.Ext(name) {
	case ".js", ".mjs":
		return nil
	case ".ts":
		return &Error{Kind: Ending, Subject: name, Reason: "TypeScript: types are not stripped yet"}
	}
	return &Error{Kind: Ending, Subject: name, Reason: "only files ending in .js or .mjs are workflows"}
}

func stem(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }

func (l *Listing) skip(f folder, path string, err error) {
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
	l.Skipped = append(l.Skipped, s)
}

func (l *Listing) find(name string) (Workflow, bool) {
	i := slices.IndexFunc(l.Workflows, func(w Workflow) bool { return w.Name == name })
	if i < 0 {
		return Workflow{}, false
	}
	return l.Workflows[i], true
}

// Lookup gives the workflow of a name. The error is an [Error]: of kind
// [InvalidName], or of kind [NotFound] with the nearest names, and with the reason
// when a file of that name was skipped.
func (l *Listing) Lookup(name string) (Workflow, error) {
	if err := CheckName(name); err != nil {
		return Workflow{}, err
	}
	if w, ok := l.find(name); ok {
		return w, nil
	}
	reason := "there is no file and no saved workflow of this name"
	if near := l.near(name); len(near) > 0 {
		reason += "; did you mean " + strings.Join(near, ", ") + "?"
	}
	for _, s := range l.Skipped {
		if s.Code == string(Untrusted) || stem(filepath.Base(s.Path)) == name {
			reason += fmt.Sprintf("; %s was skipped: %s", s.Path, s.Reason)
		}
	}
	return Workflow{}, &Error{Kind: NotFound, Subject: shorten(name), Reason: reason}
}

// near lists the names that resemble name, the nearest first: those within a
// third of its length in edits, then those that contain it or are contained.
func (l *Listing) near(name string) []string {
	const most = 3
	type candidate struct {
		name  string
		edits int
	}
	var all []candidate
	low := strings.ToLower(name)
	for _, w := range l.Workflows {
		other := strings.ToLower(w.Name)
		edits := similar.Distance(low, other)
		if edits <= max(2, len(name)/3) || strings.Contains(other, low) || strings.Contains(low, other) {
			all = append(all, candidate{w.Name, edits})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.edits, b.edits) })
	var names []string
	for _, c := range all[:min(most, len(all))] {
		names = append(names, fmt.Sprintf("%q", c.name))
	}
	return names
}
