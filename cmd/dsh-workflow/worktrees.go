package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/internal/plainjson"
	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/subagent/isolated"
	"github.com/dsh-go/dsh-workflow/workflow"
	"github.com/dsh-go/dsh-workflow/worktree"
)

func worktreesCommand(e env) *cobra.Command {
	var home string
	c := &cobra.Command{
		Use:   "worktrees",
		Short: "List, read, merge and remove what agents left in git worktrees",
		Long: "List, read, merge and remove what agents with isolation: 'worktree' left. Without a command: list.\n\n" +
			"RUN is the id of a run, the beginning of one, or last for the newest. AGENT is the number of a call.",
		Example: "  dsh-workflow worktrees list last\n  dsh-workflow worktrees diff last 3 --stat\n  dsh-workflow worktrees apply last",
		Args:    cobra.NoArgs,
	}
	c.PersistentFlags().StringVar(&home, "home", "", "`DIR` that keeps runs (default: $DSH_HOME or ~/.dsh)")
	list := &cobra.Command{Use: "list [RUN]", Short: "List the worktrees of a run, or of all", Args: cobra.MaximumNArgs(1), Example: "  dsh-workflow worktrees list\n  dsh-workflow worktrees list last"}
	c.RunE = listTreesFlags(c, e, &home)
	list.RunE = listTreesFlags(list, e, &home)
	c.AddCommand(list, diffTrees(e, &home), applyTrees(e, &home), gcTrees(e, &home))
	for _, sub := range c.Commands() {
		sub.Args = usageArgs(sub.Args)
	}
	return c
}

// tree is one worktree of a run, and the repository that has it.
type tree struct {
	worktree.Entry
	Run   workflow.RunID
	book  *worktree.Book
	repo  *worktree.Repository // nil when it cannot be opened
	State string
}

// The states of a worktree.
const (
	treeOpen   = "open"   // its agent is at work, or was killed
	treeKept   = "kept"   // holds work that is not merged
	treeMerged = "merged" // all its work is in what is checked out
	treeGone   = "gone"   // the repository or the branch is not there any more
)

// treesOf lists the worktrees of a run. Only those with one of the numbers, if
// there are any.
func treesOf(ctx context.Context, e env, h history, id workflow.RunID, seqs []int) ([]tree, error) {
	book := worktree.NewBook(filepath.Join(h.Path(id), isolated.BookName))
	entries, err := book.Entries()
	if err != nil {
		return nil, err
	}
	var all []tree
	for _, entry := range entries {
		if len(seqs) > 0 && !slices.Contains(seqs, entry.Seq) {
			continue
		}
		t := tree{Entry: entry, Run: id, book: book}
		if err := t.look(ctx, e.environ); err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	for _, seq := range seqs {
		if !slices.ContainsFunc(all, func(t tree) bool { return t.Seq == seq }) {
			return nil, usage("run %s has no worktree of agent %d; see worktrees list %s", id, seq, id)
		}
	}
	return all, nil
}

// look finds out how a worktree stands.
func (t *tree) look(ctx context.Context, environ []string) error {
	repo, err := worktree.Open(ctx, t.Top, environ)
	var fault *worktree.Error
	switch {
	case errors.As(err, &fault) && fault.Kind != worktree.NoGit:
		t.State = treeGone
		return nil
	case err != nil:
		return err
	}
	t.repo = repo
	if _, err := repo.Commit(ctx, "refs/heads/"+t.Branch); err != nil {
		t.State = treeGone
		return nil
	}
	if t.Head == "" {
		t.State = treeOpen
		return nil
	}
	t.State = treeKept
	merged, err := repo.Contains(ctx, "HEAD", t.Head)
	if merged {
		t.State = treeMerged
	}
	return err
}

func listTreesFlags(c *cobra.Command, e env, home *string) func(*cobra.Command, []string) error {
	output := c.Flags().String("output", "text", "what goes to stdout: text, or json (one array)")
	return func(c *cobra.Command, args []string) error {
		if err := textOrJSON(*output); err != nil {
			return err
		}
		h, ids, err := runsNamed(e, *home, args)
		if err != nil {
			return err
		}
		var all []tree
		for _, id := range ids {
			some, err := treesOf(c.Context(), e, h, id, nil)
			if err != nil {
				return err
			}
			all = append(all, some...)
		}
		if *output == "json" {
			return treesJSON(e.stdout, all)
		}
		return treesText(e.stdout, all)
	}
}

// runsNamed is the run that the first argument names, or all runs.
func runsNamed(e env, home string, args []string) (history, []workflow.RunID, error) {
	h, err := openHistory(e, home)
	if err != nil {
		return h, nil, err
	}
	if len(args) == 0 {
		ids, err := h.newestFirst()
		return h, ids, err
	}
	id, err := h.find(args[0])
	return h, []workflow.RunID{id}, err
}

func treesText(w io.Writer, all []tree) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(w, "no worktrees")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "RUN\tAGENT\tSTATE\tCOMMITS\tBRANCH\tLABEL\tFOLDER")
	for _, t := range all {
		fmt.Fprintf(table, "%s\t%d\t%s\t%d\t%s\t%s\t%s\n", t.Run, t.Seq, t.State, t.Commits,
			observe.OneLine(t.Branch, 80), observe.OneLine(t.Label, 40), observe.OneLine(t.Path, 400))
	}
	return table.Flush()
}

func treesJSON(w io.Writer, all []tree) error {
	type listed struct {
		RunID workflow.RunID `json:"runId"`
		State string         `json:"state"`
		worktree.Entry
	}
	out := []listed{}
	for _, t := range all {
		out = append(out, listed{t.Run, t.State, t.Entry})
	}
	b, err := plainjson.Marshal(out)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// oneRun reads RUN [AGENT...].
func oneRun(c *cobra.Command, e env, home string, args []string) (history, []tree, error) {
	h, ids, err := runsNamed(e, home, args[:1])
	if err != nil {
		return h, nil, err
	}
	var seqs []int
	for _, word := range args[1:] {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return h, nil, usage("AGENT must be the number of a call, got %q", word)
		}
		seqs = append(seqs, n)
	}
	all, err := treesOf(c.Context(), e, h, ids[0], seqs)
	return h, all, err
}

func diffTrees(e env, home *string) *cobra.Command {
	c := &cobra.Command{Use: "diff RUN [AGENT...]", Short: "Print what agents changed, as patches", Args: cobra.MinimumNArgs(1), Example: "  dsh-workflow worktrees diff last\n  dsh-workflow worktrees diff last 3"}
	stat := c.Flags().Bool("stat", false, "only the names of the files, with counts")
	c.RunE = func(c *cobra.Command, args []string) error {
		_, all, err := oneRun(c, e, *home, args)
		if err != nil {
			return err
		}
		for _, t := range all {
			if t.State != treeKept && t.State != treeMerged {
				fmt.Fprintf(e.stderr, "agent %d: its worktree is %s, there is nothing to compare\n", t.Seq, t.State)
				continue
			}
			text, err := t.repo.Diff(c.Context(), t.Base, t.Head, *stat)
			if err != nil {
				return err
			}
			if len(all) > 1 || *stat {
				fmt.Fprintf(e.stdout, "# agent %d, %s\n", t.Seq, t.Branch)
			}
			if _, err := io.WriteString(e.stdout, text); err != nil {
				return err
			}
		}
		return nil
	}
	return c
}
