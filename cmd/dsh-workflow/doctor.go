package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/internal/health"
	"github.com/dsh-go/dsh-workflow/observe"
)

// checkTime bounds each check of doctor, probeTime one that asks a model.
const (
	checkTime = 5 * time.Second
	probeTime = time.Minute
)

// doctor is what one call of the command knows.
type doctor struct {
	env      env
	home     string // empty if there is none
	dir      string // where the project is looked for
	settings *config.Settings
	faults   config.Faults // instead of settings
	trust    health.Finding
	probe    bool
}

func doctorCommand(e env) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Print the configuration that counts with its origins, and check that everything works",
		Long: "Print every value of the configuration that counts and where it comes from, and check the endpoints and their keys,\n" +
			"the home, the disk, the terminal, the clock and the programs that agents use. Endpoints are asked for their list of\n" +
			"models, which costs nothing; --probe asks the default model one short question.\n\n" +
			"Exit codes: 0 nothing failed; 1 something did; 2 the command line is invalid.",
		Example: "  dsh-workflow doctor\n  dsh-workflow doctor --base-url http://127.0.0.1:8080/v1 --model qwen3 --probe",
		Args:    cobra.NoArgs,
	}
	modelFlags(c, &o)
	trustFlag(c, &o)
	f := c.Flags()
	probe := f.Bool("probe", false, "ask the default model one short question, which the provider charges for")
	f.StringVar(&o.cwd, "cwd", "", "`DIR` of the project (default: the current one)")
	f.StringVar(&o.home, "home", "", "`DIR` of runs and config.yaml (default: $DSH_HOME or ~/.dsh)")
	f.StringVar(&o.output, "output", "text", "what goes to stdout: text or json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := textOrJSON(o.output); err != nil {
			return err
		}
		d, err := newDoctor(e, o)
		if err != nil {
			return err
		}
		d.probe = *probe
		found := d.examine(c.Context())
		if o.output == "json" {
			err = d.printJSON(found)
		} else {
			err = d.print(found)
		}
		if err != nil {
			return err
		}
		if n := failures(found); n > 0 {
			return &exitError{exitFailed, fmt.Sprintf("%d of %d checks failed", n, len(found))}
		}
		return nil
	}
	return c
}

func newDoctor(e env, o runOptions) (*doctor, error) {
	adm, err := newAdmission(e, o)
	if err != nil {
		return nil, err
	}
	d := &doctor{env: e, dir: adm.dir, trust: trustFinding(adm)}
	if home, err := e.harnessHome(o.home); err == nil {
		d.home = home
	}
	d.settings, err = adm.settings()
	if err != nil && !errors.As(err, &d.faults) {
		return nil, err
	}
	return d, nil
}

// examine runs all checks.
func (d *doctor) examine(ctx context.Context) []health.Finding {
	if ctx == nil {
		ctx = context.Background()
	}
	checks := append(d.configured(), d.surroundings()...)
	found := health.Run(ctx, checkTime, checks)
	if d.probe && d.settings != nil {
		found = append(found, health.Run(ctx, probeTime, []health.Check{{Name: "probe", Run: d.ask}})...)
	}
	return found
}

func failures(found []health.Finding) (n int) {
	for _, f := range found {
		if f.Level == health.Fail {
			n++
		}
	}
	return n
}

// print writes the report for people.
func (d *doctor) print(found []health.Finding) error {
	var b strings.Builder
	if s := d.settings; s != nil {
		fmt.Fprintf(&b, "user     %s\nproject  %s\n\n", orNone(s.User), orNone(s.Project))
		table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, v := range s.Values() {
			fmt.Fprintf(table, "%s\t%s\t%s\n", observe.OneLine(v.Key, maxShown), observe.OneLine(v.Value, maxShown), observe.OneLine(v.Origin.String(), maxShownPath))
		}
		table.Flush()
		b.WriteByte('\n')
	}
	for _, f := range found {
		fmt.Fprintf(&b, "%-4s  %-9s  %s\n", f.Level, observe.OneLine(f.Name, 80), observe.OneLine(f.Text, maxShown))
		if f.Do != "" {
			fmt.Fprintf(&b, "%17s→ %s\n", "", observe.OneLine(f.Do, maxShown))
		}
	}
	_, err := d.env.stdout.Write([]byte(b.String()))
	return err
}

func orNone(path string) string {
	if path == "" {
		return "none"
	}
	return observe.OneLine(path, maxShownPath)
}

// printJSON writes the report as one object.
func (d *doctor) printJSON(found []health.Finding) error {
	type files struct {
		User    string `json:"user"`
		Project string `json:"project"`
		Ignored string `json:"ignored"`
	}
	report := struct {
		SchemaVersion int              `json:"schemaVersion"`
		OK            bool             `json:"ok"`
		Files         files            `json:"files"`
		Values        []config.Value   `json:"values"`
		Checks        []health.Finding `json:"checks"`
	}{SchemaVersion: 1, OK: failures(found) == 0, Values: []config.Value{}, Checks: found}
	if s := d.settings; s != nil {
		report.Files = files{s.User, s.Project, s.Ignored}
		report.Values = s.Values()
	}
	return printJSON(d.env.stdout, report)
}
