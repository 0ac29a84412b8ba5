package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// agentLog prints the session of one agent.
func agentLog(e env, h history, id workflow.RunID, word string, o logOptions) error {
	seen := 0
	show := observe.NewSession(e.stdout).Apply
	if o.json {
		show = func(ev session.Event) { _ = printJSON(e.stdout, ev) } // stdout remembers what went wrong
	}
	for {
		begin := time.Now()
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
		goesOn := o.follow && p.live() && agent.State == observe.Running
		switch {
		case err != nil && !goesOn:
			return fmt.Errorf("the session of agent #%d: %w", agent.Seq, err)
		case err == nil:
			for ; seen < len(events); seen++ {
				show(events[seen])
			}
		}
		if err := e.unread(); err != nil {
			return err
		}
		if !goesOn {
			return sessionEnd(e, agent, p.live(), len(events))
		}
		time.Sleep(max(pollPause, 10*time.Since(begin)))
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
		if err != nil && word != "" && strings.HasPrefix(a.Child, word) { // a number is never the beginning of an id
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
