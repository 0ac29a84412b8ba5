package observe

import (
	"fmt"
	"io"
	"strings"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
)

// Session writes the log of one agent for a person to read: what it was told,
// what it said, which tools it called with what, what they gave, what was tried
// again and what it used. Nothing of that can steer the terminal. One goroutine
// uses it at a time.
type Session struct {
	w     io.Writer
	calls map[string]string // names of the tools by the id of the call
}

// NewSession writes to w.
func NewSession(w io.Writer) *Session { return &Session{w: w, calls: map[string]string{}} }

// Apply shows one event. Chunks are left out, because the message follows that
// was made from them.
func (s *Session) Apply(e session.Event) {
	switch d := e.Data.(type) {
	case session.RequestHeader:
		s.line("request", "model %s, %d tools, %d characters of system text (%s)", d.Header.Config.Model, len(d.Header.Tools), len([]rune(d.Header.System)), d.Reason)
	case session.UserMessage:
		s.message(userWord(d.Message.Source), d.Message)
	case session.AssistantMessage:
		s.answer(d)
	case session.ToolResult:
		s.result(d)
	case session.Retry:
		s.line("retry", "attempt %d in %d ms after %s: %s", d.Attempt, d.DelayMS, d.Failure.Code, d.Failure.Message)
	case session.TurnEnd:
		s.turnEnd(d.Reason)
	case session.Opaque:
		s.event(d)
	case session.TurnStart, session.StepStart, session.StepEnd, session.AssistantChunk, session.ToolCall, session.RetryStarted,
		session.InboxSpliced, session.Descriptor, session.EndSeed:
	}
}

func (s *Session) event(d session.Opaque) {
	todos, ok := d.Todos()
	if !ok {
		s.line("event", "%s", d.Type)
		return
	}
	var lines []string
	for _, t := range todos {
		mark := " "
		switch t.Status {
		case "completed":
			mark = "x"
		case "in_progress":
			mark = ">"
		}
		lines = append(lines, "["+mark+"] "+OneLine(t.Content, 200))
	}
	s.text("todo", strings.Join(lines, "\n"))
}

func userWord(s llm.Source) string {
	switch s.Kind {
	case llm.SourceUser, "":
		return "user"
	}
	return "user (" + OneLine(s.Kind, 40) + ")"
}

func (s *Session) answer(d session.AssistantMessage) {
	word := "assistant"
	if d.Interrupted {
		word = "assistant (interrupted)"
	}
	s.message(word, d.Message)
	if u := d.Usage; u != nil {
		s.line("usage", "%d tokens in (%d cached), %d out", u.InputTokens+u.CacheReadTokens+u.CacheWriteTokens, u.CacheReadTokens, u.OutputTokens)
	}
}

// message writes the blocks of a message, each under its own word.
func (s *Session) message(word string, m llm.Message) {
	for _, b := range m.Content {
		switch b := b.(type) {
		case llm.Text:
			s.text(word, b.Text)
		case llm.Reasoning:
			s.text("thinking", b.Text)
		case llm.ToolCall:
			s.calls[b.ID] = b.Name
			s.text("call "+OneLine(b.Name, 80), b.Arguments)
		case llm.ToolResult:
			s.blocks(b)
		case llm.Unknown:
			s.line("block", "%s", b.Type)
		}
	}
}

func (s *Session) result(d session.ToolResult) {
	s.message("result", d.Message)
	if d.Error != nil {
		s.line("error", "%s (%s)", d.Error.Name, d.Error.Code)
	}
}

// blocks writes what a tool gave.
func (s *Session) blocks(r llm.ToolResult) {
	word := "result " + OneLine(s.calls[r.ToolCallID], 80)
	if r.IsError {
		word += " (error)"
	}
	for _, b := range r.Content {
		switch b := b.(type) {
		case llm.Text:
			s.text(word, b.Text)
		case llm.Unknown:
			s.line("block", "%s", b.Type)
		case llm.Reasoning, llm.ToolCall, llm.ToolResult:
		}
	}
	if len(r.Content) == 0 {
		s.text(word, "")
	}
}

func (s *Session) turnEnd(r session.EndReason) {
	switch {
	case r.Error != nil:
		s.line("end", "%s: %s (%s)", r.Kind, r.Error.Message, r.Error.Code)
	case r.Cause != "":
		s.line("end", "%s: %s", r.Kind, r.Cause)
	default:
		s.line("end", "%s", r.Kind)
	}
}

func (s *Session) line(word, format string, args ...any) {
	fmt.Fprintf(s.w, "%-9s %s\n", word, OneLine(fmt.Sprintf(format, args...), 2000))
}

// text writes a text whole: on the line of its word if it has one line, else
// indented below it, so that no text can look like a line of the log.
func (s *Session) text(word, text string) {
	text = strings.TrimSuffix(Lines(text), "\n")
	if !strings.Contains(text, "\n") {
		fmt.Fprintf(s.w, "%-9s %s\n", word, text)
		return
	}
	fmt.Fprintf(s.w, "%s\n    %s\n", word, strings.ReplaceAll(text, "\n", "\n    "))
}
