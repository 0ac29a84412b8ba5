package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/workflow"
)

func rmCommand(e env, home *string) *cobra.Command {
	return &cobra.Command{
		Use:     "rm RUN...",
		Short:   "Remove runs with all their files; nothing is asked, and nothing removed if one of them is running",
		Example: "  dsh-workflow runs rm last\n  dsh-workflow runs rm wf_01m8q7 wf_01m8q8",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			h, err := openHistory(e, *home)
			if err != nil {
				return err
			}
			var ids []workflow.RunID
			for _, word := range args {
				id, err := h.find(word)
				if err != nil {
					return err
				}
				if owner, writing := h.Writing(id); writing {
					return usage("run %s is running (process %d): nothing was removed", id, owner.PID)
				}
				if !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
			for _, id := range ids {
				if err := freeTrees(c.Context(), e, h, id); err != nil {
					return err
				}
			}
			return removeRuns(e, h, ids, false)
		},
	}
}

func gcCommand(e env, home *string) *cobra.Command {
	c := &cobra.Command{
		Use:     "gc --older-than AGE | --keep N",
		Short:   "Remove old runs that have ended or were interrupted",
		Example: "  dsh-workflow runs gc --older-than 30d\n  dsh-workflow runs gc --keep 20 --dry-run",
		Args:    cobra.NoArgs,
	}
	older := c.Flags().String("older-than", "", "remove runs that ended longer ago than `AGE`, such as 30d, 2w or 12h")
	keep := c.Flags().Int("keep", 0, "remove all but the newest `N` of those that are not running")
	dry := c.Flags().Bool("dry-run", false, "only say what would be removed")
	c.RunE = func(*cobra.Command, []string) error {
		if c.Flags().Changed("older-than") == c.Flags().Changed("keep") {
			return usage("give either --older-than AGE or --keep N; see %s --help", c.CommandPath())
		}
		if *keep < 0 {
			return usage("--keep must not be negative, got %d", *keep)
		}
		age := time.Duration(-1)
		if c.Flags().Changed("older-than") {
			var err error
			if age, err = parseAge(*older); err != nil {
				return err
			}
		}
		h, err := openHistory(e, *home)
		if err != nil {
			return err
		}
		ids, err := old(e, h, age, *keep)
		if err != nil {
			return err
		}
		if !*dry {
			ids = removable(c.Context(), e, h, ids)
		}
		return removeRuns(e, h, ids, *dry)
	}
	return c
}

// removable frees the worktrees of runs and returns those that may go.
func removable(ctx context.Context, e env, h history, ids []workflow.RunID) []workflow.RunID {
	return slices.DeleteFunc(ids, func(id workflow.RunID) bool {
		err := freeTrees(ctx, e, h, id)
		if err != nil {
			fmt.Fprintln(e.stderr, err)
		}
		return err != nil
	})
}

// old returns the runs that ended more than age ago or, if age is negative,
// those behind the first keep. Running ones are neither returned nor counted.
func old(e env, h history, age time.Duration, keep int) ([]workflow.RunID, error) {
	ids, err := h.newestFirst()
	if err != nil {
		return nil, err
	}
	var found []workflow.RunID
	for _, id := range ids {
		p := h.quick(id)
		switch {
		case p.live():
		case p.Status == damaged:
			fmt.Fprintf(e.stderr, "%s is damaged and was left alone; runs rm removes it\n", id)
		case age >= 0 && time.Since(p.Start.Add(p.Took)) > age, age < 0 && keep <= 0:
			found = append(found, id)
		default:
			keep--
		}
	}
	return found, nil
}

// parseAge reads a duration that may also be in days or weeks.
func parseAge(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	for unit, length := range map[string]time.Duration{"d": day, "w": 7 * day} {
		number, ok := strings.CutSuffix(text, unit)
		if !ok {
			continue
		}
		if n, err := strconv.ParseUint(number, 10, 16); err == nil && n <= 36500 {
			return time.Duration(n) * length, nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return d, nil
	}
	return 0, usage("--older-than must be an age such as 30d, 2w or 12h, got %q", text)
}

// removeRuns removes runs, or only says that it would.
func removeRuns(e env, h history, ids []workflow.RunID, dry bool) error {
	word, done := "removed", int64(0)
	if dry {
		word = "would remove"
	}
	for _, id := range ids {
		size, err := h.Size(id)
		if err != nil {
			return err
		}
		if !dry {
			if err := h.Remove(id); err != nil {
				return err
			}
		}
		done += size
		fmt.Fprintf(e.stdout, "%s %s, %d bytes\n", word, id, size)
	}
	if len(ids) != 1 {
		fmt.Fprintf(e.stdout, "%s %d runs, %d bytes\n", word, len(ids), done)
	}
	return nil
}
