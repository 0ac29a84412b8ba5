package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/observe"
)

func modelsCommand(e env) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "models",
		Short: "List the models that are known, who serves them, what they cost, and which one is the default",
		Long: "List the models that are known: those that are built in and those of the configuration, with the context window in\n" +
			"tokens and the prices in US dollars a million tokens. Others can be used by their names. No endpoint is asked.",
		Example: "  dsh-workflow models",
		Args:    cobra.NoArgs,
	}
	modelFlags(c, &o)
	trustFlag(c, &o)
	f := c.Flags()
	f.StringVar(&o.home, "home", "", "`DIR` with config.yaml (default: $DSH_HOME or ~/.dsh)")
	f.StringVar(&o.output, "output", "text", "what goes to stdout: text or json")
	c.RunE = func(*cobra.Command, []string) error {
		if err := textOrJSON(o.output); err != nil {
			return err
		}
		adm, err := newAdmission(e, o)
		if err != nil {
			return err
		}
		s, err := adm.settings()
		if err != nil {
			return usage("%v", err)
		}
		if o.output == "json" {
			return modelsJSON(e, s)
		}
		return modelsText(e, s)
	}
	return c
}

// textOrJSON checks the flag --output of commands that have two forms.
func textOrJSON(output string) error {
	if output != "text" && output != "json" {
		return usage("--output must be text or json, got %q", output)
	}
	return nil
}

func modelsText(e env, s *config.Settings) error {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MODEL\tPROVIDER\tCONTEXT\tINPUT\tCACHED\tOUTPUT\tALIASES\tFROM")
	for _, m := range s.Known() {
		var in, cached, out *float64
		if m.Price != nil {
			in, cached, out = m.Price.Input, m.Price.Cached, m.Price.Output
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", observe.OneLine(m.Model, maxShown), orDash(m.Provider), orDash(number(m.Context)),
			amount(in), amount(cached), amount(out), orDash(strings.Join(m.Aliases, ",")), observe.OneLine(m.Origin.String(), maxShownPath))
	}
	fmt.Fprintf(table, "%s\t%s\t-\t-\t-\t-\t-\t%s\n", config.Sim, config.Sim, config.FromDefault)
	table.Flush()
	if def, err := s.Default(); err == nil {
		fmt.Fprintf(&b, "\ndefault: %s of %s\n", observe.OneLine(def.Model, maxShown), def.Provider)
	} else {
		fmt.Fprintf(&b, "\ndefault: none (%s)\n", observe.OneLine(err.Error(), maxShown))
	}
	_, err := e.stdout.Write([]byte(b.String()))
	return err
}

func modelsJSON(e env, s *config.Settings) error {
	type choice struct {
		Provider string `json:"provider"`
		Model    string `json:"model"`
	}
	var chosen *choice
	if def, err := s.Default(); err == nil {
		chosen = &choice{def.Provider, def.Model}
	}
	return printJSON(e.stdout, struct {
		SchemaVersion int            `json:"schemaVersion"`
		Models        []config.Known `json:"models"`
		Default       *choice        `json:"default"`
	}{1, s.Known(), chosen})
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func amount(usd *float64) string {
	if usd == nil {
		return "-"
	}
	return strconv.FormatFloat(*usd, 'f', -1, 64)
}
