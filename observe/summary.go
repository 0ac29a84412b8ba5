package observe

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/workflow"
)

// maxListed bounds the failures and warnings that a summary spells out.
const maxListed = 20

// Summary writes how a run ended, for a person: what went wrong first, then what
// it did and where it lies.
func Summary(w io.Writer, r workflow.Result) {
	Trouble(w, r)
	a, u := r.Agents, r.Usage
	fmt.Fprintf(w, "  agents %d: %d completed%s, %d failed, %d cancelled, %d refused\n", a.Started, a.Completed, kept(a), a.Failed, a.Cancelled, a.Refused)
	fmt.Fprintf(w, "  tokens %d in (%d cached), %d out; %s\n", u.InputTokens, u.CachedTokens, u.OutputTokens, r.Duration().Round(time.Millisecond))
	if r.RunDir != "" {
		fmt.Fprintf(w, "  run    %s\n", r.RunDir)
	}
}

// kept says how many of the completed agents did not run now.
func kept(a workflow.Census) string {
	if a.Replayed == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d of them before)", a.Replayed)
}

// Trouble writes the headline of a run and what went wrong in it.
func Trouble(w io.Writer, r workflow.Result) {
	fmt.Fprintln(w, Headline(r))
	if r.Error != nil {
		fault(w, r.Error)
	}
	for i, f := range r.Failures {
		if i == maxListed {
			fmt.Fprintf(w, "  … and %d more failed agents\n", len(r.Failures)-maxListed)
			break
		}
		fmt.Fprintf(w, "  failed #%d %s: %s (%s)\n", f.Seq, OneLine(f.Label, 80), OneLine(f.Message, 200), f.Code)
	}
}

// maxFrames bounds the lines of a stack.
const maxFrames = 8

// fault writes an error: its first line with place and code, then its stack.
func fault(w io.Writer, f *workflow.Fault) {
	first, rest, _ := strings.Cut(f.Message, "\n")
	fmt.Fprintf(w, "  %s%s (%s)\n", at(f), OneLine(first, 2000), f.Code)
	if rest == "" {
		return
	}
	for i, line := range strings.Split(rest, "\n") {
		if i == maxFrames {
			fmt.Fprintln(w, "      …")
			return
		}
		fmt.Fprintf(w, "    %s\n", OneLine(line, 300))
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
