package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/dsh-go/dsh-workflow/internal/proc"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// detachedFlag marks the process that goes on without a terminal.
const detachedFlag = "detached"

// detach starts this command again, as a process that outlives this one, and
// returns when it has begun its run or refused it.
func detach(e env) error {
	path, err := os.Executable()
	if err != nil {
		return fmt.Errorf("--detach does not find its own program: %w", err)
	}
	// Behind the name of the command, since what follows -- is no flag.
	args := slices.Insert(slices.Clone(e.args), 1, "--"+detachedFlag)
	d := proc.Daemon{
		Path: path, Args: args, Dir: e.dir, Env: e.environ,
		Stdout: e.stdout, Stderr: e.stderr,
	}
	if slices.Contains(args, fromStdin) {
		d.Stdin, _ = e.stdin.(*os.File)
	}
	*e.detaching = true
	exited, code, err := d.Start()
	switch {
	case err != nil:
		return fmt.Errorf("the run could not be detached: %w", err)
	case exited:
		return &exitError{code: code}
	}
	return nil
}

// alone is the part of the process that goes on: it names the run, and nobody hears
// it any more.
func alone(e env, r *workflow.Run) error {
	fmt.Fprintln(e.stdout, r.ID())
	fmt.Fprintf(e.stderr, "process %d runs it; see dsh-workflow logs %s -f, and dsh-workflow stop %s\n", os.Getpid(), r.ID(), r.ID())
	return proc.Silence()
}
