package builtin

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dsh-go/dsh-workflow/internal/proc"
)

// render is the text of a command's result: both streams, then the markers,
// each on a line of its own, the one about the exit last.
func render(r proc.Result, limit time.Duration) string {
	out := streamText(r.Stdout)
	errs := streamText(r.Stderr)
	var sb strings.Builder
	sb.WriteString(out)
	if errs != "" {
		newLine(&sb)
		sb.WriteString("[stderr]\n" + errs)
	}
	if sb.Len() == 0 {
		sb.WriteString("(no output)")
	}
	for _, m := range markers(r, errs, limit) {
		newLine(&sb)
		sb.WriteString(m)
	}
	return sb.String()
}

func markers(r proc.Result, errs string, limit time.Duration) []string {
	var m []string
	if hint := hintFor(r, errs); hint != "" {
		m = append(m, hint)
	}
	if len(r.Survivors) > 0 {
		m = append(m, fmt.Sprintf("[still running after SIGKILL: %v]", r.Survivors))
	}
	if r.TimedOut {
		m = append(m, fmt.Sprintf("[timed out after %dms]", limit.Milliseconds()))
	}
	switch {
	case r.Signal != "":
		m = append(m, fmt.Sprintf("[killed by signal: %s]", r.Signal))
	case r.ExitCode != 0:
		m = append(m, fmt.Sprintf("[exit code: %d]", r.ExitCode))
	}
	return m
}

// newLine ends the current line, if one is begun.
func newLine(sb *strings.Builder) {
	if s := sb.String(); s != "" && !strings.HasSuffix(s, "\n") {
		sb.WriteByte('\n')
	}
}

func streamText(c proc.Capture) string {
	tail := c.Tail
	if c.Truncated() {
		tail = withoutCutRune(tail)
	}
	text := withoutEscapes(strings.ReplaceAll(string(tail), "\r\n", "\n"))
	if c.Truncated() {
		where := c.Spill
		if where == "" {
			where = "(unavailable)"
		}
		text += fmt.Sprintf("\n[output truncated; full output: %s]", where)
	}
	return text
}

// withoutCutRune drops what is left of a code point that the cut went through.
func withoutCutRune(b []byte) []byte {
	for n := 0; n < utf8.UTFMax-1 && n < len(b); n++ {
		if utf8.RuneStart(b[n]) {
			return b[n:]
		}
	}
	return b // not UTF-8 at all
}

// escapes are the terminal's: colours, movements, titles. None holds a line end,
// so a sequence that was never finished swallows no output.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]{0,255}(?:\x07|\x1b\\)|[()][0-9A-B])`)

func withoutEscapes(s string) string {
	if !strings.Contains(s, "\x1b") {
		return s
	}
	return escapes.ReplaceAllString(s, "")
}

// wantedTerminal matches what programs say when they wanted somebody to talk to.
var wantedTerminal = regexp.MustCompile(`(?i)/dev/tty|a terminal is required|a password is required|not a (?:tty|terminal)|no tty present|terminal is dumb|` +
	`empty commit message|terminal prompts disabled|could not read (?:username|password)`)

func hintFor(r proc.Result, errs string) string {
	if r.ExitCode == 0 || r.Signal != "" || !wantedTerminal.MatchString(errs) {
		return ""
	}
	return "[hint: there is no terminal and nobody can answer here; use flags that need no input, such as git commit -m, --yes or sudo -n]"
}
