package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// Picture says how to draw a view.
type Picture struct {
	Width, Height int // of the terminal; what is not positive counts as 80 and 24
	Now           time.Time
	Color         bool
	Question      []string // stands below the run while it waits for an answer
	// Short leaves out the agents, for the last look at a run that has ended.
	Short bool
}

// Frame draws a view: one string a line of the terminal, none wider than it, and
// at most as many as it has, less one for the cursor.
func Frame(v *observe.View, p Picture) []string {
	if p.Width <= 0 {
		p.Width = 80
	}
	if p.Height <= 0 {
		p.Height = 24
	}
	f := frame{Picture: p, view: v}
	lines := f.lines()
	if most := max(1, p.Height-1); len(lines) > most && most > 1 {
		lines = append(lines[:1], lines[len(lines)-most+1:]...)
	}
	lines = lines[:min(len(lines), max(1, p.Height-1))]
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.fit(p.Width, p.Color)
	}
	return out
}

// frame is a picture in the making.
type frame struct {
	Picture
	view *observe.View
}

func (f frame) lines() []line {
	if f.view.Status == "" {
		return []line{{{"starting", faint}}}
	}
	if f.Short {
		return f.body(f.Height - 1)
	}
	var question []line
	for _, q := range f.Question {
		for _, part := range wrap(q, f.Width) {
			question = append(question, line{{part, asked}})
		}
	}
	lines := append([]line{f.header()}, f.body(f.Height-3-len(question))...)
	return append(append(lines, f.totals()), question...)
}

func (f frame) header() line {
	v := f.view
	l := line{{v.Name, strong}, {"  ", plain}, {string(v.Status), statusStyle(v.Status)}, {"  ", plain}}
	end := f.Now
	if !v.Ended.IsZero() {
		end = v.Ended
	}
	l.add(faint, clock(end.Sub(v.Started)))
	if v.Ended.IsZero() {
		l.add(faint, fmt.Sprintf("  %d of %d at once", v.Counts[observe.Running], v.AtOnce))
	}
	return l
}

func statusStyle(s workflow.Status) style {
	switch s {
	case workflow.StatusRunning:
		return busy
	case workflow.StatusCompleted:
		return good
	case workflow.StatusWithFailed, workflow.StatusFailed, workflow.StatusCancelled, workflow.StatusLimit, workflow.StatusInvalid:
		return bad
	}
	return plain
}

func (f frame) totals() line {
	v := f.view
	l := line{{tally(v.Counts, "no agents yet"), plain}}
	if u := v.Used; u.Input+u.Output > 0 {
		l.add(faint, fmt.Sprintf(" · %s in (%s cached), %s out", short(u.Input), short(u.Cached), short(u.Output)))
		if usd := u.Cost(); usd != nil {
			l.add(faint, " · "+observe.Dollars(usd))
		}
	}
	return l
}

// tally puts counts into words, what goes wrong and what goes on first.
func tally(counts map[observe.State]int, none string) string {
	var parts []string
	for _, s := range []struct {
		state observe.State
		word  string
	}{
		{observe.Failed, "failed"}, {observe.Running, "running"}, {observe.Queued, "queued"}, {observe.Completed, "done"},
		{observe.Cancelled, "cancelled"}, {observe.Refused, "refused"},
	} {
		if n := counts[s.state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s.word))
		}
	}
	if len(parts) == 0 {
		return none
	}
	return strings.Join(parts, ", ")
}

// short is a count of tokens in at most six columns.
func short(n int) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1_000_000)
}

// clock is a time that goes on, in whole seconds, so that a picture of it changes
// once a second.
func clock(d time.Duration) string {
	d = max(0, d).Truncate(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}
