package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/proc"
	"github.com/dsh-go/dsh-workflow/tool"
)

const (
	defaultTimeout = 120 * time.Second
	maxTimeout     = 600 * time.Second
)

type bashArgs struct {
	Command     string   `json:"command" jsonschema:"The command to run."`
	Description string   `json:"description" jsonschema:"What the command does, in five to ten words."`
	TimeoutMs   *float64 `json:"timeoutMs,omitempty" jsonschema:"The time in milliseconds after which the command is ended, at most 600000."`
	Workdir     string   `json:"workdir,omitempty" jsonschema:"The directory to run in, instead of the working directory."`
}

// shell runs commands.
type shell struct {
	env  []string
	path string
}

func (s shell) run(ctx context.Context, c tool.Call, in bashArgs) (tool.Result, error) {
	limit, err := in.check()
	if err != nil {
		return tool.Result{}, err
	}
	dir := in.Workdir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(c.Cwd, dir)
	}
	if info, err := os.Stat(dir); err != nil {
		return tool.Result{}, ioFault("run in", oneLine(dir), err)
	} else if !info.IsDir() {
		return tool.Result{}, fault(NotDirectory, nil, `cannot run in "%s": not a directory`, oneLine(dir))
	}
	r, err := proc.Run(ctx, proc.Cmd{
		Path: s.path, Args: []string{"-c", in.Command}, Dir: dir, Env: s.environment(c),
		Timeout: limit, Grace: graceFor(limit), SpillDir: c.Outputs,
	})
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return tool.Result{}, &tool.Error{Name: "ToolAbortedError", Kind: tool.KindAborted, Message: "tool call aborted", Err: err}
	case err != nil:
		return tool.Result{}, fmt.Errorf("spawn failed: %w", err)
	}
	return tool.Result{Content: tool.Text(render(r, limit))}, nil
}

// check refuses unusable arguments and gives the time limit.
func (in bashArgs) check() (time.Duration, error) {
	switch {
	case strings.TrimSpace(in.Command) == "":
		return 0, badArgument("invalid command: expected a non-empty string")
	case strings.ContainsRune(in.Command, 0):
		return 0, badArgument("invalid command: it must not contain a NUL character")
	case strings.TrimSpace(in.Description) == "":
		return 0, badArgument("invalid description: expected a non-empty string")
	case in.TimeoutMs == nil:
		return defaultTimeout, nil
	case *in.TimeoutMs <= 0:
		got, _ := json.Marshal(*in.TimeoutMs)
		return 0, badArgument("invalid timeoutMs: expected a positive number, got " + string(got))
	}
	ms := min(*in.TimeoutMs, float64(maxTimeout.Milliseconds()))
	return max(time.Duration(ms*float64(time.Millisecond)), time.Millisecond), nil
}

// graceFor keeps a short limit short: a command that may run a second does not
// get three more to ignore its end.
func graceFor(limit time.Duration) time.Duration {
	return min(proc.DefaultGrace, max(limit/2, 100*time.Millisecond))
}

// environment is what a command sees: the parent's without secrets, then what
// makes programs behave without a terminal, then who runs it.
func (s shell) environment(c tool.Call) []string {
	env := append(proc.Scrub(s.env),
		"NO_COLOR=1", "TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0",
		"GIT_EDITOR=:", // a commit without a message is refused instead of waiting for an editor
	)
	if c.Home != "" {
		env = append(env, "DSH_HOME="+c.Home)
	}
	env = append(env, "DSH_SHELL=1")
	if c.Session != "" {
		env = append(env, "DSH_SESSION_ID="+c.Session, proc.Mark(c.Session))
	}
	return env
}
