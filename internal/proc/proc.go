package proc

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Defaults of [Cmd].
const (
	DefaultKeep     = 64000
	DefaultSpillCap = 64 << 20
	DefaultGrace    = 3 * time.Second
)

// settling is how long output may still come from what a child left behind (a
// process substitution, a pipe to a logger) before that is ended.
const settling = 150 * time.Millisecond

// Cmd is one process to run.
type Cmd struct {
	// Path is the program. Without a slash it is looked up in the PATH of Env,
	// and where there is none in the usual folders.
	Path string
	Args []string // without the program's name
	Dir  string   // absolute working directory
	// Env is the whole environment; see [Scrub]. Run adds a mark to it.
	Env []string
	// Timeout ends the process after that time; zero means never.
	Timeout time.Duration
	// Grace is the time between SIGTERM and SIGKILL.
	Grace time.Duration
	// Keep is how many bytes of each stream stay in memory.
	Keep int
	// SpillCap is the longest stream, in bytes, that is kept in a file when it is
	// longer than Keep.
	SpillCap int64
	// SpillDir is the folder of those files, made with mode 0700. Empty makes a
	// new temporary folder for each.
	SpillDir string
}

// Result is how a process ended and what it wrote.
type Result struct {
	Stdout, Stderr Capture
	ExitCode       int    // -1 if a signal ended it
	Signal         string // for example SIGKILL; empty if it exited
	TimedOut       bool   // the time was up, however the process then ended
	// Survivors are processes of the tree that could not be ended, by id.
	Survivors []int
}

func (c Cmd) withDefaults() Cmd {
	if c.Grace <= 0 {
		c.Grace = DefaultGrace
	}
	if c.Keep <= 0 {
		c.Keep = DefaultKeep
	}
	if c.SpillCap <= 0 {
		c.SpillCap = DefaultSpillCap
	}
	return c
}

// Run runs the process and returns when its tree has ended and its output has
// been read. The error is not nil if the process could not be started, or if
// ctx ended before it did; in the latter case it is the cause of ctx, and the
// result says what there was until then. A failing exit is not an error.
// Concurrent calls are independent.
func Run(ctx context.Context, c Cmd) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	c = c.withDefaults()
	path, err := Find(c.Path, c.Env)
	if err != nil {
		return Result{}, err
	}
	mark := rand.Text()
	env := append(append([]string{}, c.Env...), Mark(mark))
	r, err := start(c, path, env, mark)
	if err != nil {
		return Result{}, err
	}
	return r.wait(ctx)
}

// usualPath is searched where an environment has no PATH.
const usualPath = "/usr/local/bin:/usr/bin:/bin"

// Find gives the path of a program as a shell with that environment would, but
// never one in the working directory. A name with a slash is its own path.
func Find(name string, env []string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		return name, nil
	}
	for _, dir := range filepath.SplitList(cmp.Or(variable(env, "PATH"), usualPath)) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return path, nil
		}
	}
	return "", &fs.PathError{Op: "find", Path: name, Err: errors.New("no such program in PATH")}
}

// wait sees a started process through to the end of its tree.
func (r *running) wait(ctx context.Context) (Result, error) {
	var expired <-chan time.Time
	if r.cmd.Timeout > 0 {
		t := time.NewTimer(r.cmd.Timeout)
		defer t.Stop()
		expired = t.C
	}
	var result Result
	var cause error
	grace := r.cmd.Grace
	select {
	case <-r.exited:
		r.settle(settling)
		// Nobody asked for what is left, so it gets less time.
		grace = min(grace, time.Second)
	case <-expired:
		result.TimedOut = true
	case <-ctx.Done():
		cause = context.Cause(ctx)
	}
	result.Survivors = r.tree.end(grace)
	if err := r.finish(&result); err != nil && cause == nil {
		return result, fmt.Errorf("wait for %s: %w", r.cmd.Path, err)
	}
	return result, cause
}

// settle waits until both streams are at their end, but no longer than d.
func (r *running) settle(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-r.drained:
	case <-t.C:
	}
}
