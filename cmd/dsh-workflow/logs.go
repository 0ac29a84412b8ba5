package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/journal"
	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// pollPause is the least time between two looks at a file that grows.
const pollPause = 100 * time.Millisecond

func logsCommand(e env) *cobra.Command {
	var home, output string
	var follow bool
	c := &cobra.Command{
		Use:   "logs RUN [AGENT]",
		Short: "Print what happened in a run, or what one of its agents said and did",
		Long: "Print what happened in a run, or what one of its agents said and did.\n\n" +
			"RUN is the id of a run, the beginning of one, or last for the newest. AGENT is the number of an agent or the id of\n" +
			"its session; runs show RUN lists both.",
		Example: "  dsh-workflow logs last -f\n  dsh-workflow logs last 3\n  dsh-workflow logs wf_01m8q8 --output json",
		Args:    cobra.RangeArgs(1, 2),
	}
	c.Flags().StringVar(&home, "home", "", "`DIR` that keeps runs (default: $DSH_HOME or ~/.dsh)")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the run, or the agent, has ended")
	c.Flags().StringVar(&output, "output", "text", "what goes to stdout: text, or json (one record, or one event of the session, a line)")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := textOrJSON(output); err != nil {
			return err
		}
		h, err := openHistory(e, home)
		if err != nil {
			return err
		}
		id, err := h.find(args[0])
		if err != nil {
			return err
		}
		if len(args) == 2 {
			return agentLog(e, h, id, args[1], logOptions{follow, output == "json"})
		}
		return runLog(e, h, id, logOptions{follow, output == "json"})
	}
	return c
}

// logOptions say how a log is printed.
type logOptions struct{ follow, json bool }

// runLog prints the records of a run.
func runLog(e env, h history, id workflow.RunID, o logOptions) error {
	t := &tail{env: e, text: observe.NewText(e.stdout), json: o.json}
	for {
		_, writing := h.Writing(id) // asked first: what is written afterwards is read
		begin, size := time.Now(), h.RecordsSize(id)
		if err := t.read(h, id, writing); err != nil {
			return err
		}
		if err := e.unread(); err != nil {
			return err
		}
		if t.ended || !writing {
			break
		}
		if !o.follow {
			fmt.Fprintf(e.stderr, "run %s is running; -f follows it\n", id)
			return nil
		}
		// Each look reads the journal from its start: it may take a tenth of the time.
		time.Sleep(max(pollPause, 10*time.Since(begin)))
		for _, still := h.Writing(id); still && h.RecordsSize(id) == size; _, still = h.Writing(id) {
			time.Sleep(pollPause)
		}
	}
	if !t.ended {
		fmt.Fprintf(e.stderr, "run %s was interrupted: its journal has no end, and no process writes to it\n", id)
	}
	return nil
}

// tail prints each record once, however often the journal is read.
type tail struct {
	env   env
	text  *observe.Text
	json  bool
	last  int // number of the last record that was printed
	line  int // last line of the journal that was reported as odd
	ended bool
}

func (t *tail) read(h history, id workflow.RunID, writing bool) error {
	var odd []*journal.Skipped
	say := func() {
		for _, s := range odd {
			if s.Line > t.line {
				t.line = s.Line
				fmt.Fprintf(t.env.stderr, "%s\n", observe.OneLine(s.Error(), maxShown))
			}
		}
		odd = nil
	}
	for r, err := range h.Records(id) {
		var skipped *journal.Skipped
		switch {
		case errors.As(err, &skipped):
			odd = append(odd, skipped)
			continue
		case err != nil:
			return err
		}
		say()
		if r.N <= t.last {
			continue
		}
		t.last = r.N
		t.print(r)
	}
	if !writing {
		say() // else the end is half a line that is being written
	}
	return nil
}

func (t *tail) print(r workflow.Record) {
	if t.json {
		_, t.ended = r.Fact.(workflow.RunEnded)
		_ = printJSON(t.env.stdout, r) // the writer remembers what went wrong
		return
	}
	t.text.Apply(r)
	switch f := r.Fact.(type) {
	case workflow.RunResumed:
		t.ended = false
	case workflow.Unknown:
		fmt.Fprintf(t.env.stderr, "record %d is of the unknown type %s\n", r.N, observe.OneLine(f.Type, 80))
	case workflow.RunEnded:
		t.ended = true
		why := ""
		if f.Error != nil {
			why = fmt.Sprintf(": %s (%s)", observe.OneLine(f.Error.Message, maxShown), observe.OneLine(f.Error.Code, 80))
		}
		if f.LinesLeftOut > 0 {
			why += fmt.Sprintf("; %d lines that the script logged were left out", f.LinesLeftOut)
		}
		fmt.Fprintf(t.env.stdout, "%-9s %s%s\n", "end", observe.OneLine(string(f.Status), 40), why)
	}
}
