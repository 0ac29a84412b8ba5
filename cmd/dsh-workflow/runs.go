package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// listLimit is how many runs are listed unless --limit says otherwise.
const listLimit = 20

func runsCommand(e env) *cobra.Command {
	var home string
	c := &cobra.Command{
		Use:   "runs",
		Short: "List the runs that are kept, show one, remove some",
		Long: "List the runs that are kept, show one, remove some. Without a command: list.\n\n" +
			"RUN is the id of a run, the beginning of one, or last for the newest.",
		Example: "  dsh-workflow runs\n  dsh-workflow runs show last\n  dsh-workflow runs gc --older-than 30d",
		Args:    cobra.NoArgs,
	}
	c.PersistentFlags().StringVar(&home, "home", "", "`DIR` that keeps runs (default: $DSH_HOME or ~/.dsh)")
	c.RunE = listFlags(c, e, &home)
	list := &cobra.Command{Use: "list", Short: "List the runs that are kept, newest first", Args: cobra.NoArgs, Example: "  dsh-workflow runs list --limit 5\n  dsh-workflow runs list --limit 0 --output json"}
	list.RunE = listFlags(list, e, &home)
	show := &cobra.Command{Use: "show RUN", Short: "Show one run: what it was given, how it ended, each of its agents", Args: cobra.ExactArgs(1), Example: "  dsh-workflow runs show last\n  dsh-workflow runs show wf_01m8q8 --output json"}
	output := show.Flags().String("output", "text", "what goes to stdout: text, or json (one object)")
	show.RunE = func(_ *cobra.Command, args []string) error {
		if err := textOrJSON(*output); err != nil {
			return err
		}
		h, err := openHistory(e, home)
		if err != nil {
			return err
		}
		id, err := h.find(args[0])
		if err != nil {
			return err
		}
		if *output == "json" {
			return printJSON(e.stdout, shownOf(h, h.whole(id)))
		}
		return showRun(e.stdout, h, h.whole(id))
	}
	c.AddCommand(list, show, rmCommand(e, &home), gcCommand(e, &home))
	for _, sub := range c.Commands() {
		sub.Args = usageArgs(sub.Args)
	}
	return c
}

// listFlags adds the flags of a list and returns what the command does.
func listFlags(c *cobra.Command, e env, home *string) func(*cobra.Command, []string) error {
	output := c.Flags().String("output", "text", "what goes to stdout: text, or json (one array)")
	limit := c.Flags().Int("limit", listLimit, "how many runs; 0 for all")
	return func(*cobra.Command, []string) error {
		if *limit < 0 {
			return usage("--limit must not be negative, got %d", *limit)
		}
		if err := textOrJSON(*output); err != nil {
			return err
		}
		h, err := openHistory(e, *home)
		if err != nil {
			return err
		}
		ids, err := h.newestFirst()
		if err != nil {
			return err
		}
		left := 0
		if *limit > 0 && len(ids) > *limit {
			ids, left = ids[:*limit], len(ids)-*limit
		}
		if *output == "json" {
			return listJSON(e.stdout, h, ids)
		}
		if left > 0 {
			defer fmt.Fprintf(e.stderr, "%d older runs are not shown; --limit 0 shows all\n", left)
		}
		return listText(e.stdout, h, ids)
	}
}

func listText(w io.Writer, h history, ids []workflow.RunID) error {
	if len(ids) == 0 {
		_, err := fmt.Fprintln(w, "no runs")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "RUN\tWHEN\tTOOK\tSTATUS\tDONE\tFAILED\tNAME")
	for _, id := range ids {
		p := h.quick(id)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%d\t%s\n", observe.OneLine(string(id), 64), when(p.Start), took(p.Took), observe.OneLine(string(p.Status), 40),
			p.Agents.Completed, p.Agents.Failed, observe.OneLine(p.Header.Meta.Name, 80))
	}
	return table.Flush()
}

// listed is one run in the JSON form of a list.
type listed struct {
	RunID      workflow.RunID  `json:"runId"`
	Name       string          `json:"name"`
	Status     workflow.Status `json:"status"`
	Agents     workflow.Census `json:"agents"`
	CreatedAt  int64           `json:"createdAt"` // milliseconds since the epoch
	DurationMS int64           `json:"durationMs"`
	RunDir     string          `json:"runDir"`
}

func listJSON(w io.Writer, h history, ids []workflow.RunID) error {
	all := []listed{}
	for _, id := range ids {
		all = append(all, listedOf(h, h.quick(id)))
	}
	return printJSON(w, all)
}

func listedOf(h history, p *past) listed {
	return listed{
		RunID: p.ID, Name: p.Header.Meta.Name, Status: p.Status, Agents: p.Agents,
		CreatedAt: p.Header.CreatedAt, DurationMS: p.Took.Milliseconds(), RunDir: h.Path(p.ID),
	}
}

func when(t time.Time) string {
	if t.UnixMilli() == 0 {
		return "?"
	}
	return t.Local().Format(time.DateTime)
}

func took(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}
