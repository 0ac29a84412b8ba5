package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/control"
	"github.com/dsh-go/dsh-workflow/workflow"
)

func stopCommand(e env) *cobra.Command {
	c := &cobra.Command{
		Use:   "stop RUN",
		Short: "Cancel a run of another process; what has ended is kept, and resume goes on from there",
		Long: "Cancel a run that another process runs, and wait until it has ended. What has ended is kept.\n\n" +
			"RUN is the id of a run, the beginning of one, or last for the newest.",
		Example: "  dsh-workflow stop last --reason 'wrong branch'",
		Args:    cobra.ExactArgs(1),
	}
	control := speak(c, e, control.Stop)
	c.RunE = func(_ *cobra.Command, args []string) error {
		id, s, err := control(args[0])
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "%s %s\n", id, s.Status)
		return err
	}
	return c
}

func pauseCommand(e env) *cobra.Command {
	c := &cobra.Command{
		Use:   "pause RUN",
		Short: "Let a run of another process start no agent until resume; those that run go on",
		Long: "Let a run that another process runs start no further agent. Those that are running go on. resume RUN ends the pause.\n\n" +
			"RUN is the id of a run, the beginning of one, or last for the newest.",
		Example: "  dsh-workflow pause last && dsh-workflow resume last",
		Args:    cobra.ExactArgs(1),
	}
	control := speak(c, e, control.Pause)
	c.RunE = func(_ *cobra.Command, args []string) error {
		id, s, err := control(args[0])
		if err != nil {
			return err
		}
		word := string(s.Status)
		if !s.Changed {
			word += " already"
		}
		_, err = fmt.Fprintf(e.stdout, "%s %s\n", id, word)
		return err
	}
	return c
}

// unpause ends the pause of a run that another process runs.
func unpause(e env, h history, id workflow.RunID) error {
	s, err := tell(context.Background(), h, id, control.Request{Op: control.Resume})
	switch {
	case err != nil:
		return err
	case !s.Changed:
		return usage("run %s is running, and not paused", id)
	}
	_, err = fmt.Fprintf(e.stdout, "%s %s\n", id, s.Status)
	return err
}

// speak adds the flags of a command that speaks to a run, and returns what it does.
func speak(c *cobra.Command, e env, op control.Op) func(word string) (workflow.RunID, standing, error) {
	home := c.Flags().String("home", "", "`DIR` that keeps runs (default: $DSH_HOME or ~/.dsh)")
	reason := c.Flags().String("reason", "", "`TEXT` that the record of the run keeps")
	return func(word string) (workflow.RunID, standing, error) {
		h, err := openHistory(e, *home)
		if err != nil {
			return "", standing{}, err
		}
		id, err := h.find(word)
		if err != nil {
			return "", standing{}, err
		}
		s, err := tell(c.Context(), h, id, control.Request{Op: op, Reason: *reason})
		return id, s, err
	}
}
