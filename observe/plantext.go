package observe

import (
	"fmt"
	"io"

	"github.com/dsh-go/dsh-workflow/workflow"
)

// maxPlanValue is how much of the returned value a plan shows.
const maxPlanValue = 200

// Text writes the plan for a person.
func (p Plan) Text(w io.Writer) {
	fmt.Fprintln(w, "dry run   simulated: no model was asked, no tool ran, nothing was written; answers were made up from the schemas")
	fmt.Fprintf(w, "workflow  %s: %s\n", OneLine(p.Name, 200), p.Status)
	if p.FailShare > 0 {
		fmt.Fprintf(w, "failing   %g%% of the agents were made to fail (seed %d)\n", p.FailShare*100, p.Seed)
	}
	if p.Error != nil {
		at := ""
		if p.Error.Position != nil {
			at = fmt.Sprintf("line %d: ", p.Error.Position.Line)
		}
		fmt.Fprintf(w, "error     %s%s (%s)\n", at, OneLine(p.Error.Message, 500), p.Error.Code)
	}
	fmt.Fprintf(w, "agents    %d, %d at once where %d may run; %d failed\n", p.Agents.Started, p.Width, p.AtOnce, p.Agents.Failed)
	p.phases(w)
	fmt.Fprintf(w, "prompts   %d characters, about %d tokens\n", p.Prompts.Chars, p.Prompts.Tokens)
	for _, a := range p.Largest {
		fmt.Fprintf(w, "  #%-4d %7d characters, about %d tokens  %s\n", a.Seq, a.Chars, a.Tokens, OneLine(a.Label, 60))
	}
	fmt.Fprintf(w, "tokens    at least %d in (%d cached), %d out: one request an agent, with its header\n", p.Usage.InputTokens, p.Usage.CachedTokens, p.Usage.OutputTokens)
	if p.Usage.CostUSD == nil {
		fmt.Fprintln(w, "cost      unknown: the models have no price in the configuration")
	} else {
		fmt.Fprintf(w, "cost      at least %s\n", Dollars(p.Usage.CostUSD))
	}
	p.trouble(w)
	if p.Status == workflow.StatusCompleted || p.Status == workflow.StatusWithFailed {
		fmt.Fprintf(w, "returns   %s\n", OneLine(string(p.Value), maxPlanValue))
	}
}

func (p Plan) phases(w io.Writer) {
	for _, f := range p.Phases {
		title := "(no phase)"
		if f.Title != nil {
			title = OneLine(*f.Title, 40)
		}
		line := fmt.Sprintf("  %-22s %4d at all, %d at once; prompts of up to %d characters", title, f.Agents, f.Width, f.Prompts.Most)
		if f.Failed > 0 {
			line += fmt.Sprintf("; %d failed", f.Failed)
		}
		for _, m := range f.Models {
			line += "; " + OneLine(m, 40)
		}
		fmt.Fprintln(w, line)
	}
}

// trouble writes what the run was refused and warned of.
func (p Plan) trouble(w io.Writer) {
	for i, f := range p.Failures {
		if i == maxListed {
			fmt.Fprintf(w, "  … and %d more failures\n", len(p.Failures)-maxListed)
			break
		}
		fmt.Fprintf(w, "failed    #%d %s: %s (%s)\n", f.Seq, OneLine(f.Label, 60), OneLine(f.Message, 200), f.Code)
	}
	for i, r := range p.Refused {
		if i == maxListed {
			fmt.Fprintf(w, "  … and %d more refusals\n", len(p.Refused)-maxListed)
			break
		}
		fmt.Fprintf(w, "refused   %s: %s (%s)\n", OneLine(r.Label, 60), OneLine(r.Message, 200), r.Code)
	}
	for i, warning := range p.Warnings {
		if i == maxListed {
			fmt.Fprintf(w, "  … and %d more warnings\n", len(p.Warnings)-maxListed)
			break
		}
		fmt.Fprintf(w, "warning   %s%s (%s)\n", where(warning.Line), OneLine(warning.Message, 200), warning.Code)
	}
}
