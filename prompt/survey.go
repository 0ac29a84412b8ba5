package prompt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// userFile is the one name that counts in a home.
const userFile = "AGENTS.md"

// Internal names of the two homes, used where a project's file has its folder.
const (
	userScope   = "user-global"
	agentsScope = "user-agents"
)

// RootError says that the root of a project cannot be told, because a folder on
// the way up could not be looked at. Going on would take a folder above for it.
type RootError struct {
	Path string
	Err  error
}

func (e *RootError) Error() string {
	return fmt.Sprintf("cannot tell the project root: %v", e.Err)
}

// Unwrap returns the cause.
func (e *RootError) Unwrap() error { return e.Err }

// Code returns INSTRUCTIONS_ROOT.
func (e *RootError) Code() string { return "INSTRUCTIONS_ROOT" }

// chain tells the user's files from the project's.
type chain int

const (
	userChain chain = iota
	projectChain
)

// candidate is a place where an instruction file may be.
type candidate struct {
	path    string // absolute
	display string // what the model sees
	folder  string // first part of the scope
	chain   chain
	group   string // of these, equal contents are shown once

	void    bool        // nothing counts here any more
	target  string      // path without links; empty where nothing is
	info    fs.FileInfo // of target; nil: there is nothing to read
	refusal string      // why something that is there is not read
	unsure  bool        // with a refusal: it cannot be told now whether a file is there
}

// scope names the place in the source of a message.
func (c *candidate) scope() string { return c.folder + "\x00" + filepath.Base(c.path) }

// survey is what stands in all the places that count for one working folder.
type survey struct {
	root       string
	candidates []candidate
}

// same reports whether nothing that a reader could see has changed.
func (s *survey) same(other *survey) bool {
	if s.root != other.root || len(s.candidates) != len(other.candidates) {
		return false
	}
	for i := range s.candidates {
		a, b := &s.candidates[i], &other.candidates[i]
		if a.path != b.path || a.target != b.target || a.refusal != b.refusal || !sameFile(a.info, b.info) {
			return false
		}
	}
	return true
}

func sameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.Mode() == b.Mode() && a.ModTime().Equal(b.ModTime())
}

// settledAt reports whether every file is old enough for [survey.same] to be
// trusted later.
func (s *survey) settledAt(now time.Time) bool {
	for _, c := range s.candidates {
		if c.info != nil && now.Sub(c.info.ModTime()) < settled {
			return false
		}
	}
	return true
}

// survey looks at every place, without reading a file.
func (c InstructionsConfig) survey(cwd string) (*survey, error) {
	root, err := c.rootOf(cwd)
	if err != nil {
		return nil, err
	}
	s := &survey{root: root}
	for _, at := range c.homes() {
		at.look(nil)
		s.candidates = append(s.candidates, at)
	}
	if c.UserOnly {
		return s, nil
	}
	border := newBorder(root, c.plain)
	for _, dir := range foldersBetween(root, cwd) {
		for _, at := range c.folder(root, dir) {
			at.look(border)
			s.candidates = append(s.candidates, at)
		}
	}
	return s, nil
}

// rootOf is the root of the project that cwd lies in, or cwd where no project
// counts.
func (c InstructionsConfig) rootOf(cwd string) (string, error) {
	if c.UserOnly {
		return cwd, nil
	}
	return c.findRoot(cwd)
}

// findRoot climbs from cwd to the first folder with a marker, and only past
// folders that certainly have none. Without any, cwd is the root.
func (c InstructionsConfig) findRoot(cwd string) (string, error) {
	for dir := cwd; ; dir = filepath.Dir(dir) {
		switch marked, err := c.marked(dir); {
		case err != nil:
			return "", err
		case marked:
			return dir, nil
		case dir == filepath.Dir(dir):
			return cwd, nil
		}
	}
}

// marked says whether a folder is the root of a project. A link is a marker too,
// whatever it leads to.
func (c InstructionsConfig) marked(dir string) (bool, error) {
	for _, marker := range plainNames(c.RootMarkers) {
		path := filepath.Join(dir, marker)
		switch _, err := os.Lstat(path); {
		case err == nil:
			return true, nil
		case !isAbsent(err):
			return false, &RootError{Path: path, Err: err}
		}
	}
	return false, nil
}

func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// homes are the places of the user's files.
func (c InstructionsConfig) homes() []candidate {
	var places []candidate
	add := func(home Home, scope, usual, variable string) {
		if home.Path == "" {
			return
		}
		prefix := variable
		if home.Usual {
			prefix = usual
		}
		places = append(places, candidate{
			path:    filepath.Join(home.Path, userFile),
			display: prefix + userFile,
			folder:  scope,
			chain:   userChain,
			group:   userScope,
		})
	}
	add(c.Dsh, userScope, "~/.dsh/", "$DSH_HOME/")
	add(c.Agents, agentsScope, "~/.agents/", "$DSH_AGENTS_HOME/")
	return places
}

// folder is the places of one folder of a project, which lies in root.
func (c InstructionsConfig) folder(root, dir string) []candidate {
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return nil // both are absolute and one holds the other
	}
	folder := filepath.ToSlash(rel)
	if folder == userScope || folder == agentsScope {
		folder = "./" + folder
	}
	var places []candidate
	for _, name := range c.plain {
		places = append(places, placeIn(dir, folder, name))
	}
	return places
}

// placeIn is one place of a project's folder, shown as folder.
func placeIn(dir, folder, name string) candidate {
	at := candidate{path: filepath.Join(dir, name), display: name, folder: folder, chain: projectChain, group: dir}
	if folder != "." {
		at.display = folder + "/" + name
	}
	return at
}

// foldersBetween lists the folders from root, which holds cwd, down to cwd.
func foldersBetween(root, cwd string) []string {
	var up []string
	for dir := cwd; ; dir = filepath.Dir(dir) {
		up = append(up, dir)
		if dir == root || dir == filepath.Dir(dir) {
			break
		}
	}
	slices.Reverse(up)
	return up
}
