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
	"time"
)

// source is one instruction file that was read.
type source struct {
	candidate
	action  string // what is told of it; empty in a baseline
	content string
	digest  string // of the bytes of the file
}

// border decides which links of a project are followed. A project may come from
// anybody, so a link must not bring a file of the user into a prompt.
type border struct {
	path  string   // of the root
	names []string // of instruction files
	root  string   // without links; empty when it cannot be told
	asked bool     // root has been told
}

func newBorder(root string, names []string) *border { return &border{path: root, names: names} }

// allows reports whether target may be read: any file inside the root, and above
// it an instruction file in one of the root's ancestors.
func (b *border) allows(target string) bool {
	if !b.asked {
		b.asked = true
		if root, err := filepath.EvalSymlinks(b.path); err == nil {
			b.root = root
		}
	}
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
			c.refusal, c.unsure = reason(err), true
		}
		return
	}
	target, err := filepath.EvalSymlinks(c.path)
	if err != nil {
		c.refusal, c.unsure = reason(err), !isAbsent(err)
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
		c.refusal, c.unsure = reason(err), !isAbsent(err)
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

// reading is what one pass over all places gave.
type reading struct {
	files    []source
	warnings []string
	known    map[string]memory // of every file that was read, by scope
}

// read reads what was found, each file once, and drops equal files of a group.
// The warnings name what was there and was left out for a reason that its
// author does not expect.
func (c InstructionsConfig) read(found *survey, now time.Time) reading {
	r := reading{known: map[string]memory{}}
	paths, texts := map[string]bool{}, map[string]bool{}
	for _, at := range found.candidates {
		warn := func(why string) {
			r.warnings = append(r.warnings, fmt.Sprintf("instruction file %s is ignored: %s", at.path, why))
		}
		if at.refusal != "" {
			warn(at.refusal)
			continue
		}
		if at.info == nil || paths[at.target] {
			continue
		}
		paths[at.target] = true
		file, m, err := c.take(at, now)
		if err != nil {
			warn(reason(err))
			continue
		}
		r.known[at.scope()] = m
		if key := at.group + "\x00" + m.trimmed; !texts[key] {
			texts[key] = true
			r.files = append(r.files, file)
		}
	}
	return r
}

// memory is what is remembered of a file that was read.
type memory struct {
	target  string
	info    fs.FileInfo
	young   bool   // it may change again without info changing
	digest  string // of its bytes
	trimmed string // digest of its bytes without the white space around them
}

// of reports whether the file at a place is still the one that was read.
func (m memory) of(at candidate) bool {
	return !m.young && m.target == at.target && sameFile(m.info, at.info)
}

// take reads the file at a place where one was found.
func (c InstructionsConfig) take(at candidate, now time.Time) (source, memory, error) {
	content, err := readRegular(at.target, at.info, c.MaxSourceBytes)
	if err != nil {
		return source{}, memory{}, err
	}
	m := memory{
		target: at.target, info: at.info, young: now.Sub(at.info.ModTime()) < settled,
		digest: digest(content), trimmed: digest(bytes.TrimSpace(content)),
	}
	return source{candidate: at, content: strings.ToValidUTF8(string(content), "\uFFFD"), digest: m.digest}, m, nil
}

func digest(content []byte) string {
	sum := sha1.Sum(content)
	return hex.EncodeToString(sum[:])
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
