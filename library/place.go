package library

import (
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh-workflow/trust"
)

// Origin says whose folder a workflow is in.
type Origin string

// Origins.
const (
	Project Origin = "project" // the working directory or a folder above it
	User    Origin = "user"    // the harness home or the user's home
)

// Places says where to look. Paths are absolute; an empty one is left out.
type Places struct {
	// Dir is the working directory.
	Dir string
	// Trusted says that the user trusts the project of Dir. Without it the folders
	// of the project are not opened.
	Trusted bool
	// Home is the folder of the harness, such as ~/.dsh; its workflows folder counts.
	Home string
	// UserHome is the user's home directory; its .claude/workflows counts.
	UserHome string
}

// folder is one place: rel below base. Links may lead anywhere inside base and
// nowhere else.
type folder struct {
	base, rel string
	origin    Origin
}

func (f folder) path() string { return filepath.Join(f.base, f.rel) }

// folders lists the places in order. A place that is both the user's and the
// project's is the user's. After an error they are the user's alone.
func (p Places) folders() ([]folder, error) {
	var own []folder
	if p.Home != "" {
		own = append(own, folder{p.Home, "workflows", User})
	}
	if p.UserHome != "" {
		own = append(own, folder{p.UserHome, filepath.Join(".claude", "workflows"), User})
	}
	var all []folder
	project, err := projectFolders(p.Dir)
	for _, f := range project {
		if !contains(own, f) {
			all = append(all, f)
		}
	}
	for _, f := range own {
		if !contains(all, f) {
			all = append(all, f)
		}
	}
	return all, err
}

// projectFolders lists the places of the project of dir, the nearest first.
func projectFolders(dir string) (all []folder, err error) {
	if dir == "" {
		return nil, nil
	}
	root, err := trust.Project(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	for {
		below, err := filepath.Rel(root, dir)
		if err != nil {
			return nil, err
		}
		for _, of := range []string{".dsh", ".claude"} {
			all = append(all, folder{root, filepath.Join(below, of, "workflows"), Project})
		}
		if dir == root {
			return all, nil
		}
		dir = filepath.Dir(dir)
	}
}

// contains compares folders as the disk has them, because one folder can have
// many paths.
func contains(all []folder, f folder) bool {
	info, err := os.Stat(f.path())
	for _, other := range all {
		if filepath.Clean(other.path()) == filepath.Clean(f.path()) {
			return true
		}
		if err != nil {
			continue
		}
		if same, err := os.Stat(other.path()); err == nil && os.SameFile(info, same) {
			return true
		}
	}
	return false
}
