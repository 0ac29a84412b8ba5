package agent

import (
	"iter"
	"strings"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
)

// Outcome is what a stretch of a session came to.
type Outcome struct {
	// End is the end of the last turn that accounts: one that opened a step, or
	// that took input and ended otherwise than completed. Its Kind is empty when
	// no turn accounts.
	End session.EndReason
	// Text is the last text of the model that is not blank. If there is none, it
	// is the text of the last attempt that failed.
	Text string
	// Usage is the sum over all attempts, also those that failed.
	Usage llm.Usage
	Turns int // turns that ended
	Steps int // steps that began
	// Dropped is set when waiting input was withdrawn unrun, and no later turn
	// accounts.
	Dropped bool
}

// Fold reads the outcome of a stretch of a log. It is pure: the same events give
// the same outcome.
func Fold(events iter.Seq[session.Event]) Outcome {
	var f fold
	for e := range events {
		f.apply(e.Data)
	}
	f.settle()
	if f.out.Text == "" {
		f.out.Text = f.partial.String()
	}
	return f.out
}

// fold is an outcome in the making.
type fold struct {
	out Outcome

	stepped, claimed, dropped bool // in the open turn
	open                      bool // a turn is open

	usage   llm.Usage       // last report of the attempt that runs
	partial strings.Builder // text of the last attempt that had some
	again   bool            // the next text belongs to another attempt
}

func (f *fold) apply(data session.Data) {
	switch d := data.(type) {
	case session.TurnStart:
		f.open, f.stepped, f.claimed, f.dropped = true, false, false, false
	case session.InboxSpliced:
		f.splice(d)
	case session.StepStart:
		f.stepped = true
		f.out.Steps++
	case session.AssistantChunk:
		f.chunk(d.Chunk)
	case session.AssistantMessage:
		f.message(d)
	case session.Retry, session.StepEnd:
		f.settle()
	case session.TurnEnd:
		f.turnEnd(d)
	}
}

func (f *fold) splice(s session.InboxSpliced) {
	switch {
	case s.Removed == 0:
	case s.Outcome == canceled:
		f.out.Dropped, f.dropped = true, true
	case f.open:
		f.claimed = true
	}
}

func (f *fold) chunk(chunk llm.Chunk) {
	switch c := chunk.(type) {
	case llm.UsageReport:
		f.usage = c.Usage
	case llm.TextDelta:
		if f.again {
			f.partial.Reset()
			f.again = false
		}
		f.partial.WriteString(c.Text)
	}
}

func (f *fold) message(m session.AssistantMessage) {
	if m.Usage != nil {
		f.usage = *m.Usage
	}
	f.settle()
	if text := textOf(m.Message.Content); text != "" {
		f.out.Text = text
	}
}

// settle closes the books of one attempt.
func (f *fold) settle() {
	f.out.Usage = f.out.Usage.Plus(f.usage)
	f.usage = llm.Usage{}
	f.again = true
}

func (f *fold) turnEnd(d session.TurnEnd) {
	f.settle()
	f.open = false
	f.out.Turns++
	if f.stepped || f.claimed && d.Reason.Kind != session.EndCompleted {
		f.out.End = d.Reason
		f.out.Dropped = f.dropped
	}
}
