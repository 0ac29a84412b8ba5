package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/dsh-go/dsh-workflow/journal"
	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// plan writes what a resume would do to stdout.
func (o *output) plan(p workflow.ResumePlan) error {
	if o.opts.output != "text" {
		return o.line(p)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "run       %s %s, %s\n", observe.OneLine(string(p.RunID), 64), observe.OneLine(p.Name, 80), p.Status)
	for _, c := range p.Calls {
		word, why := "run", "  "+c.Why
		if c.Replay {
			word, why = "kept", ""
		}
		phase := ""
		if c.Phase != "" {
			phase = " [" + c.Phase + "]"
		}
		fmt.Fprintf(&b, "%-9s %s\n", word, observe.OneLine(fmt.Sprintf("#%d %s%s%s", c.Seq, c.Label, phase, why), 400))
	}
	fmt.Fprintf(&b, "plan      %s\n", summary(p))
	_, err := o.env.stdout.Write(b.Bytes())
	return err
}

// planned tells, before a run goes on, how much of it is there.
func (o *output) planned(p workflow.ResumePlan) {
	if !o.opts.quiet {
		fmt.Fprintf(o.env.stderr, "plan      %s\n", summary(p))
	}
}

// summary is a plan in one line.
func summary(p workflow.ResumePlan) string {
	text := fmt.Sprintf("replayed %d, live %d", p.Replay, p.Run)
	switch {
	case p.Ending != nil:
		text += fmt.Sprintf("; then the script ends with %s (%s)", observe.OneLine(p.Ending.Message, 200), p.Ending.Code)
	case p.Ends:
		text += "; then the script ends"
	case p.Kept > 0:
		text += fmt.Sprintf("; %d more results are kept for what comes then", p.Kept)
	default:
		text += "; what comes then depends on their answers"
	}
	if len(p.Changed) > 0 {
		text += "; the replayed answers are of " + observe.OneLine(strings.Join(p.Changed, ", "), 200) + ", others come from the model of now"
	}
	return text
}

// importRun reads the results of another system's run and says what it found.
func (o *output) importRun(path string) ([]workflow.Imported, error) {
	results, left, err := journal.Foreign(o.env.abs(path))
	if err != nil {
		return nil, err
	}
	if !o.opts.quiet {
		fmt.Fprintf(o.env.stderr, "import    %d results\n", len(results))
		for _, why := range left {
			fmt.Fprintf(o.env.stderr, "import    left out: %s\n", observe.OneLine(why, 200))
		}
	}
	return results, nil
}
