package prompt

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"

	"github.com/dsh-go/dsh-workflow/llm"
)

// form is that of the messages that tell instructions.
const form = "instructions"

// Watch keeps one agent's instructions current. What the agent was told is read
// from its history each time, so that it holds for a resumed one too; a Watch only
// remembers what makes it cheap to ask again.
//
// Concurrency: one goroutine uses it at a time.
type Watch struct {
	in       *Instructions
	identity string            // of the baseline that omitted belongs to
	omitted  map[string]bool   // scopes that the budget left out of it; nil: not known yet
	known    map[string]memory // of files that were read, by scope
	at       [2]string         // working directory and root for which
	here     string            // is the identity
}

// Watch begins to keep the instructions of one agent.
func (i *Instructions) Watch() *Watch { return &Watch{in: i, known: map[string]memory{}} }

// Situation is where an agent stands before a step.
type Situation struct {
	Cwd     string        // absolute
	History []llm.Message // what the model sees, the oldest first; it is not changed
	// Touched are files that the agent has read or changed since the last step, as
	// absolute paths.
	Touched []string
}

// News is what an agent is to be told before a step.
type News struct {
	// Content is what the model reads; empty when there is nothing to tell.
	Content []llm.Block
	// Identity is set when a whole baseline is part of it.
	Identity string
	Changes  []Change
	// Warnings name files that were there and were not taken, on the one Look that
	// read them.
	Warnings []string
}

// Message returns the news as a message of this id, and false when there is none.
func (n News) Message(id string) (llm.Message, bool) {
	if len(n.Content) == 0 {
		return llm.Message{}, false
	}
	extra := map[string]json.RawMessage{"changes": encode(n.Changes)}
	if n.Identity != "" {
		extra["baseline"] = json.RawMessage("true")
		extra["baselineIdentity"] = encode(n.Identity)
	}
	return llm.Message{
		ID: id, Role: llm.RoleUser, Content: n.Content,
		Source: llm.Source{Kind: llm.SourceInstructions, Form: form, Extra: extra},
	}, true
}

// Look compares the instruction files with what the history says was told of
// them, and gives what is to be told now: a whole baseline where none is in the
// history or where it was made for another place or configuration, else what was
// added, changed or removed. Files of folders below the working directory count
// once a file in them was touched.
//
// Nothing is taken as told because it was given: until the history has it, the
// next Look gives it again. The error, a [*RootError], says that the root of the
// project cannot be told.
func (w *Watch) Look(s Situation) (News, error) {
	c := w.in.config
	if c.MaxBytes <= 0 {
		return News{}, nil
	}
	if !filepath.IsAbs(s.Cwd) {
		return News{}, fmt.Errorf("working directory must be an absolute path: %q", s.Cwd)
	}
	s.Cwd = filepath.Clean(s.Cwd)
	t := readTold(s.History)
	var n News
	stands, root, err := w.stands(s.Cwd, t)
	if err == nil && !(stands && w.omitted != nil && w.identity == t.identity) {
		n, root, err = w.baseline(s.Cwd, t, stands)
	}
	if err != nil {
		return News{}, err
	}
	p := pass{config: c, watch: w, told: t, root: root, border: newBorder(root, c.plain)}
	w.update(&n, p.run(s, stands))
	return n, nil
}

// stands says whether the newest baseline of a history was made for this place, as
// it is now. The root is that of the place, if there is a baseline at all.
func (w *Watch) stands(cwd string, t *told) (stands bool, root string, err error) {
	if !t.any {
		return false, "", nil
	}
	if root, err = w.in.config.rootOf(cwd); err != nil {
		return false, "", err
	}
	if at := [2]string{cwd, root}; w.at != at {
		w.at, w.here = at, w.in.config.identity(cwd, root)
	}
	return t.identity == w.here, root, nil
}

// baseline learns what the baseline of a place leaves out and, unless the one in
// the history stands, tells the whole of it.
func (w *Watch) baseline(cwd string, t *told, stands bool) (n News, root string, err error) {
	b, err := w.in.Load(cwd)
	if err != nil {
		return News{}, "", err
	}
	if b.Fresh {
		n.Warnings = b.Warnings
	}
	if !stands && t.any {
		if b, err = w.replacement(cwd); err != nil {
			return News{}, "", err
		}
		n.Changes = t.vanished(b.Changes)
	}
	w.identity, w.omitted = b.Identity, b.omitted
	maps.Copy(w.known, b.known)
	if stands || b.Text == "" {
		return n, b.root, nil
	}
	n.Content = []llm.Block{llm.Text{Text: b.Text}}
	n.Identity = b.Identity
	n.Changes = append(n.Changes, b.Changes...)
	t.apply(n.Changes)
	return n, b.root, nil
}

// replacement is the baseline in the words of one that follows another. It says so
// too when nothing is left.
func (w *Watch) replacement(cwd string) (Baseline, error) {
	c := w.in.config
	found, err := c.survey(cwd)
	if err != nil {
		return Baseline{}, err
	}
	b := c.compose(cwd, found, replacementStyle)
	if b.Text == "" {
		b.Text = frameOpen + "\n" + nothingLeft + "\n" + frameClose
		if len(b.Text) > c.MaxBytes {
			b.Text = prefix(nothingLeft, c.MaxBytes)
		}
	}
	return b, nil
}

// vanished takes back what the newest baseline told and another one does not.
func (t *told) vanished(now []Change) []Change {
	kept := map[string]bool{}
	for _, c := range now {
		kept[c.Scope] = true
	}
	var out []Change
	for _, c := range t.baseline {
		if last, ok := t.effective(c.Scope); ok && !kept[c.Scope] {
			out = append(out, Change{Action: actionRemove, Scope: c.Scope, Path: last.Path})
		}
	}
	return out
}

// update renders what a pass found and remembers the files. What the budget had no
// room for is not among the changes, so the next pass finds it again.
func (w *Watch) update(n *News, found []item) {
	var files []source
	for _, f := range found {
		if f.action != "" {
			files = append(files, f.source)
		}
	}
	text, shown := renderChains(files, changeStyle, w.in.config.MaxBytes)
	for _, f := range shown {
		n.Changes = append(n.Changes, Change{Action: f.action, Scope: f.scope(), Path: f.display, Digest: f.digest})
	}
	if len(shown) > 0 {
		n.Content = append(n.Content, llm.Text{Text: text})
	}
	for _, f := range found {
		if f.memory == nil {
			delete(w.known, f.scope())
		} else {
			w.known[f.scope()] = *f.memory
		}
	}
}
