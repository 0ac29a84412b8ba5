package prompt

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
)

// Defaults of [InstructionsConfig].
const (
	DefaultMaxBytes       = 65536
	DefaultMaxSourceBytes = 1 << 20
)

// Home is a folder of the user whose AGENTS.md counts everywhere.
type Home struct {
	Path string // absolute; empty leaves it out
	// Usual is set for the folder that is used when nothing else is said. The
	// model then sees it under its usual name, else under that of the variable.
	Usual bool
}

// InstructionsConfig says where instruction files are looked for and how much
// of them is shown.
type InstructionsConfig struct {
	Dsh    Home // ~/.dsh or $DSH_HOME
	Agents Home // ~/.agents or $DSH_AGENTS_HOME

	// MaxBytes bounds the text of each chain, user's and project's, frame
	// included. Zero or less turns instructions off; see [DefaultMaxBytes].
	MaxBytes int
	// MaxSourceBytes is the size of the largest file that is read; zero means
	// [DefaultMaxSourceBytes].
	MaxSourceBytes int64
	// RootMarkers name what marks the root of a project; nil means .git.
	RootMarkers []string
	// Candidates are the names looked for in each folder of a project, in order;
	// nil means AGENTS.md and CLAUDE.md.
	Candidates []string
	// LocalCandidates come after those of the same folder; nil means
	// AGENTS.local.md and CLAUDE.local.md, an empty list none.
	LocalCandidates []string
	// UserOnly leaves the project's files out, as for a folder that nobody trusts.
	UserOnly bool

	plain []string // all candidates that are names of a file
}

func (c InstructionsConfig) withDefaults() InstructionsConfig {
	if c.MaxSourceBytes <= 0 {
		c.MaxSourceBytes = DefaultMaxSourceBytes
	}
	if c.RootMarkers == nil {
		c.RootMarkers = []string{".git"}
	}
	if c.Candidates == nil {
		c.Candidates = []string{userFile, "CLAUDE.md"}
	}
	if c.LocalCandidates == nil {
		c.LocalCandidates = []string{"AGENTS.local.md", "CLAUDE.local.md"}
	}
	c.plain = append(plainNames(c.Candidates), plainNames(c.LocalCandidates)...)
	return c
}

// plainNames drops what is not the name of one file.
func plainNames(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return n == "" || n == "." || n == ".." || strings.ContainsAny(n, `/\`)
	})
}

// Actions of a [Change].
const (
	actionSet     = "set"
	actionReplace = "replace"
	actionRemove  = "remove"
)

// Change says in a message's source which file it made count.
type Change struct {
	Action string `json:"action"` // set, replace or remove
	Scope  string `json:"scope"`
	Path   string `json:"path"` // as the model sees it
	Digest string `json:"digest,omitempty"`
}

// Baseline is what an agent is told of the instruction files when it starts.
type Baseline struct {
	// Text is empty when there is nothing to tell.
	Text string
	// Identity names the place and the configuration that it was made from.
	Identity string
	Changes  []Change
	// Warnings name files that were there and were not taken. Fresh is set on the
	// one [Instructions.Load] that read them, so that they are reported once.
	Warnings []string
	Fresh    bool

	root    string            // of the project, or the working directory
	omitted map[string]bool   // scopes for which the budget had no room
	known   map[string]memory // of the files that were read; never changed
}

// Message returns the baseline as a message of this id, and false when there is
// nothing to tell.
func (b Baseline) Message(id string) (llm.Message, bool) {
	if b.Text == "" {
		return llm.Message{}, false
	}
	return News{Content: []llm.Block{llm.Text{Text: b.Text}}, Identity: b.Identity, Changes: b.Changes}.Message(id)
}

// encode is for values that always have a JSON form.
func encode(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// maxPlaces bounds how many working folders are remembered.
const maxPlaces = 32

// settled is how old a file must be for its size and time to speak for its
// content: a younger one may change again without either changing.
const settled = 2 * time.Second

// Instructions finds and renders instruction files.
//
// Concurrency: Load may be called from any goroutine. mu guards the map only;
// the lock of a place is held while its files are looked at, so that siblings
// that start together read them once.
type Instructions struct {
	config InstructionsConfig

	mu     sync.Mutex
	places map[string]*place
}

// place is what is known about one working folder. mu guards both.
type place struct {
	mu       sync.Mutex
	found    *survey // of the last time that files were read; nil before
	baseline Baseline
}

// NewInstructions returns a loader. It touches no file.
func NewInstructions(config InstructionsConfig) *Instructions {
	return &Instructions{config: config.withDefaults(), places: map[string]*place{}}
}

// Load returns the baseline for an agent that works in cwd, an absolute path.
// Files are looked at each time, and read again only when one of them has
// changed, come or gone. A file that cannot be read is left out with a warning;
// the error, a [*RootError], says that the root of the project cannot be told.
func (i *Instructions) Load(cwd string) (Baseline, error) {
	if i.config.MaxBytes <= 0 {
		return Baseline{}, nil
	}
	if !filepath.IsAbs(cwd) {
		return Baseline{}, fmt.Errorf("working directory must be an absolute path: %q", cwd)
	}
	cwd = filepath.Clean(cwd)
	p := i.place(cwd)
	p.mu.Lock()
	defer p.mu.Unlock()
	found, err := i.config.survey(cwd)
	if err != nil {
		return Baseline{}, err
	}
	if p.found != nil && p.found.same(found) {
		return p.baseline, nil
	}
	fresh := i.config.compose(cwd, found, baselineStyle)
	p.found, p.baseline = nil, fresh
	if found.settledAt(time.Now()) {
		p.found = found
	}
	fresh.Fresh = true
	return fresh, nil
}

func (i *Instructions) place(cwd string) *place {
	i.mu.Lock()
	defer i.mu.Unlock()
	if p, ok := i.places[cwd]; ok {
		return p
	}
	if len(i.places) >= maxPlaces {
		for old := range i.places {
			delete(i.places, old)
			break
		}
	}
	p := &place{}
	i.places[cwd] = p
	return p
}

// compose reads what was found and renders it.
func (c InstructionsConfig) compose(cwd string, found *survey, st style) Baseline {
	r := c.read(found, time.Now())
	text, shown := renderChains(r.files, st, c.MaxBytes)
	b := Baseline{Text: text, Identity: c.identity(cwd, found.root), Warnings: r.warnings, omitted: map[string]bool{}, known: r.known, root: found.root}
	for _, f := range r.files {
		b.omitted[f.scope()] = true
	}
	for _, f := range shown {
		b.Changes = append(b.Changes, Change{Action: actionSet, Scope: f.scope(), Path: f.display, Digest: f.digest})
		delete(b.omitted, f.scope())
	}
	return b
}

// identity is the JSON text of what a baseline depends on besides the files.
func (c InstructionsConfig) identity(cwd, root string) string {
	rel, err := filepath.Rel(cwd, root)
	if err != nil {
		rel = root
	}
	return string(encode(struct {
		Root     string   `json:"projectRoot"`
		Markers  []string `json:"projectRootMarkers"`
		Max      int      `json:"maxBytes"`
		Source   int64    `json:"maxSourceBytes"`
		Names    []string `json:"instructionFileCandidates"`
		Overlays []string `json:"localInstructionFileCandidates"`
	}{filepath.ToSlash(rel), c.RootMarkers, c.MaxBytes, c.MaxSourceBytes, c.Candidates, c.LocalCandidates}))
}
