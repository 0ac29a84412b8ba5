package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/journal"
	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// pollPause is the least time between two looks at a file that grows.
const pollPause = 100 * time.Millisecond

func logsCommand(e env) *cobra.Command {
	var home string
	var follow bool
	c := &cobra.Command{
		Use:   "logs RUN [AGENT]",
		Short: "Print what happened in a run, or what one of its agents said and did",
		Long: "Print what happened in a run, or what one of its agents said and did.\n\n" +
			"RUN is the id of a run, the beginning of one, or last for the newest. AGENT is the number of an agent or the id of\n" +
			"its session; runs show RUN lists both.",
		Args: cobra.RangeArgs(1, 2),
	}
	c.Flags().StringVar(&home, "home", "", "`DIR` that keeps runs (default: $DSH_HOME or ~/.dsh)")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the run, or the agent, has ended")
	c.RunE = func(_ *cobra.Command, args []string) error {
		h, err := openHistory(e, home)
		if err != nil {
			return err
		}
		id, err := h.find(args[0])
		if err != nil {
			return err
		}
		if len(args) == 2 {
			return agentLog(e, h, id, args[1], follow)
		}
		return runLog(e, h, id, follow)
	}
	return c
}

// runLog prints the records of a run.
func runLog(e env, h history, id workflow.RunID, follow bool) error {
	t := &tail{env: e, text: observe.NewText(e.stdout)}
	for {
		_, writing := h.Writing(id) // asked first: what is written afterwards is read
		begin, size := time.Now(), h.RecordsSize(id)
		if err := t.read(h, id, writing); err != nil {
			return err
		}
		if t.ended || !writing {
			break
		}
		if !follow {
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
	t.text.Apply(r)
	switch f := r.Fact.(type) {
	case workflow.Unknown:
		fmt.Fprintf(t.env.stderr, "record %d is of the unknown type %s\n", r.N, observe.OneLine(f.Type, 80))
	case workflow.RunEnded:
		t.ended = true
		why := ""
		if f.Error != nil {
			why = fmt.Sprintf(": %s (%s)", observe.OneLine(f.Error.Message, maxShown), observe.OneLine(f.Error.Code, 80))
		}
		fmt.Fprintf(t.env.stdout, "%-9s %s%s\n", "end", observe.OneLine(string(f.Status), 40), why)
	}
}

// agentLog prints the session of one agent.
func agentLog(e env, h history, id workflow.RunID, word string, follow bool) error {
	show, seen := observe.NewSession(e.stdout), 0
	for {
		p := h.whole(id)
		agent, err := agentOf(p, word)
		if err != nil {
			return err
		}
		path, err := h.Session(id, agent.Child)
		if err != nil {
			return err
		}
		_, events, err := session.Load(path)
		goesOn := follow && p.live() && agent.State == observe.Running
		switch {
		case err != nil && !goesOn:
			return fmt.Errorf("the session of agent #%d: %w", agent.Seq, err)
		case err == nil:
			for ; seen < len(events); seen++ {
				show.Apply(events[seen])
			}
		}
		if !goesOn {
			return sessionEnd(e, agent, p.live(), len(events))
		}
		time.Sleep(pollPause)
	}
}

// sessionEnd says what the log of an agent cannot.
func sessionEnd(e env, a *observe.Agent, live bool, events int) error {
	switch {
	case a.Code != "":
		fmt.Fprintf(e.stderr, "agent #%d %s: %s (%s)\n", a.Seq, a.State, observe.OneLine(a.Message, maxShown), observe.OneLine(a.Code, 80))
	case a.State == observe.Running && live:
		fmt.Fprintf(e.stderr, "agent #%d is running; -f follows it\n", a.Seq)
	case a.State == observe.Running:
		fmt.Fprintf(e.stderr, "agent #%d did not end: its run was interrupted\n", a.Seq)
	case events == 0:
		fmt.Fprintf(e.stderr, "agent #%d has an empty session\n", a.Seq)
	}
	return nil
}

// agentOf finds an agent by its number or by the beginning of its session's id.
func agentOf(p *past, word string) (*observe.Agent, error) {
	var hits []*observe.Agent
	number, err := strconv.Atoi(strings.TrimPrefix(word, "#"))
	for _, seq := range p.View.Order {
		a := p.View.Agents[seq]
		if err == nil && int(seq) == number || a.Child == word && word != "" {
			hits = []*observe.Agent{a}
			break
		}
		if word != "" && strings.HasPrefix(a.Child, word) {
			hits = append(hits, a)
		}
	}
	switch {
	case len(hits) == 0:
		return nil, usage("run %s has no agent %q; it has %s", p.ID, word, agentNames(p))
	case len(hits) > 1:
		return nil, usage("%q could be %d agents of run %s", word, len(hits), p.ID)
	case hits[0].Child == "":
		return nil, usage("agent #%d is %s: it has no session", hits[0].Seq, hits[0].State)
	}
	return hits[0], nil
}

func agentNames(p *past) string {
	if len(p.View.Order) == 0 {
		return "none"
	}
	var parts []string
	for _, seq := range p.View.Order[:min(maxNamed, len(p.View.Order))] {
		parts = append(parts, fmt.Sprintf("#%d %s", seq, observe.OneLine(p.View.Agents[seq].Label, 40)))
	}
	if len(p.View.Order) > maxNamed {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}
