package worktree

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/proc"
)

// patience bounds one git command.
const patience = 5 * time.Minute

// git runs the git program.
type git struct {
	env []string
}

func newGit(env []string) git {
	clean := slices.DeleteFunc(proc.Scrub(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return bendsGit(name)
	})
	return git{env: append(clean, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")}
}

// bendsGit tells variables that point git at another repository, index or set of
// objects: a command that runs below a git hook has them.
func bendsGit(name string) bool {
	switch name {
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX",
		"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CEILING_DIRECTORIES", "GIT_QUARANTINE_PATH":
		return true
	}
	switch name {
	case "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM":
		return false
	}
	return strings.HasPrefix(name, "GIT_CONFIG") // what git -c hands down
}

// quiet are settings for commands that serve an agent or ask a question: no hook,
// no signature, no helper process.
var quiet = []string{
	"-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false", "-c", "core.fsmonitor=false",
	"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "advice.detachedHead=false",
}

// run runs git in dir and returns its output without the last newline. The error
// is a [*Error] whose message is what git said.
func (g git) run(ctx context.Context, dir string, args ...string) (string, error) {
	return g.output(ctx, dir, nil, slices.Concat(quiet, args))
}

// plain runs git the way that a person would, with hooks and signatures.
func (g git) plain(ctx context.Context, dir string, args ...string) (string, error) {
	return g.output(ctx, dir, nil, args)
}

func (g git) output(ctx context.Context, dir string, env, args []string) (string, error) {
	res, err := g.exec(ctx, dir, env, args)
	if err != nil {
		return "", err
	}
	if res.ExitCode != 0 {
		return "", failed(res, args)
	}
	return strings.TrimRight(string(res.Stdout.Tail), "\n"), nil
}

// tells runs a git command that answers by its exit code: 0 is yes, 1 is no.
func (g git) tells(ctx context.Context, dir string, args ...string) (bool, error) {
	res, err := g.exec(ctx, dir, nil, slices.Concat(quiet, args))
	switch {
	case err != nil:
		return false, err
	case res.ExitCode == 0:
		return true, nil
	case res.ExitCode == 1:
		return false, nil
	}
	return false, failed(res, args)
}

func (g git) exec(ctx context.Context, dir string, env, args []string) (proc.Result, error) {
	res, err := proc.Run(ctx, proc.Cmd{
		Path: "git", Args: args, Dir: dir, Env: append(slices.Clip(g.env), env...),
		Timeout: patience, Grace: proc.DefaultGrace, Keep: 16 << 20,
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return res, context.Cause(ctx)
	case err != nil:
		return res, &Error{Kind: NoGit, Message: "the git program cannot be run; is it installed and on the PATH?", Err: err}
	case res.TimedOut:
		return res, &Error{Kind: Failed, Message: fmt.Sprintf("git %s took longer than %s", verb(args), patience)}
	}
	return res, nil
}

func failed(res proc.Result, args []string) *Error {
	said := strings.TrimSpace(string(res.Stderr.Tail))
	if said == "" {
		said = strings.TrimSpace(string(res.Stdout.Tail))
	}
	lines := strings.Split(said, "\n")
	return &Error{Kind: Failed, Message: fmt.Sprintf("git %s failed: %s", verb(args), strings.Join(lines[:min(len(lines), 5)], " | "))}
}

// verb is the command among the arguments of git.
func verb(args []string) string {
	for i := 0; i < len(args); i++ {
		if args[i] == "-c" {
			i++
			continue
		}
		return args[i]
	}
	return ""
}
