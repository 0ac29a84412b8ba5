package observe

import (
	"fmt"
	"io"
	"time"

	"github.com/dsh-go/dsh-workflow/workflow"
)

// maxListed bounds the failures and warnings that a summary spells out.
const maxListed = 20

// Summary writes how a run ended, for a person: what went wrong first, then what
// it did and where it lies.
func Summary(w io.Writer, r workflow.Result) {
	fmt.Fprintln(w, Headline(r))
	if r.Error != nil {
		fmt.Fprintf(w, "  %s%s (%s)\n", at(r.Error), OneLine(r.Error.Message, 2000), r.Error.Code)
	}
	for i, f := range r.Failures {
		if i == maxListed {
			fmt.Fprintf(w, "  … and %d more failed agents\n", len(r.Failures)-maxListed)
			break
		}
		fmt.Fprintf(w, "  failed #%d %s: %s (%s)\n", f.Seq, OneLine(f.Label, 80), OneLine(f.Message, 200), f.Code)
	}
	a, u := r.Agents, r.Usage
	fmt.Fprintf(w, "  agents %d: %d completed, %d failed, %d cancelled, %d refused\n", a.Started, a.Completed, a.Failed, a.Cancelled, a.Refused)
	fmt.Fprintf(w, "  tokens %d in (%d cached), %d out; %s\n", u.InputTokens, u.CachedTokens, u.OutputTokens, r.Duration().Round(time.Millisecond))
	if r.RunDir != "" {
		fmt.Fprintf(w, "  run    %s\n", r.RunDir)
	}
}

// Headline is the first line of a summary. A failed agent always shows in it.
func Headline(r workflow.Result) string {
	line := fmt.Sprintf("%s: %s", OneLine(r.Name, 80), r.Status)
	switch {
	case r.Agents.Started > 0 && r.Agents.Failed == r.Agents.Started:
		line += fmt.Sprintf(" — all %d agents failed", r.Agents.Failed)
	case r.Agents.Failed > 0:
		line += fmt.Sprintf(" — %d of %d agents failed", r.Agents.Failed, r.Agents.Started)
	}
	return line
}

func at(f *workflow.Fault) string {
	if f.Position == nil {
		return ""
	}
	return fmt.Sprintf("line %d:%d: ", f.Position.Line, f.Position.Column)
}
