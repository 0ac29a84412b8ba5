package observe

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// Text writes one line for each event of a run that a person wants to see.
// Nothing of what a script or a model wrote can break the line or steer the
// terminal.
//
// Verbose adds what the agents do: their prompts, what they say and the tools that
// they call, each cut to one line. It is set before the first record.
type Text struct {
	Verbose bool
	w       io.Writer
	view    *View
}

// NewText writes to w.
func NewText(w io.Writer) *Text {
	view := NewView()
	view.Rest() // a line for each record, also in a journal without its beginning
	return &Text{w: w, view: view}
}

// Apply shows one record.
func (t *Text) Apply(r workflow.Record) {
	a := t.view.Apply(r)
	switch f := r.Fact.(type) {
	case workflow.RunStarted:
		t.line("run", "%s started", f.Name)
	case workflow.RunResumed:
		t.line("run", "%s resumed; it was %s", f.Name, f.Last)
	case workflow.PhaseEntered:
		t.line("phase", "%s", f.Title)
	case workflow.Logged:
		t.line(logWord(f.Level), "%s", f.Message)
	case workflow.Warned:
		t.line("warning", "%s%s (%s)", where(f.Line), f.Message, f.Code)
	case workflow.AgentStarted:
		t.line("start", "%s", name(a))
	case workflow.AgentRetried:
		t.line("retry", "%s: attempt %d after %s: %s", name(a), f.Attempt, f.Code, f.Message)
	case workflow.AgentEnded:
		t.ended(a, f)
	case workflow.AgentRefused:
		t.refused(a, f)
	case workflow.RunPaused:
		t.line("paused", "%s", f.Reason)
	case workflow.RunContinued:
		t.line("go on", "agents are started again")
	case workflow.LimitReached:
		t.line("limit", "%s (%s)", f.Message, f.Code)
	case workflow.AgentQueued, workflow.TimerFired, workflow.RunEnded, workflow.Unknown:
	}
}

// See shows an event of an agent's session: always that its provider is tried
// again, since that explains a silence, and the rest only when asked for.
func (t *Text) See(seq workflow.Seq, e session.Event) {
	a := t.view.See(seq, e)
	if a == nil {
		return
	}
	if d, ok := e.Data.(session.Retry); ok {
		t.line("wait", "%s: %s", name(a), waiting(d))
		return
	}
	if !t.Verbose {
		return
	}
	switch d := e.Data.(type) {
	case session.UserMessage:
		if d.Message.Source.Kind == llm.SourceUser {
			t.said("prompt", a, d.Message)
		}
	case session.AssistantMessage:
		t.said("says", a, d.Message)
	case session.ToolCall:
		t.line("call", "%s: %s %s", name(a), d.Name, hint(d.Arguments))
	case session.ToolResult:
		if d.Error != nil {
			t.line("error", "%s: %s (%s)", name(a), d.Error.Name, d.Error.Code)
		}
	}
}

// said shows the text of a message, if it has one.
func (t *Text) said(word string, a *Agent, m llm.Message) {
	for _, b := range m.Content {
		if text, ok := b.(llm.Text); ok && strings.TrimSpace(text.Text) != "" {
			t.line(word, "%s: %s", name(a), strings.TrimSpace(text.Text))
		}
	}
}

func (t *Text) ended(a *Agent, f workflow.AgentEnded) {
	took := seconds(time.Duration(f.MS) * time.Millisecond)
	switch {
	case f.Given:
		t.line("given", "%s  by a person", name(a))
		return
	case a.Replayed() && a.State == Completed:
		t.line("kept", "%s  %d tokens", name(a), f.Usage.OutputTokens)
		return
	case a.State == Completed:
		t.line("done", "%s  %s, %d tokens", name(a), took, f.Usage.OutputTokens)
		return
	}
	t.line(string(a.State), "%s  after %s: %s (%s)", name(a), took, a.Message, a.Code)
}

func (t *Text) refused(a *Agent, f workflow.AgentRefused) {
	who := f.Label
	if a != nil {
		who = name(a)
	}
	t.line("refused", "%s: %s (%s)", who, f.Message, f.Code)
}

func (t *Text) line(word, format string, args ...any) {
	fmt.Fprintf(t.w, "%-9s %s\n", word, OneLine(fmt.Sprintf(format, args...), 240))
}

func logWord(level string) string {
	if level == "info" || level == "" {
		return "log"
	}
	return level
}

func where(line int) string {
	if line == 0 {
		return ""
	}
	return fmt.Sprintf("line %d: ", line)
}

func name(a *Agent) string {
	if a.Phase == "" {
		return fmt.Sprintf("#%d %s", a.Seq, a.Label)
	}
	return fmt.Sprintf("#%d %s [%s]", a.Seq, a.Label, a.Phase)
}

func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// OneLine makes text safe for one line of a terminal: line breaks become spaces,
// other control and formatting characters are dropped, and what is longer than
// most runes is cut with an ellipsis.
func OneLine(s string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		switch {
		case r == '\n' || r == '\r' || r == '\t' || unicode.In(r, unicode.Zl, unicode.Zp):
			r = ' '
		case hidden(r):
			continue
		}
		if n++; n > most {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Lines makes text of several lines safe for a terminal: it keeps the lines and
// drops what could steer the terminal or hide in it.
func Lines(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t' || unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case hidden(r):
			return -1
		}
		return r
	}, s)
}

// hidden tells control and formatting characters; joined emoji stay whole.
func hidden(r rune) bool {
	return r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200d'
}
