package builtin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-go/dsh-workflow/tool"
)

// target is a file that a call names.
type target struct {
	// path is absolute, without symbolic links as far as it exists. It is the
	// identity of the file: all names of a file share it.
	path string
	// shown is the path in texts: relative inside the working directory.
	shown string
	// rel is path relative to root. Both are empty until confine.
	root, rel string
}

// locate resolves the path of an argument.
func locate(c tool.Call, op, argument string) (target, error) {
	if strings.TrimSpace(argument) == "" {
		return target{}, badArgument("file_path must be a non-empty string")
	}
	if strings.ContainsRune(argument, 0) {
		return target{}, badArgument("file_path must not contain a NUL character")
	}
	path := argument
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.Cwd, path)
	}
	path = filepath.Clean(path)
	t := target{shown: oneLine(path)}
	if rel, err := filepath.Rel(c.Cwd, path); err == nil && filepath.IsLocal(rel) && rel != "." {
		t.shown = oneLine(rel)
	}
	real, err := realPath(path, 0)
	if err != nil {
		return target{}, ioFault(op, t.shown, err)
	}
	t.path = real
	if c.Confined && !visible(c, real) {
		return target{}, fault(SandboxDenied, nil, `cannot %s "%s": it is outside %s, and nothing else may be looked at in a folder that is not trusted`, op, t.shown, oneLine(c.Root))
	}
	return t, nil
}

// visible says whether a confined call may look at a path that has no links.
func visible(c tool.Call, path string) bool {
	for _, folder := range []string{c.Root, c.Outputs} {
		if folder == "" {
			continue
		}
		top, err := realPath(folder, 0)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(top, path); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// realPath resolves symbolic links, also of a path whose end does not exist: a
// link that points to nothing stands for what it points to.
func realPath(path string, links int) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if links > 40 {
		return "", &fs.PathError{Op: "resolve", Path: path, Err: errors.New("too many symbolic links")}
	}
	if to, err := os.Readlink(path); err == nil {
		if !filepath.IsAbs(to) {
			dir, err := realPath(filepath.Dir(path), links+1)
			if err != nil {
				return "", err
			}
			to = filepath.Join(dir, to)
		}
		return realPath(to, links+1)
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path, nil
	}
	dir, err = realPath(dir, links)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.Base(path)), nil
}

// confine refuses a target outside the root of the call.
func (t target) confine(c tool.Call, op string) (target, error) {
	root, err := filepath.EvalSymlinks(c.Root)
	if c.Root == "" || err != nil {
		return t, fault(SandboxDenied, err, `cannot %s "%s": the root "%s" of this agent is not usable`, op, t.shown, oneLine(c.Root))
	}
	rel, err := filepath.Rel(root, t.path)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return t, fault(SandboxDenied, err, `cannot %s "%s": %s is outside the root %s`, op, t.shown, oneLine(t.path), oneLine(root))
	}
	t.root, t.rel = root, rel
	return t, nil
}

// version names a state of a file. Two states that differ have different ones.
type version string

// absent is the version of a file that is not there.
const absent version = "absent"

func versionOf(info fs.FileInfo) version {
	dev, ino, ctime := identity(info)
	return version(fmt.Sprintf("%d:%d:%d:%d:%d", dev, ino, info.Size(), info.ModTime().UnixNano(), ctime))
}
