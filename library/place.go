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
	plugin    string // name of the plugin that it belongs to; stands before the names of what is in it
}

func (f folder) path() string { return filepath.Join(f.base, f.rel) }

// kind is what a folder holds.
type kind string

// Kinds.
const (
	workflows kind = "workflows"
	agents    kind = "agents"
)

// pluginsName is the folder whose folders are plugins. Each of them may have a
// folder of every kind.
const pluginsName = "plugins"

// folders lists the places of a kind in order. A place that is both the user's and
// the project's is the user's. After an error they are the user's alone.
func (p Places) folders(of kind) ([]folder, error) {
	var own []folder
	if p.Home != "" {
		own = append(own, folder{base: p.Home, rel: string(of), origin: User})
		own = append(own, plugins(folder{base: p.Home, rel: pluginsName, origin: User}, of)...)
	}
	if p.UserHome != "" {
		own = append(own, folder{base: p.UserHome, rel: filepath.Join(".claude", string(of)), origin: User})
		own = append(own, plugins(folder{base: p.UserHome, rel: filepath.Join(".claude", pluginsName), origin: User}, of)...)
	}
	var all []folder
	project, err := projectFolders(p, of)
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

// projectFolders lists the places of the project, the nearest first. Plugins are
// looked for only where the project is trusted.
func projectFolders(p Places, of kind) (all []folder, err error) {
	dir := p.Dir
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
		for _, in := range []string{".dsh", ".claude"} {
			all = append(all, folder{base: root, rel: filepath.Join(below, in, string(of)), origin: Project})
			if p.Trusted {
				all = append(all, plugins(folder{base: root, rel: filepath.Join(below, in, pluginsName), origin: Project}, of)...)
			}
		}
		if dir == root {
			return all, nil
		}
		dir = filepath.Dir(dir)
	}
}

// plugins lists the folders of a kind in the plugins of a folder. A folder that
// cannot be read has none: those of its plugins that could be read say more.
func plugins(in folder, of kind) (all []folder) {
	root, err := in.open()
	if err != nil {
		return nil
	}
	defer root.Close()
	found, _, err := names(root)
	if err != nil {
		return nil
	}
	for _, name := range found {
		rel := filepath.Join(in.rel, name, string(of))
		if info, err := os.Stat(filepath.Join(in.base, rel)); err != nil || !info.IsDir() || CheckName(name) != nil {
			continue
		}
		all = append(all, folder{base: in.base, rel: rel, origin: in.origin, plugin: name})
	}
	return all
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
