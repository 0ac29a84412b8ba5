package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

const fillMark = "{{fromRequest:"

// NeedsFill reports whether the step quotes the request, see [Step.Fill].
func (s *Step) NeedsFill() bool {
	for _, part := range []string{s.Text, s.Thinking(), string(s.Args), string(s.Capture)} {
		if strings.Contains(part, fillMark) {
			return true
		}
	}
	for _, part := range []*string{s.RawArgs, s.RawCapture, s.ID} {
		if part != nil && strings.Contains(*part, fillMark) {
			return true
		}
	}
	for i := range s.Tools {
		c := Step{Answer: Answer{Args: s.Tools[i].Args, RawArgs: s.Tools[i].RawArgs, ID: s.Tools[i].ID}}
		if c.NeedsFill() {
			return true
		}
	}
	return false
}

// Fill replaces each {{fromRequest:REGEXP}} in the strings of the step by the last
// match of the expression in request, or of its first group if it has one, so that
// a script can use what a tool returned. The error is a [*ScriptError]: the
// expression is none, or nothing matches.
func (s *Step) Fill(request string) error {
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false) // expressions are to be found as they were written
	if err := enc.Encode(s); err != nil {
		return &ScriptError{Err: err}
	}
	var filled strings.Builder
	for rest := raw.String(); ; {
		before, after, found := strings.Cut(rest, fillMark)
		filled.WriteString(before)
		if !found {
			break
		}
		expression, behind, closed := cutExpression(after)
		if !closed {
			return &ScriptError{Err: fmt.Errorf("%s without }}", fillMark)}
		}
		match, err := lastMatch(expression, request)
		if err != nil {
			return &ScriptError{Err: err}
		}
		filled.WriteString(match)
		rest = behind
	}
	var out Step
	if err := json.Unmarshal([]byte(filled.String()), &out); err != nil {
		return &ScriptError{Err: err}
	}
	*s = out
	return nil
}

// cutExpression finds the end of an expression. It may end with braces itself:
// the last two of a row of braces close it.
func cutExpression(text string) (expression, rest string, ok bool) {
	at := strings.Index(text, "}}")
	if at < 0 {
		return "", "", false
	}
	for strings.HasPrefix(text[at+1:], "}}") {
		at++
	}
	return text[:at], text[at+2:], true
}

// lastMatch works on what stands inside a JSON string, and returns such.
func lastMatch(escaped, request string) (string, error) {
	var expression string
	if err := json.Unmarshal([]byte(`"`+escaped+`"`), &expression); err != nil {
		return "", err
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return "", err
	}
	all := re.FindAllStringSubmatch(request, -1)
	if len(all) == 0 {
		return "", fmt.Errorf("nothing in the request matches %q", expression)
	}
	last := all[len(all)-1]
	match, err := json.Marshal(last[min(1, len(last)-1)])
	if err != nil {
		return "", err
	}
	return string(match[1 : len(match)-1]), nil
}
