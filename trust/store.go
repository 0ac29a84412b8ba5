package trust

import (
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Answer is what the user has said about a folder.
type Answer string

// Answers.
const (
	Unasked Answer = "unasked" // nothing
	Trusted Answer = "trusted"
	Refused Answer = "refused"
)

// Verdict is what a store says about a folder.
type Verdict struct {
	// Project is what was decided about; see [Project].
	Project string
	Answer  Answer
	// By is the path of the entry that decides, empty if none does.
	By string
}

// Trusted says whether the folder may contribute.
func (v Verdict) Trusted() bool { return v.Answer == Trusted }

// Entry is one answer that is kept.
type Entry struct {
	Path    string    `json:"path"` // of a project
	Trusted bool      `json:"trusted"`
	Owner   string    `json:"owner,omitempty"` // user id of the folder at the time; empty stands for any
	Since   time.Time `json:"since"`
}

// Stale says why the entry decides nothing at present, empty if it does: its folder
// is gone, leads elsewhere or belongs to somebody else.
func (e Entry) Stale() string {
	real, err := filepath.EvalSymlinks(e.Path)
	switch {
	case err != nil:
		return "the folder is gone"
	case real != e.Path:
		return "it is a link now"
	case !e.ownedLike(e.Path):
		return "it belongs to another user now"
	}
	return ""
}

func (e Entry) ownedLike(path string) bool { return e.Owner == "" || e.Owner == ownerOf(path) }

// Config says where a store is and whose it is. Paths are absolute.
type Config struct {
	// Home is the folder of the harness, which has the file of the store.
	Home string
	// UserHome is the home of the user; it may be empty.
	UserHome string
	Now      func() time.Time // nil means time.Now
}

// Store keeps the answers of a user. It holds no state: each call reads the file,
// so that an answer given meanwhile counts.
//
// Concurrency: every method may be called from any goroutine and process.
type Store struct {
	config Config
	own    []string // folders that are the user's, whatever project they lie in
}

// New returns the store of a harness. It touches no file.
func New(c Config) *Store {
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &Store{config: c, own: []string{real(c.Home)}}
	if c.UserHome != "" {
		s.config.UserHome = real(c.UserHome)
		s.own = append(s.own, real(filepath.Join(c.UserHome, ".claude")), real(filepath.Join(c.UserHome, ".agents")))
	}
	return s
}

// real is path without links as far as it exists: what is compared has none.
func real(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// Look says what the user has said about the project of dir, an absolute path. An
// error is one of [Project], or a [*DamagedError]; then nothing is trusted.
func (s *Store) Look(dir string) (Verdict, error) {
	project, err := Project(dir)
	if err != nil {
		return Verdict{Answer: Unasked}, err
	}
	v := Verdict{Project: project, Answer: Unasked}
	entries, err := s.List()
	if err != nil {
		return v, err
	}
	nested := repository(project)
	for at := project; ; at = filepath.Dir(at) {
		speaks := at == project || !nested && !s.broad(at)
		i := slices.IndexFunc(entries, func(e Entry) bool { return speaks && e.Path == at && e.ownedLike(project) })
		if i >= 0 {
			v.By, v.Answer = at, entries[i].Answer()
			return v, nil
		}
		if at == filepath.Dir(at) {
			return v, nil
		}
	}
}

// Answer is what was said.
func (e Entry) Answer() Answer {
	if e.Trusted {
		return Trusted
	}
	return Refused
}

// broad says whether a folder holds so much that an answer about it is none about
// what is in it.
func (s *Store) broad(path string) bool {
	return path == s.config.UserHome || path == filepath.Dir(path)
}

// Add keeps an answer about the project of dir, in the place of an earlier one, and
// gives the project.
func (s *Store) Add(dir string, trusted bool) (string, error) {
	project, err := Project(dir)
	if err != nil {
		return "", err
	}
	e := Entry{Path: project, Trusted: trusted, Owner: ownerOf(project), Since: s.config.Now().UTC().Truncate(time.Second)}
	return project, s.change(func(entries []Entry) []Entry {
		return append(without(entries, project), e)
	})
}

// Remove forgets the answer about dir itself or, if it has none, about the project
// of dir, and gives the path whose answer it was; empty if there was none. dir may
// be gone.
func (s *Store) Remove(dir string) (string, error) {
	paths := []string{filepath.Clean(dir), real(dir)}
	if project, err := Project(dir); err == nil {
		paths = append(paths, project)
	}
	removed := ""
	err := s.change(func(entries []Entry) []Entry {
		for _, path := range paths {
			if left := without(entries, path); len(left) < len(entries) {
				removed = path
				return left
			}
		}
		return entries
	})
	return removed, err
}

// without copies entries, less those of path.
func without(entries []Entry, path string) []Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Path == path })
}

// owned says whether path lies in a folder of the user.
func (s *Store) owned(path string) bool {
	return slices.ContainsFunc(s.own, func(folder string) bool {
		return path == folder || strings.HasPrefix(path, folder+string(filepath.Separator))
	})
}
