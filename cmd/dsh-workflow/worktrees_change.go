package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/workflow"
	"github.com/dsh-go/dsh-workflow/worktree"
)

func applyTrees(e env, home *string) *cobra.Command {
	return &cobra.Command{
		Use:   "apply RUN [AGENT...]",
		Short: "Merge what agents left into the checkout, in the order of their calls",
		Long: "Merge what agents left into what is checked out in their repository, in the order of their calls.\n" +
			"A branch that conflicts changes nothing and is named with its files; the others are merged all the same.",
		Example: "  dsh-workflow worktrees apply last\n  dsh-workflow worktrees apply last 2 5",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			_, all, err := oneRun(c, e, *home, args)
			if err != nil {
				return err
			}
			return apply(c.Context(), e, all)
		},
	}
}

func apply(ctx context.Context, e env, all []tree) error {
	merged, conflicts := 0, 0
	for _, t := range all {
		switch t.State {
		case treeKept:
		case treeMerged:
			fmt.Fprintf(e.stdout, "agent %d: %s is merged already\n", t.Seq, t.Branch)
			continue
		default:
			fmt.Fprintf(e.stderr, "agent %d: its worktree is %s and was left alone\n", t.Seq, t.State)
			continue
		}
		if err := t.repo.Ready(ctx); err != nil {
			return err
		}
		files, err := t.repo.Merge(ctx, t.Branch, t.subject())
		switch {
		case err != nil:
			return fmt.Errorf("agent %d: %w", t.Seq, err)
		case len(files) > 0:
			conflicts++
			fmt.Fprintf(e.stdout, "agent %d: CONFLICT in %s; git merge %s merges it by hand\n", t.Seq, observe.OneLine(strings.Join(files, ", "), 400), t.Branch)
		default:
			merged++
			fmt.Fprintf(e.stdout, "agent %d: merged %s (%s) into %s\n", t.Seq, t.Branch, count(t.Commits, "commit"), t.repo.Top())
		}
	}
	if conflicts > 0 {
		return fmt.Errorf("%d of %d branches conflict with what is checked out", conflicts, conflicts+merged)
	}
	if merged == 0 && len(all) == 0 {
		fmt.Fprintln(e.stdout, "no worktrees")
	}
	return nil
}

func (t tree) subject() string {
	label := observe.OneLine(t.Label, 60)
	if label == "" {
		label = t.Branch
	}
	return fmt.Sprintf("Merge agent %d of %s: %s", t.Seq, t.Run, label)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func gcTrees(e env, home *string) *cobra.Command {
	c := &cobra.Command{
		Use:     "gc [RUN]",
		Short:   "Remove worktrees and branches whose work is merged, or that hold none",
		Example: "  dsh-workflow worktrees gc\n  dsh-workflow worktrees gc last --force",
		Args:    cobra.MaximumNArgs(1),
	}
	force := c.Flags().Bool("force", false, "also those of RUN that hold work which is not merged: it is lost")
	c.RunE = func(c *cobra.Command, args []string) error {
		if *force && len(args) == 0 {
			return usage("--force needs the RUN whose work shall be thrown away")
		}
		h, ids, err := runsNamed(e, *home, args)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if owner, writing := h.Writing(id); writing {
				fmt.Fprintf(e.stderr, "run %s is running (process %d) and was left alone\n", id, owner.PID)
				continue
			}
			kept, err := dropTrees(c.Context(), e, h, id, *force)
			if err != nil {
				return err
			}
			for _, t := range kept {
				fmt.Fprintf(e.stdout, "kept %s: %s not merged\n", t.Branch, count(t.Commits, "commit"))
			}
		}
		return nil
	}
	return c
}

// dropTrees removes the worktrees of a run that has no process. Those with work
// that is not merged are returned, unless force throws it away.
func dropTrees(ctx context.Context, e env, h history, id workflow.RunID, force bool) (kept []tree, err error) {
	all, err := treesOf(ctx, e, h, id, nil)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if t.State == treeOpen {
			if err := t.rescue(ctx); err != nil {
				return nil, err
			}
		}
		if t.State == treeKept && !force {
			kept = append(kept, t)
			continue
		}
		if err := t.drop(ctx); err != nil {
			return nil, err
		}
		fmt.Fprintf(e.stdout, "removed %s\n", t.Branch)
	}
	return kept, nil
}

// rescue commits what an agent whose process was killed had changed.
func (t *tree) rescue(ctx context.Context) error {
	left, err := t.repo.Settle(ctx, t.Tree, fmt.Sprintf("agent %d, interrupted", t.Seq))
	if err != nil {
		return fmt.Errorf("the worktree of agent %d: %w", t.Seq, err)
	}
	t.State = treeMerged
	if left.Changed() {
		t.State, t.Head, t.Commits = treeKept, left.Head, left.Commits
		return t.book.Put(ctx, t.Entry)
	}
	return nil
}

func (t *tree) drop(ctx context.Context) error {
	if t.repo != nil {
		if err := t.repo.Remove(ctx, t.Tree); err != nil {
			return err
		}
	}
	return t.book.Drop(ctx, t.Branch)
}

// freeTrees makes a run removable: its worktrees go, unless they hold work.
func freeTrees(ctx context.Context, e env, h history, id workflow.RunID) error {
	kept, err := dropTrees(ctx, e, h, id, false)
	var fault *worktree.Error
	if errors.As(err, &fault) && fault.Kind == worktree.BadBook {
		return fmt.Errorf("%w: run %s was left alone", err, id)
	}
	if err != nil || len(kept) == 0 {
		return err
	}
	return usage("run %s was left alone: %s with work that is not merged. Merge it with worktrees apply %s, or throw it away with worktrees gc %s --force", id, count(len(kept), "worktree"), id, id)
}
