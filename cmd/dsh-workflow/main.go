package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	dsh "github.com/dsh-go/dsh-workflow"
	"github.com/dsh-go/dsh-workflow/internal/proc"
	"github.com/dsh-go/dsh-workflow/observe"
)

func main() { os.Exit(start()) }

// start runs the command of this process and returns its exit code.
func start() int {
	dsh.RealmMain()
	e, err := processEnv()
	if err != nil {
		fmt.Fprintln(os.Stderr, "dsh-workflow:", err)
		return exitFailed
	}
	// Agents run commands as this user: what they can read must hold no key.
	if err := proc.HideSecrets(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		fmt.Fprintln(os.Stderr, "dsh-workflow: commands of agents can read this process's environment:", err)
	}
	// A reader that has gone away is an error of the write, not the end of a run.
	// The signal is caught and not ignored, because children inherit what is ignored.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	// Where the kernel can, what tools leave behind becomes our child and is ended.
	switch err := proc.Subreaper(); {
	case err == nil:
		ctx, stop := context.WithCancel(context.Background())
		go proc.Reap(ctx)
		defer func() {
			stop()
			if !*e.detaching {
				endChildren(e)
			}
		}()
	case !errors.Is(err, errors.ErrUnsupported):
		fmt.Fprintln(os.Stderr, "dsh-workflow: processes that detach themselves may outlive a run:", err)
	}
	return run(e)
}

// endChildren is the last act of the process.
func endChildren(e env) {
	left, err := proc.EndChildren(time.Second)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		fmt.Fprintln(e.stderr, "dsh-workflow: processes that agents started may be left:", err)
	} else if len(left) > 0 {
		fmt.Fprintln(e.stderr, "dsh-workflow: these processes could not be ended:", left)
	}
}

// run executes the command line of e.
func run(e env) int {
	out := &outlet{w: e.stdout}
	e.stdout = out
	root := rootCommand(e)
	root.SetArgs(e.args)
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	err := out.verdict(root.Execute())
	if err != nil && err.Error() != "" {
		fmt.Fprintln(e.stderr, "dsh-workflow:", observe.Lines(err.Error()))
	}
	return codeOf(err)
}

func rootCommand(e env) *cobra.Command {
	root := &cobra.Command{
		Use:   "dsh-workflow",
		Short: "Run orchestration scripts whose agent() calls are subagents",
		Long: "dsh-workflow runs a JavaScript script that a model or a person wrote. The script holds the loop;\n" +
			"its agent(), parallel(), pipeline() and phase() hooks start subagents that do the work.",
		Example:       "  dsh-workflow run examples/review.js --model sim\n  dsh-workflow logs last -f",
		Version:       versionText(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return c.Help()
		},
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage("%v; see %s --help", err, c.CommandPath())
	})
	root.AddCommand(runsCommand(e), worktreesCommand(e), logsCommand(e))
	root.AddCommand(runCommand(e), resumeCommand(e), checkCommand(e), typesCommand(e), listCommand(e), agentsCommand(e), trustCommand(e), versionCommand(e))
	root.AddCommand(initCommand(e), modelsCommand(e), configCommand(e), doctorCommand(e))
	root.AddCommand(stopCommand(e), pauseCommand(e))
	completions(e, root)
	for _, c := range append(root.Commands(), root) {
		c.Args = usageArgs(c.Args)
	}
	return root
}

// usageArgs makes a wrong number of arguments a fault of the command line.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if check == nil {
			return nil
		}
		if err := check(c, args); err != nil {
			return usage("%v; see %s --help", err, c.CommandPath())
		}
		return nil
	}
}
