package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/internal/plainjson"
	"github.com/dsh-go/dsh-workflow/library"
	"github.com/dsh-go/dsh-workflow/observe"
)

func listCommand(e env) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "list",
		Short: "List saved workflows, and the files that are none with the reason",
		Long: "List saved workflows. They are files ending in .js or .mjs in .dsh/workflows and .claude/workflows, from the\n" +
			"working directory up to the root of its repository, then in $DSH_HOME/workflows and ~/.claude/workflows.\n" +
			"The nearest of a name wins. Nothing of a script is run. The folders of a project that you do not trust are named\n" +
			"and not opened.",
		Example: "  dsh-workflow list\n  dsh-workflow list --output json",
		Args:    cobra.NoArgs,
	}
	f := c.Flags()
	f.StringVar(&o.cwd, "cwd", "", "`DIR` to start from (default: the current one)")
	f.StringVar(&o.home, "home", "", "`DIR` of the harness (default: $DSH_HOME or ~/.dsh)")
	trustFlag(c, &o)
	f.StringVar(&o.output, "output", "text", "what goes to stdout: text or json")
	c.RunE = func(*cobra.Command, []string) error {
		if err := textOrJSON(o.output); err != nil {
			return err
		}
		adm, err := newAdmission(e, o)
		if err != nil {
			return err
		}
		l, err := adm.listing()
		if err != nil {
			return usage("%v", err)
		}
		if o.output == "json" {
			return printListJSON(e, l)
		}
		return printList(e, l)
	}
	return c
}

// printListJSON writes one object. Its lists are never null.
func printListJSON(e env, l *library.Listing) error {
	b, err := plainjson.Marshal(struct {
		SchemaVersion int                `json:"schemaVersion"`
		Workflows     []library.Workflow `json:"workflows"`
		Shadowed      []library.Shadowed `json:"shadowed"`
		Skipped       []library.Skipped  `json:"skipped"`
	}{1, append([]library.Workflow{}, l.Workflows...), append([]library.Shadowed{}, l.Shadowed...), append([]library.Skipped{}, l.Skipped...)})
	if err != nil {
		return err
	}
	_, err = e.stdout.Write(append(b, '\n'))
	return err
}

// printList writes the three lists for people. What files say is made safe for
// the terminal.
func printList(e env, l *library.Listing) error {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, w := range l.Workflows {
		about := observe.OneLine(w.Description, maxShown)
		if w.Description == "" {
			about = "(no meta statement)"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", w.Name, w.Origin, about)
	}
	table.Flush()
	if len(l.Shadowed) > 0 {
		b.WriteString("\nshadowed\n")
		for _, s := range l.Shadowed {
			fmt.Fprintf(&b, "  %s: %s is shadowed by %s\n", s.Name, observe.OneLine(s.Path, maxShownPath), observe.OneLine(s.By, maxShownPath))
		}
	}
	writeSkipped(&b, l.Skipped)
	if len(l.Workflows) == 0 {
		fmt.Fprintln(e.stderr, observe.Lines("no saved workflows in\n  "+strings.Join(l.Folders, "\n  ")))
	}
	_, err := e.stdout.Write([]byte(strings.TrimPrefix(b.String(), "\n")))
	return err
}
