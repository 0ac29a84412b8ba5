package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	dsh "github.com/dsh-go/dsh-workflow"
	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// resumeOptions are the flags of resume besides those that it shares with run.
type resumeOptions struct {
	script      string
	mode        string
	plan        bool
	retryFailed bool
	skip        []int
	from        int
	set         *string // nil when the flag was not given
	before      int
}

func resumeCommand(e env) *cobra.Command {
	var o runOptions
	var r resumeOptions
	c := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run that was cut off, cancelled or limited, or that failed",
		Long: "Go on with a run that was cut off, cancelled or limited, or that failed. Its script runs again from the start; agents\n" +
			"that have completed do not: their results are taken from the run's journal, in the order in which they came.\n" +
			"Failed agents run again, and so do those that were at work when the run was cut off. A run that is paused starts\n" +
			"agents again, in its own process.\n\n" +
			"RUN is the id of a run, the beginning of one, or last for the newest. Flags that are not given are as they were.",
		Example: "  dsh-workflow resume last --plan\n" +
			"  dsh-workflow resume last --script mended.js --max-agents 2000\n" +
			"  dsh-workflow resume wf_01m8q8 --from 3 --set '{\"files\":[\"a.go\"]}'",
		Args: cobra.ExactArgs(1),
	}
	complete := goFlags(c, &o)
	trustFlag(c, &o)
	f := c.Flags()
	f.BoolVar(&r.plan, "plan", false, "only say which calls would be answered from the journal, which would run, and why")
	f.StringVar(&r.script, "script", "", "`FILE` with an edited script, which takes the place of the run's")
	f.StringVar(&r.mode, "resume-mode", string(workflow.ResumeAny), "any: every recorded result that is asked for is used; prefix: the first call without one runs, and all after it")
	f.BoolVar(&r.retryFailed, "retry-failed", false, "run failed agents again although the run completed, and those that were skipped")
	f.IntSliceVar(&r.skip, "skip", nil, "`NUMBER` of an agent that is not run: the script gets null for it")
	f.IntVar(&r.from, "from", 0, "make a new run of a copy in which the agent with this `NUMBER` has another result (--set), or runs again")
	set := f.String("set", "", "the result for --from: `JSON`, @FILE, or - for standard input")
	f.IntVar(&r.before, "before", 0, "make a new run of what stands before this `LINE` of the journal")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if f.Changed("set") {
			r.set = set
		}
		if err := errors.Join(complete(), r.check()); err != nil {
			return err
		}
		if o.detach && !o.detached {
			return detach(e)
		}
		return resumeRun(e, o, r, args[0])
	}
	return c
}

func (r resumeOptions) check() error {
	switch {
	case r.set != nil && r.from == 0:
		return usage("--set needs --from NUMBER: the agent whose result it is")
	case r.from < 0 || r.before < 0:
		return usage("--from and --before count from 1")
	case r.from > 0 && r.before > 0:
		return usage("--from and --before exclude each other")
	case r.plan && r.before > 0:
		return usage("--before makes a new run; its plan can be seen when it is there")
	}
	return nil
}

// resumeRun goes on with one run and prints its result, or only the plan.
func resumeRun(e env, o runOptions, ro resumeOptions, arg string) error {
	out := newOutput(e, o)
	defer out.restore()
	e = out.env
	past, err := openHistory(e, o.home)
	if err != nil {
		return err
	}
	id, err := past.find(arg)
	if err != nil {
		return err
	}
	if _, writing := past.Writing(id); writing && !ro.plan {
		return unpause(e, past, id)
	}
	from := script{path: "resume"}
	if ro.script != "" {
		from.path = ro.script
	}
	req, err := resumeOf(e, o, ro, id)
	if err != nil {
		return out.invalid("", from.path, err)
	}
	kept, err := past.Look(context.Background(), id)
	if err != nil {
		return out.invalid("", from.path, err)
	}
	o.choice = remembered(o.choice, kept)
	from.name = kept.Header.Meta.Name
	req.Launch = launchOf(e, o.choice)
	root := kept.Header.Root
	if req.Root != "" {
		root = req.Root
	}
	adm := admissionTo(e, o, root, root)
	adm.asks = e.terminal && !ro.plan && !readsStdin(o, deref(ro.set))
	counts, err := adm.settings()
	if err == nil && !ro.plan {
		err = adm.still(kept.Header)
	}
	if err == nil {
		req.Types, err = adm.types()
	}
	if err != nil {
		return out.invalid(from.name, from.path, err)
	}
	from.warnings = adm.warnings()
	req.Warnings = from.warnings
	endpoint, err := counts.Default()
	if err != nil {
		return out.invalid(from.name, from.path, err)
	}
	h, err := open(adm, counts)
	if err != nil {
		return out.invalid(from.name, from.path, err)
	}
	defer h.Close()
	if ro.before == 0 {
		plan, err := h.Engine().Plan(context.Background(), req)
		if err != nil {
			return out.invalid(from.name, from.path, err)
		}
		if ro.plan {
			return out.plan(plan)
		}
		out.planned(plan)
	}
	if req.Gate, err = out.gate(endpoint, counts); err != nil {
		return out.invalid(from.name, from.path, err)
	}
	return out.drive(endpoint, from, func(ctx context.Context) (*workflow.Run, error) { return h.Engine().Resume(ctx, req) })
}

// resumeOf builds the request that the flags ask for.
func resumeOf(e env, o runOptions, ro resumeOptions, id workflow.RunID) (workflow.Resume, error) {
	req := workflow.Resume{
		Run: id, Mode: workflow.ResumeMode(ro.mode), RetryFailed: ro.retryFailed, Limits: o.budgets(dsh.LimitsOf(o.limits())), ArgsText: o.argsText != nil,
	}
	for _, n := range ro.skip {
		req.Skip = append(req.Skip, workflow.Seq(n))
	}
	var err error
	if req.Args, err = argsOf(e, o); err != nil {
		return req, err
	}
	if o.cwd != "" {
		if req.Root, err = workDir(e, o); err != nil {
			return req, err
		}
	}
	if ro.script != "" {
		raw, err := readFile(e.abs(ro.script))
		found, err := textScript(ro.script, raw, err)
		if err != nil {
			return req, err
		}
		req.Source = found.source
	}
	if ro.from > 0 || ro.before > 0 {
		req.Fork = &workflow.Fork{Set: workflow.Seq(ro.from), Before: ro.before}
		if ro.set != nil {
			req.Fork.Value, err = jsonFlag(e, "--set", *ro.set)
		}
	}
	return req, err
}

// launch is how a run was started, for the one that goes on with it. It holds no
// key, only the name of its variable.
type launch struct {
	Model   string `json:"model,omitempty"`
	BaseURL string `json:"baseUrl,omitempty"`
	KeyEnv  string `json:"apiKeyEnv,omitempty"`
}

func launchOf(e env, c config.Choice) json.RawMessage {
	l := launch(c)
	if l.Model == "" {
		l.Model = e.lookup("DSH_MODEL")
	}
	if l.BaseURL == "" && l.Model != config.Sim {
		l.BaseURL = e.lookup("DSH_BASE_URL")
	}
	b, err := json.Marshal(l)
	if err != nil { // three strings
		panic(err)
	}
	return b
}

// remembered fills a choice with what the run had last.
func remembered(c config.Choice, kept workflow.Kept) config.Choice {
	raw := kept.Header.Launch
	for r, err := range kept.Records {
		if again, ok := r.Fact.(workflow.RunResumed); ok && err == nil && again.Launch != nil {
			raw = again.Launch
		}
	}
	var l launch
	if raw == nil || json.Unmarshal(raw, &l) != nil {
		return c
	}
	switch {
	case c == config.Choice{}:
		return config.Choice(l)
	case c.BaseURL == "" && c.Model != config.Sim && l.Model != config.Sim:
		c.BaseURL = l.BaseURL
		if c.KeyEnv == "" && l.BaseURL != "" {
			c.KeyEnv = l.KeyEnv
		}
	case c.Model == "":
		c.Model = l.Model
	}
	return c
}
