package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/internal/plainjson"
	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/trust"
)

func trustCommand(e env) *cobra.Command {
	var home string
	c := &cobra.Command{
		Use:   "trust",
		Short: "Say which folders you trust, and see and undo it",
		Long: "Say which folders you trust, and see and undo it. Without a command: list.\n\n" +
			"A folder that you do not trust contributes nothing: no AGENTS.md, saved workflow, agent definition, skill,\n" +
			".dsh/config.yaml, hook or .mcp.json; and agents in it have the tools read, glob and grep only. What is trusted is\n" +
			"the root of the repository that DIR lies in, or DIR itself, with what is below it; a repository below has to be\n" +
			"trusted on its own, and your home directory stands for itself alone.",
		Example: "  dsh-workflow trust\n  dsh-workflow trust add ~/src/ours",
		Args:    cobra.NoArgs,
	}
	c.PersistentFlags().StringVar(&home, "home", "", "`DIR` of the harness (default: $DSH_HOME or ~/.dsh)")
	c.RunE = trustListFlags(c, e, &home)
	list := &cobra.Command{
		Use: "list", Short: "List the folders that you trust, and those that you refused to", Args: cobra.NoArgs,
		Example: "  dsh-workflow trust list --output json",
	}
	list.RunE = trustListFlags(list, e, &home)
	add := &cobra.Command{
		Use: "add [DIR]", Short: "Trust the project of a folder (default: the current one)", Args: cobra.MaximumNArgs(1),
		Example: "  dsh-workflow trust add\n  dsh-workflow trust add ~/src/ours",
	}
	add.RunE = func(_ *cobra.Command, args []string) error { return trustAdd(e, home, args) }
	remove := &cobra.Command{
		Use: "remove [DIR]", Short: "Forget what you said about the project of a folder", Args: cobra.MaximumNArgs(1),
		Example: "  dsh-workflow trust remove ~/src/old",
	}
	remove.RunE = func(_ *cobra.Command, args []string) error { return trustRemove(e, home, args) }
	c.AddCommand(list, add, remove)
	for _, sub := range c.Commands() {
		sub.Args = usageArgs(sub.Args)
	}
	return c
}

func trustStore(e env, home string) (*trust.Store, error) {
	path, err := e.harnessHome(home)
	if err != nil {
		return nil, err
	}
	return trust.New(trust.Config{Home: path, UserHome: e.home}), nil
}

// trustArg is the folder that a command is about.
func trustArg(e env, args []string) string {
	if len(args) == 0 {
		return e.dir
	}
	return e.abs(args[0])
}

func trustAdd(e env, home string, args []string) error {
	s, err := trustStore(e, home)
	if err != nil {
		return err
	}
	dir := trustArg(e, args)
	project, err := s.Add(dir, true)
	if err != nil {
		return usage("%v", err)
	}
	_, err = fmt.Fprintf(e.stdout, "trusted  %s\n", observe.OneLine(project, maxShownPath))
	return err
}

func trustRemove(e env, home string, args []string) error {
	s, err := trustStore(e, home)
	if err != nil {
		return err
	}
	dir := trustArg(e, args)
	removed, err := s.Remove(dir)
	if err != nil {
		return usage("%v", err)
	}
	v, lookErr := s.Look(dir)
	covered := lookErr == nil && v.By != ""
	switch {
	case removed == "" && covered:
		return usage("%s has no answer of its own: that of %s counts for it", dir, v.By)
	case removed == "":
		return usage("nothing was said about %s; `dsh-workflow trust list` shows what was", dir)
	}
	if _, err := fmt.Fprintf(e.stdout, "forgotten  %s\n", observe.OneLine(removed, maxShownPath)); err != nil || !covered {
		return err
	}
	_, err = fmt.Fprintf(e.stderr, "it is still %s: the answer of %s counts for it\n", v.Answer, observe.OneLine(v.By, maxShownPath))
	return err
}

// trustListFlags adds the flags of a list and returns what the command does.
func trustListFlags(c *cobra.Command, e env, home *string) func(*cobra.Command, []string) error {
	output := c.Flags().String("output", "text", "what goes to stdout: text or json")
	return func(*cobra.Command, []string) error {
		if *output != "text" && *output != "json" {
			return usage("--output must be text or json, got %q", *output)
		}
		s, err := trustStore(e, *home)
		if err != nil {
			return err
		}
		entries, err := s.List()
		if err != nil {
			return usage("%v", err)
		}
		if *output == "json" {
			return trustJSON(e, entries)
		}
		return trustText(e, entries)
	}
}

func trustText(e env, entries []trust.Entry) error {
	if len(entries) == 0 {
		_, err := fmt.Fprintln(e.stderr, "you have not said of any folder whether you trust it")
		return err
	}
	table := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	for _, entry := range entries {
		path := observe.OneLine(entry.Path, maxShownPath)
		if why := entry.Stale(); why != "" {
			path += "  (counts for nothing: " + why + ")"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", entry.Answer(), entry.Since.Local().Format("2006-01-02"), path)
	}
	return table.Flush()
}

// trustJSON writes one object. Its list is never null.
func trustJSON(e env, entries []trust.Entry) error {
	type folder struct {
		trust.Entry
		Stale string `json:"stale,omitempty"` // why it counts for nothing
	}
	all := []folder{}
	for _, entry := range entries {
		all = append(all, folder{entry, entry.Stale()})
	}
	b, err := plainjson.Marshal(struct {
		SchemaVersion int      `json:"schemaVersion"`
		Folders       []folder `json:"folders"`
	}{1, all})
	if err != nil {
		return err
	}
	_, err = e.stdout.Write(append(b, '\n'))
	return err
}
