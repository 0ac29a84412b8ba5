package prompt

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// source is one instruction file that was read.
type source struct {
	candidate
	content string
	digest  string // of the bytes of the file
}

// border decides which links of a project are followed. A project may come from
// anybody, so a link must not bring a file of the user into a prompt.
type border struct {
	root  string   // without links; empty when it cannot be told
	names []string // of instruction files
}

func newBorder(root string, names []string) *border {
	target, err := filepath.EvalSymlinks(root)
	if err != nil {
		target = ""
	}
	return &border{root: target, names: names}
}

// allows reports whether target may be read: any file inside the root, and above
// it an instruction file in one of the root's ancestors.
func (b *border) allows(target string) bool {
	if b.root == "" {
		return false
	}
	if within(b.root, target) {
		return true
	}
	return slices.Contains(b.names, filepath.Base(target)) && within(filepath.Dir(target), b.root)
}

// within reports whether path is dir or below it. Both are clean and absolute.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// look finds out what stands at the place. A nil border follows every link: the
// homes are the user's own.
func (c *candidate) look(b *border) {
	if _, err := os.Lstat(c.path); err != nil {
		if !isAbsent(err) {
			c.refusal = reason(err)
		}
		return
	}
	target, err := filepath.EvalSymlinks(c.path)
	if err != nil {
		c.refusal = reason(err)
		return
	}
	c.target = target
	if b != nil && !b.allows(target) {
		c.refusal = "it links to a file outside the project"
		return
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		c.refusal = reason(err)
	case !info.Mode().IsRegular():
		c.refusal = "it is not a regular file"
	default:
		c.info = info
	}
}

// reason is the text of an error without the path, which the warning names.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// read reads what was found, each file once, and drops equal files of a group.
// The warnings name what was there and was left out for a reason that its
// author does not expect.
func (c InstructionsConfig) read(found *survey) (files []source, warnings []string) {
	paths, texts := map[string]bool{}, map[string]bool{}
	for _, at := range found.candidates {
		warn := func(why string) {
			warnings = append(warnings, fmt.Sprintf("instruction file %s is ignored: %s", at.path, why))
		}
		if at.refusal != "" {
			warn(at.refusal)
			continue
		}
		if at.info == nil || paths[at.target] {
			continue
		}
		paths[at.target] = true
		content, err := readRegular(at.target, at.info, c.MaxSourceBytes)
		if err != nil {
			warn(reason(err))
			continue
		}
		trimmed := sha1.Sum(bytes.TrimSpace(content))
		key := at.group + "\x00" + string(trimmed[:])
		if texts[key] {
			continue
		}
		texts[key] = true
		digest := sha1.Sum(content)
		files = append(files, source{
			candidate: at,
			content:   strings.ToValidUTF8(string(content), "\uFFFD"),
			digest:    hex.EncodeToString(digest[:]),
		})
	}
	return files, warnings
}

// readRegular reads the file that info describes, which path named a moment
// ago. It never blocks on a pipe and never reads more than limit bytes.
func readRegular(path string, info fs.FileInfo, limit int64) ([]byte, error) {
	if info.Size() > limit {
		return nil, fmt.Errorf("it is larger than %d bytes", limit)
	}
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	file, err := dir.OpenFile(filepath.Base(path), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	now, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !now.Mode().IsRegular() || !os.SameFile(now, info) {
		return nil, errors.New("it changed while it was read")
	}
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("it is larger than %d bytes", limit)
	}
	return content, nil
}
