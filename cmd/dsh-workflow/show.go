package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// showRun writes everything about one run but its value and its script.
func showRun(w io.Writer, h history, p *past) error {
	var b bytes.Buffer
	row := func(word, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", word, observe.OneLine(fmt.Sprintf(format, args...), 2000))
	}
	m := p.Header.Meta
	row("run", "%s", p.ID)
	row("name", "%s — %s", m.Name, m.Description)
	row("status", "%s", p.Status)
	row("started", "%s, took %s", when(p.Start), took(p.Took))
	if m.WhenToUse != "" {
		row("when", "%s", m.WhenToUse)
	}
	var titles []string
	for _, phase := range m.Phases {
		titles = append(titles, phase.Title)
	}
	if len(titles) > 0 {
		row("phases", "%s", strings.Join(titles, ", "))
	}
	if len(p.Header.Args) > 0 {
		row("args", "%s", compact(p.Header.Args))
	}
	if p.Header.ForkOf != "" {
		row("fork of", "%s", p.Header.ForkOf)
	}
	row("in", "%s", p.Header.Cwd)
	row("engine", "%s", p.Header.Engine)
	if f := p.Fault; f != nil {
		place := ""
		if f.Position != nil {
			place = fmt.Sprintf("line %d:%d: ", f.Position.Line, f.Position.Column)
		}
		row("error", "%s%s (%s)", place, f.Message, f.Code)
	}
	for _, f := range failuresOf(p) {
		row("failed", "#%d %s: %s (%s)", f.Seq, f.Label, f.Message, f.Code)
	}
	for _, warn := range p.Warnings {
		place := ""
		if warn.Line > 0 {
			place = fmt.Sprintf("line %d: ", warn.Line)
		}
		row("warning", "%s%s (%s)", place, warn.Message, warn.Code)
	}
	a := p.Agents
	row("agents", "%d started: %d completed, %d failed, %d cancelled; %d refused", a.Started, a.Completed, a.Failed, a.Cancelled, a.Refused)
	for _, seq := range p.View.Order {
		agent := p.View.Agents[seq]
		fmt.Fprintf(&b, "  %s\n", observe.OneLine(agentLine(agent, p.live()), 400))
	}
	for _, odd := range p.Odd {
		row("note", "%s", odd)
	}
	row("folder", "%s", h.Path(p.ID))
	_, err := w.Write(b.Bytes())
	return err
}

// failuresOf lists the agents that ran and failed, with or without a result.
func failuresOf(p *past) []workflow.AgentFailure {
	if p.Result != nil {
		return p.Result.Failures
	}
	var failed []workflow.AgentFailure
	for _, seq := range p.View.Order {
		if a := p.View.Agents[seq]; a.State == observe.Failed {
			failed = append(failed, workflow.AgentFailure{Seq: seq, Label: a.Label, Phase: a.Phase, Code: a.Code, Message: a.Message, SessionID: a.Child})
		}
	}
	return failed
}

// agentLine says how an agent stands.
func agentLine(a *observe.Agent, live bool) string {
	state := stateOf(a, live)
	switch {
	case a.Given():
		state = "given"
	case a.Replayed() && a.State == observe.Completed:
		state = "kept"
	}
	line := fmt.Sprintf("#%-4d %-10s %s", a.Seq, state, a.Label)
	if a.Phase != "" {
		line += " [" + a.Phase + "]"
	}
	if a.Input+a.Output > 0 {
		line += fmt.Sprintf("  %d tokens in, %d out", a.Input, a.Output)
	}
	if a.Code != "" {
		line += "  " + a.Code
	}
	if a.Child != "" {
		line += "  " + a.Child
	}
	return line
}

// compact is JSON on one line, cut where it gets long.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
