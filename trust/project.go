package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// marker is what stands in the root of a repository: a folder, a file that points
// to one, or a link, whatever it leads to.
const marker = ".git"

// Project gives the project that dir, an absolute path, belongs to: the nearest
// folder at or above it that is the root of a repository, or dir itself where there
// is none, without symbolic links. It climbs only past folders that certainly are
// no root; if that cannot be told, the error says where.
func Project(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("folder must be an absolute path: %q", dir)
	}
	bare, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(bare); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%s is not an accessible folder", dir)
	}
	for at := bare; ; {
		_, err := os.Lstat(filepath.Join(at, marker))
		switch {
		case err == nil:
			return at, nil
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return "", fmt.Errorf("cannot tell the project of %s: %w", dir, err)
		}
		up := filepath.Dir(at)
		if up == at {
			return bare, nil
		}
		at = up
	}
}

// repository says whether project is the root of a repository. What cannot be
// told counts as one: then only an entry of its own speaks for it.
func repository(project string) bool {
	_, err := os.Lstat(filepath.Join(project, marker))
	return err == nil || !errors.Is(err, fs.ErrNotExist)
}
