package live

import (
	"fmt"
	"slices"
	"time"

	"github.com/dsh-go/dsh-workflow/observe"
)

// body draws the phases and as many of their agents as there is room for: what
// runs first, then what failed, and the rest only if all of it fits.
func (f frame) body(room int) []line {
	groups := f.view.Groups
	var lines []line
	if most := max(1, room/2); len(groups) > most {
		kept := busiest(groups, most-1)
		lines = append(lines, line{{f.indent(false) + "… ", faint}, {fmt.Sprintf("%d more phases", len(groups)-len(kept)), faint}})
		groups = kept
		room--
	}
	titled := len(groups) > 1 || len(groups) == 1 && groups[0].Named || len(f.view.Declared) > 0
	if titled {
		room -= len(groups)
	}
	shown := f.choose(groups, room)
	for _, g := range groups {
		if titled {
			lines = append(lines, f.groupLine(g))
		}
		for _, a := range g.Agents {
			if shown[a] {
				lines = append(lines, f.agentLine(a, titled))
				room--
			}
		}
	}
	return append(lines, f.ahead(room)...)
}

// busiest keeps the groups that have work to do and the last ones of the others.
func busiest(groups []*observe.Group, most int) []*observe.Group {
	keep := map[*observe.Group]bool{}
	mark := func(wanted func(*observe.Group) bool) {
		for _, g := range slices.Backward(groups) {
			if len(keep) < most && wanted(g) {
				keep[g] = true
			}
		}
	}
	mark(func(g *observe.Group) bool { return g.Counts[observe.Running] > 0 })
	mark(func(g *observe.Group) bool { return g.Counts[observe.Queued]+g.Counts[observe.Failed] > 0 })
	mark(func(*observe.Group) bool { return true })
	return slices.DeleteFunc(slices.Clone(groups), func(g *observe.Group) bool { return !keep[g] })
}

// choose picks the agents that get a line.
func (f frame) choose(groups []*observe.Group, room int) map[*observe.Agent]bool {
	shown := map[*observe.Agent]bool{}
	if f.Short {
		return shown
	}
	take := func(most int, wanted func(*observe.Agent) bool) {
		for _, g := range groups {
			for _, a := range g.Agents {
				if len(shown) >= most {
					return
				}
				if wanted(a) {
					shown[a] = true
				}
			}
		}
	}
	is := func(s observe.State) func(*observe.Agent) bool {
		return func(a *observe.Agent) bool { return a.State == s }
	}
	all := 0
	for _, g := range groups {
		all += len(g.Agents)
	}
	if all <= room {
		take(room, func(*observe.Agent) bool { return true })
		return shown
	}
	take(room, is(observe.Running))
	take(min(room, len(shown)+max(1, room/3)), is(observe.Failed))
	take(min(room, len(shown)+max(1, room/3)), is(observe.Queued))
	return shown
}

// ahead draws the phases that meta names and no agent has reached.
func (f frame) ahead(room int) []line {
	var lines []line
	for _, title := range f.view.Declared {
		known := slices.ContainsFunc(f.view.Groups, func(g *observe.Group) bool { return g.Named && g.Title == title })
		if !known && len(lines) < room && !f.Short {
			lines = append(lines, line{{f.indent(false) + "○ ", faint}, {title, faint}})
		}
	}
	return lines
}

func (f frame) groupLine(g *observe.Group) line {
	title := g.Title
	if !g.Named {
		title = "(no phase)"
	}
	mark, look := groupMark(g)
	counts := "  " + tally(g.Counts, "")
	title = clip(title, max(8, f.Width-4-width(counts)))
	return line{{f.indent(false) + mark + " ", look}, {title, strong}, {counts, faint}}
}

func groupMark(g *observe.Group) (string, style) {
	switch c := g.Counts; {
	case c[observe.Running] > 0:
		return "●", busy
	case c[observe.Queued] > 0:
		return "○", faint
	case c[observe.Failed] > 0:
		return "✗", bad
	case c[observe.Completed] > 0:
		return "✓", good
	}
	return "⊘", faint
}

// agentMark is how an agent stands, in one column.
func agentMark(s observe.State) (string, style) {
	switch s {
	case observe.Running:
		return "●", busy
	case observe.Completed:
		return "✓", good
	case observe.Failed:
		return "✗", bad
	case observe.Queued:
		return "○", faint
	case observe.Cancelled, observe.Refused:
	}
	return "⊘", faint
}

// agentLine draws one agent: number, label, time and tokens, and what it does or
// why it failed.
func (f frame) agentLine(a *observe.Agent, inner bool) line {
	indent := f.indent(inner)
	mark, look := agentMark(a.State)
	number := fmt.Sprintf("#%d ", a.Seq)
	facts, more := f.facts(a), about(a)
	room := f.Width - width(indent) - 2 - width(number) - width(facts)
	label := clip(a.Label, max(6, room))
	if rest := room - width(label) - 2; more != "" && rest < 12 {
		label = clip(a.Label, max(6, room*3/5))
	}
	l := line{{indent + mark + " ", look}, {number, faint}, {label, plain}, {facts, faint}}
	if rest := room - width(label) - 2; more != "" && rest >= 8 {
		look = faint
		if a.State == observe.Failed {
			look = bad
		}
		l = append(l, cell{"  " + clip(more, rest), look})
	}
	return l
}

// indent is the margin of a phase, or of an agent inside one.
func (f frame) indent(inner bool) string {
	margin := "  "
	if f.Width < 40 {
		margin = ""
	}
	if inner {
		margin += "  "
	}
	return margin
}

// facts are the figures of an agent.
func (f frame) facts(a *observe.Agent) string {
	switch {
	case a.State == observe.Queued:
		return ""
	case a.State == observe.Running:
		text := "  " + clock(f.Now.Sub(a.Started))
		if a.Attempt > 1 {
			text += fmt.Sprintf("  attempt %d", a.Attempt)
		}
		return text
	case a.Started.IsZero() || a.Ended.IsZero():
		return ""
	}
	text := fmt.Sprintf("  %.1fs", max(0, a.Ended.Sub(a.Started)).Seconds())
	if took := a.Ended.Sub(a.Started); took >= time.Minute {
		text = "  " + clock(took)
	}
	if a.Output > 0 && f.Width >= 40 {
		text += fmt.Sprintf("  %s tokens", short(a.Output))
	}
	return text
}

// about is what an agent does, or what became of it.
func about(a *observe.Agent) string {
	switch a.State {
	case observe.Running:
		return a.Doing
	case observe.Failed, observe.Refused:
		return fmt.Sprintf("%s (%s)", a.Message, a.Code)
	case observe.Queued, observe.Completed, observe.Cancelled:
	}
	return ""
}
