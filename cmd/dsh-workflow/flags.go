package main

import (
	"cmp"
	"slices"
	"time"

	"github.com/spf13/cobra"

	dsh "github.com/dsh-go/dsh-workflow"
	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// runOptions are the flags of run and check.
type runOptions struct {
	choice config.Choice

	args, argsText *string // nil when the flag was not given
	meta           string
	imported       string
	strict         bool
	placeOptions

	limitOptions
	outputOptions
	detachOptions
	realmOptions
	askOptions
	exitOptions
}

// limitOptions are the limits of the run.
type limitOptions struct {
	atOnce, agents int
	deadline       time.Duration
	tokens         int
	usd            float64
}

// outputOptions say what is written where.
type outputOptions struct {
	output         string
	quiet, verbose bool
	dryRun         string // of --dry-run; empty runs for real
}

// detachOptions ask for a process that goes on without a terminal.
type detachOptions struct {
	detach   bool
	detached bool // this is that process
}

// placeOptions say where agents work, with what right, and where the harness lives.
type placeOptions struct {
	cwd, home string
	trust     bool
}

// realmOf says where scripts run: what the flag says, else the configuration.
func (o realmOptions) realmOf(s *config.Settings) dsh.RealmKind {
	return dsh.RealmKind(cmp.Or(o.realm, s.File.Defaults.Realm, string(dsh.RealmProcess)))
}

// realmOptions say where the script runs.
type realmOptions struct{ realm string }

// askOptions say when a person is asked.
type askOptions struct {
	yes      bool
	askAbove int
	askCost  float64 // US dollars
}

// exitOptions say what agents that failed do to the exit code.
type exitOptions struct {
	allowFailures   bool
	failIfAllFailed bool
}

func (o limitOptions) limits() config.Limits {
	return config.Limits{Concurrency: o.atOnce, Agents: o.agents, Deadline: config.Duration(o.deadline)}
}

// budgets puts the budgets of the run into its limits. A file has none: what a run
// may use is decided for that run.
func (o limitOptions) budgets(l workflow.Limits) workflow.Limits {
	l.Tokens, l.USD = o.tokens, o.usd
	return l
}

// scriptFlags adds what decides whether a script is valid. The returned function
// completes the options after parsing.
func scriptFlags(c *cobra.Command, o *runOptions) func() error {
	f := c.Flags()
	f.StringVar(&o.meta, "meta", "", "meta of a script that has no meta statement: `JSON` or @FILE")
	f.BoolVar(&o.strict, "strict", false, "unknown agent() options and a missing meta statement are errors")
	trustFlag(c, o)
	lenient := f.Bool("lenient", false, "unknown agent() options are one warning a run (the default for files)")
	return func() error {
		if *lenient && o.strict {
			return usage("--strict and --lenient exclude each other")
		}
		return nil
	}
}

// modelFlags adds what chooses the model.
func modelFlags(c *cobra.Command, o *runOptions) {
	f := c.Flags()
	f.StringVar(&o.choice.Model, "model", "", "`NAME` of the model that agents use, PROVIDER/NAME, or sim for the built-in simulated one")
	f.StringVar(&o.choice.BaseURL, "base-url", "", "`URL` of an OpenAI-compatible endpoint, with its /v1; its key is taken from DSH_API_KEY")
	f.StringVar(&o.choice.KeyEnv, "api-key-env", "", "`VARIABLE` that holds the key for --base-url, instead of DSH_API_KEY")
}

// trustFlag adds the flag for a folder that nobody was asked about.
func trustFlag(c *cobra.Command, o *runOptions) {
	c.Flags().BoolVar(&o.trust, "trust", false, "trust the project of the working directory this once; dsh-workflow trust add remembers it")
}

func runFlags(c *cobra.Command, o *runOptions) func() error {
	script, more, dry := scriptFlags(c, o), goFlags(c, o), dryFlag(c, o)
	c.Flags().StringVar(&o.imported, "import", "", "`DIR` of a run of Claude Code whose results are taken over (subagents/workflows/<run> in its session)")
	return func() error {
		if err := more(); err != nil {
			return err
		}
		if err := dry(); err != nil {
			return err
		}
		return script()
	}
}

// goFlags adds what run and resume share: what agents are given and how a run is
// shown.
func goFlags(c *cobra.Command, o *runOptions) func() error {
	f := c.Flags()
	modelFlags(c, o)
	args := f.String("args", "", "args of the script: `JSON`, @FILE, or - for standard input")
	text := f.String("args-text", "", "args of the script as one string: `TEXT`")
	f.StringVar(&o.cwd, "cwd", "", "`DIR` in which agents work (default: the current one)")
	f.StringVar(&o.home, "home", "", "`DIR` that keeps runs (default: $DSH_HOME or ~/.dsh)")
	f.IntVar(&o.atOnce, "concurrency", 0, "agents at once (default: min(16, max(2, CPUs-2)))")
	f.IntVar(&o.agents, "max-agents", 0, "agents a run (default: 1000)")
	f.DurationVar(&o.deadline, "deadline", 0, "wall time after which the run is ended, such as 90s or 2h (default: none)")
	f.IntVar(&o.tokens, "budget-tokens", 0, "output tokens that all agents together may use; then no further agent is started (default: none)")
	f.Float64Var(&o.usd, "budget-usd", 0, "what all agents together may cost in `USD`; needs the prices of their models (default: none)")
	f.BoolVarP(&o.detach, "detach", "d", false, "print the id of the run and let it go on without a terminal")
	f.BoolVar(&o.detached, detachedFlag, false, "")
	_ = f.MarkHidden(detachedFlag) // the flag is there
	f.StringVar(&o.output, "output", "text", "what goes to stdout: text (the result), json (one envelope) or stream-json (every record, the envelope last)")
	f.StringVar(&o.realm, "realm", "", "where the script runs: process (one of its own, bounded by the kernel; the default) or inprocess")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress on stderr; what went wrong is still said")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "progress as lines, with what agents are told, say and call")
	f.BoolVarP(&o.yes, "yes", "y", false, "ask nothing: go on however many agents the script wants")
	f.IntVar(&o.askAbove, "ask-above", askAbove, "ask at the terminal before more than this many agents start; 0 does not")
	f.Float64Var(&o.askCost, "ask-cost", 0, "ask at the terminal when the agents that the script wants are expected to cost this many `USD`")
	f.BoolVar(&o.allowFailures, "allow-failures", false, "exit 0 although agents failed")
	f.BoolVar(&o.failIfAllFailed, "fail-if-all-failed", false, "exit 1 if every agent failed")
	return func() error {
		if !slices.Contains([]dsh.RealmKind{"", dsh.RealmProcess, dsh.RealmInProcess}, dsh.RealmKind(o.realm)) {
			return usage("--realm must be process or inprocess, got %q", o.realm)
		}
		o.quiet = o.quiet || o.detached
		if o.quiet && o.verbose && !o.detached {
			return usage("--quiet and --verbose exclude each other")
		}
		if f.Changed("args") {
			o.args = args
		}
		if f.Changed("args-text") {
			o.argsText = text
		}
		for name, n := range map[string]int{"--concurrency": o.atOnce, "--max-agents": o.agents, "--budget-tokens": o.tokens} {
			if n < 0 || n == 0 && f.Changed(name[2:]) {
				return usage("%s must be at least 1, got %d", name, n)
			}
		}
		if o.askAbove < 0 {
			return usage("--ask-above must not be negative, got %d", o.askAbove)
		}
		if !(o.askCost >= 0) || o.askCost == 0 && f.Changed("ask-cost") {
			return usage("--ask-cost must be more than 0, got %g", o.askCost)
		}
		if !(o.usd >= 0) || o.usd == 0 && f.Changed("budget-usd") {
			return usage("--budget-usd must be more than 0, got %g", o.usd)
		}
		if o.deadline < 0 || o.deadline == 0 && f.Changed("deadline") {
			return usage("--deadline must be more than 0, got %s", o.deadline)
		}
		switch o.output {
		case "text", "json", "stream-json":
		default:
			return usage("--output must be text, json or stream-json, got %q", o.output)
		}
		return nil
	}
}
