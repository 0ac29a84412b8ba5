package builtin

import (
	"context"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/proc"
	"github.com/dsh-go/dsh-workflow/tool"
)

// ripgrep is the program rg, if it is installed. It is looked for once, when it is
// needed first.
//
// Concurrency: any goroutine may ask; each answer is made once.
type ripgrep struct {
	path  func() string // where it is, empty without one
	known func() bool   // that program is a ripgrep that we know
}

// oldestRipgrep knows all options that we use.
const oldestRipgrep = 12

var ripgrepVersion = regexp.MustCompile(`^ripgrep (\d+)\.`)

// newRipgrep looks in the PATH of an environment.
func newRipgrep(env []string) *ripgrep {
	path := sync.OnceValue(func() string {
		path, err := proc.Find("rg", env)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err != nil {
			return ""
		}
		return path
	})
	known := sync.OnceValue(func() bool { return knownRipgrep(path()) })
	return &ripgrep{path: path, known: known}
}

// program is the path of rg, empty without one. One that lies in the place where
// an agent works is none: whoever wrote that place may have written it.
func (r *ripgrep) program(c tool.Call) string {
	path := r.path()
	for _, dir := range []string{c.Cwd, c.Root} {
		real, err := filepath.EvalSymlinks(dir)
		if path == "" || err != nil || inside(real, path) {
			return ""
		}
	}
	if !r.known() {
		return ""
	}
	return path
}

// knownRipgrep asks a program what it is. Who asks first may give up, but the
// answer is for all.
func knownRipgrep(path string) bool {
	out, err := proc.Run(context.Background(), proc.Cmd{Path: path, Args: []string{"--no-config", "--version"}, Dir: "/", Timeout: 5 * time.Second})
	m := ripgrepVersion.FindSubmatch(out.Stdout.Tail)
	if err != nil || out.ExitCode != 0 || m == nil {
		return false
	}
	major, err := strconv.Atoi(string(m[1]))
	return err == nil && major >= oldestRipgrep
}

// inside says whether a path is dir or below it. Both are absolute and clean.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// sieve lets ripgrep tell which files are worth reading. It reads no configuration,
// gets no environment, and is told each file by name, so that what is ignored,
// hidden or linked is decided by us alone.
type sieve struct {
	program string
	dir     string // absolute
	pattern string // of [loosened]
}

// sieved makes a sieve for an expression; nil where there is none: without ripgrep,
// or where ripgrep could overlook a line.
func (r *ripgrep) sieved(c tool.Call, dir, pattern string) *sieve {
	loose, ok := loosened(pattern)
	if !ok {
		return nil
	}
	program := r.program(c)
	if program == "" {
		return nil
	}
	return &sieve{program: program, dir: dir, pattern: loose}
}

// pass is the files, below the directory, of which a line may match. It is false if
// ripgrep met any trouble: then its answer is not used.
func (s *sieve) pass(ctx context.Context, files []string) (map[string]bool, bool) {
	args := []string{
		"--no-config", "--files-with-matches", "--null", "--text", "--encoding=none", "--no-mmap",
		"--color=never", "--case-sensitive", "--regexp=" + s.pattern, "--",
	}
	room := 0
	for _, f := range files {
		args = append(args, "./"+f)
		room += len(f) + 3
	}
	out, err := proc.Run(ctx, proc.Cmd{Path: s.program, Args: args, Dir: s.dir, Keep: room, SpillCap: 1}) // no file
	if err != nil || out.ExitCode != 0 && out.ExitCode != 1 || out.Stdout.Truncated() {
		return nil, false
	}
	passed := map[string]bool{}
	for _, name := range strings.Split(strings.TrimSuffix(string(out.Stdout.Tail), "\x00"), "\x00") {
		passed[strings.TrimPrefix(name, "./")] = true
	}
	return passed, true
}
