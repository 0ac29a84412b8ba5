package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/internal/plainjson"
	"github.com/dsh-go/dsh-workflow/library"
	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/subagent"
)

func agentsCommand(e env) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "agents",
		Short: "List the agent types that agentType can name",
		Long: "List the agent types that agentType can name. They are files ending in .md in .dsh/agents and .claude/agents, from\n" +
			"the working directory up to the root of its repository, then in $DSH_HOME/agents and ~/.claude/agents, and in the\n" +
			"folders agents of plugins; then the built-in ones. The nearest of a name wins. The folders of a project that you\n" +
			"do not trust are named and not opened.",
		Example: "  dsh-workflow agents\n  dsh-workflow agents --output json",
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
		l, err := adm.agents()
		if err != nil {
			return usage("%v", err)
		}
		if o.output == "json" {
			return printAgentsJSON(e, l)
		}
		return printAgents(e, l)
	}
	return c
}

// agents reads the agent types that count in the working directory.
func (a *admission) agents() (*library.AgentListing, error) {
	p, err := a.places()
	if err != nil {
		return nil, err
	}
	return library.ListAgents(p), nil
}

// types are the agent types of a run.
func (a *admission) types() ([]subagent.Type, error) {
	l, err := a.agents()
	if err != nil {
		return nil, err
	}
	var all []subagent.Type
	for _, d := range l.Agents {
		all = append(all, subagent.Type{
			Name: d.Name, Description: d.Description, Persona: d.Persona, Tools: d.Tools,
			Model: d.Model, Effort: d.Effort, MaxSteps: d.MaxTurns, Once: d.Once,
		})
	}
	return all, nil
}

// builtin are the types that no file of the listing replaces, as definitions.
func builtin(l *library.AgentListing) (all []library.Agent) {
	for _, t := range subagent.BuiltinTypes() {
		replaced := false
		for _, d := range l.Agents {
			replaced = replaced || strings.EqualFold(d.Name, t.Name)
		}
		if !replaced {
			all = append(all, library.Agent{Name: t.Name, Description: t.Description, Tools: t.Tools, Origin: "built-in"})
		}
	}
	return all
}

// printAgentsJSON writes one object. Its lists are never null.
func printAgentsJSON(e env, l *library.AgentListing) error {
	b, err := plainjson.Marshal(struct {
		SchemaVersion int                     `json:"schemaVersion"`
		Agents        []library.Agent         `json:"agents"`
		Shadowed      []library.ShadowedAgent `json:"shadowed"`
		Skipped       []library.Skipped       `json:"skipped"`
	}{1, append(append([]library.Agent{}, l.Agents...), builtin(l)...), append([]library.ShadowedAgent{}, l.Shadowed...), append([]library.Skipped{}, l.Skipped...)})
	if err != nil {
		return err
	}
	_, err = e.stdout.Write(append(b, '\n'))
	return err
}

// printAgents writes the lists for people. What files say is made safe for the
// terminal.
func printAgents(e env, l *library.AgentListing) error {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	all := append(append([]library.Agent{}, l.Agents...), builtin(l)...)
	for _, a := range all {
		tools := "all tools"
		if a.Tools != nil {
			tools = "tools: " + strings.Join(a.Tools, " ")
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", a.Name, a.Origin, tools, observe.OneLine(a.Description, maxShown))
	}
	table.Flush()
	for _, a := range all {
		for _, note := range a.Notes {
			fmt.Fprintf(&b, "  %s: %s\n", a.Name, observe.OneLine(note, maxShown))
		}
	}
	if len(l.Shadowed) > 0 {
		b.WriteString("\nshadowed\n")
		for _, s := range l.Shadowed {
			fmt.Fprintf(&b, "  %s: %s is shadowed by %s\n", s.Name, observe.OneLine(s.Path, maxShownPath), observe.OneLine(s.By, maxShownPath))
		}
	}
	writeSkipped(&b, l.Skipped)
	_, err := e.stdout.Write([]byte(b.String()))
	return err
}

// writeSkipped writes what gives nothing, with the reasons.
func writeSkipped(b *strings.Builder, all []library.Skipped) {
	if len(all) == 0 {
		return
	}
	b.WriteString("\nskipped\n")
	for _, s := range all {
		fmt.Fprintf(b, "  %s: %s\n", observe.OneLine(s.Path, maxShownPath), observe.OneLine(s.Reason, maxShown))
	}
}
