package observe

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/workflow"
)

// maxListed bounds the failures and warnings that a summary spells out.
const maxListed = 20

// Summary writes how a run ended, for a person: what went wrong first, then what
// it did, where it lies and how to see more. flags are those that a command needs
// to find the run; they may be empty.
func Summary(w io.Writer, r workflow.Result, flags string) {
	Trouble(w, r)
	for i, warning := range r.Warnings {
		if i == maxListed {
			fmt.Fprintf(w, "  … and %d more warnings\n", len(r.Warnings)-maxListed)
			break
		}
		fmt.Fprintf(w, "  warning %s%s (%s)\n", where(warning.Line), OneLine(warning.Message, 200), warning.Code)
	}
	a, u := r.Agents, r.Usage
	fmt.Fprintf(w, "  agents %d: %d completed%s, %d failed, %d cancelled, %d refused\n", a.Started, a.Completed, kept(a), a.Failed, a.Cancelled, a.Refused)
	fmt.Fprintf(w, "  tokens %d in (%d cached), %d out; cost %s; %s\n", u.InputTokens, u.CachedTokens, u.OutputTokens, Dollars(u.CostUSD), r.Duration().Round(time.Millisecond))
	if r.RunDir == "" || r.RunID == nil {
		return
	}
	fmt.Fprintf(w, "  run    %s\n", r.RunDir)
	fmt.Fprintf(w, "  next   dsh-workflow %s\n", next(r, flags))
}

// next is the command that says most about what has just been summed up.
func next(r workflow.Result, flags string) string {
	if flags != "" {
		flags = " " + flags
	}
	if len(r.Failures) > 0 {
		return fmt.Sprintf("logs %s %d%s", *r.RunID, r.Failures[0].Seq, flags)
	}
	return fmt.Sprintf("runs show %s%s", *r.RunID, flags)
}

// Dollars is a sum of money, or the word unknown for none.
func Dollars(usd *float64) string {
	switch {
	case usd == nil:
		return "unknown"
	case *usd < 0.01:
		return fmt.Sprintf("$%.4f", *usd)
	}
	return fmt.Sprintf("$%.2f", *usd)
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
		phase := ""
		if f.Phase != "" {
			phase = " [" + OneLine(f.Phase, 80) + "]"
		}
		fmt.Fprintf(w, "  failed #%d %s%s: %s (%s)\n", f.Seq, OneLine(f.Label, 80), phase, OneLine(f.Message, 200), f.Code)
		if f.SessionID != "" && r.RunDir != "" {
			fmt.Fprintf(w, "         %s\n", filepath.Join(r.RunDir, "sessions", f.SessionID+".jsonl"))
		}
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
