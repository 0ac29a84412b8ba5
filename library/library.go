package library

import (
	"cmp"
	"fmt"
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

// Listing is what the places held when they were read.
type Listing struct {
	Walk
	Workflows []Workflow
	Shadowed  []Shadowed
}

// List reads all places. What cannot be used is in the listing with its reason,
// never an error; a folder that does not exist is nothing to mention.
func List(p Places) *Listing {
	l := &Listing{}
	l.over(p, workflows, func(f folder, root *os.Root, name string) error {
		w, err := f.workflow(root, name)
		if err != nil {
			return err
		}
		if first, ok := l.find(w.Name); ok {
			l.Shadowed = append(l.Shadowed, Shadowed{w, first.Path})
			return nil
		}
		l.Workflows = append(l.Workflows, w)
		return nil
	})
	return l
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
	if err := CheckName(w.Name); err != nil || f.plugin == "" {
		return w, err
	}
	w.Name = f.plugin + ":" + w.Name
	return w, nil
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
