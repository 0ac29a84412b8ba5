package vm

import (
	"fmt"
	"strings"
)

// partner is the character that closes a bracket, or a substitution.
func (s *source) partner(i int) string {
	switch s.text[s.tokens[i].start] {
	case '(':
		return ")"
	case '[':
		return "]"
	}
	return "}"
}

// openAt lists the brackets that are open before token end, outermost first. It
// stops at a closing bracket that does not fit the innermost one, and gives its
// index, else -1.
func (s *source) openAt(end int) (open []int, misfit int) {
	for i, t := range s.tokens[:min(end, len(s.tokens))] {
		if s.closes(t) {
			n := len(open)
			if n == 0 || s.partner(open[n-1])[0] != s.text[t.start] {
				return open, i
			}
			open = open[:n-1]
		}
		if s.opens(t) {
			open = append(open, i)
		}
	}
	return open, -1
}

// bracket explains brackets that do not pair up.
func (s *scene) bracket() *finding {
	if s.comment >= 0 && s.tok >= len(s.tokens) {
		return &finding{offset: s.comment, reason: "the comment that begins here is never closed", hint: "close it with */"}
	}
	open, misfit := s.openAt(s.tok + 1)
	if f := s.missingCloser(open, misfit); f != nil {
		return f
	}
	n := len(open)
	switch {
	case misfit >= 0:
		return s.misfit(open, misfit)
	case n > 0 && s.tok >= len(s.tokens):
		return s.unclosed(open[n-1], -1)
	}
	return nil
}

// missingCloser looks for the open bracket whose partner, put where it may have
// stood, makes the whole text parse.
func (s *scene) missingCloser(open []int, misfit int) *finding {
	for _, o := range s.suspects(open) {
		for _, at := range s.closerPlaces(o) {
			text := s.text[:at] + s.partner(o) + s.text[at:]
			if s.reach(text) > len(text) {
				return s.unclosed(o, misfit)
			}
		}
	}
	return nil
}

// suspects are open brackets that may lack their partner, likeliest first: those
// that took one whose line is indented less than their own, then the innermost.
func (s *scene) suspects(open []int) []int {
	const most = 4
	var out []int
	for i, t := range s.tokens[:min(s.tok+1, len(s.tokens))] {
		if t.opener >= 0 && t.kind == tokenPunct && s.firstOnLine(i) && s.indent(t.start) < s.indent(s.tokens[t.opener].start) && len(out) < most {
			out = append(out, t.opener)
		}
	}
	for n := len(open) - 1; n >= 0 && len(out) < 2*most; n-- {
		if s.tokens[open[n]].kind == tokenPunct {
			out = append(out, open[n])
		}
	}
	return out
}

// closerPlaces are the offsets where the partner of an open bracket may have
// stood: at the end of its line, before a closing bracket that is indented less,
// and before the stumble.
func (s *scene) closerPlaces(open int) []int {
	var out []int
	lineEnd := lineEndAt(s.text, s.tokens[open].start)
	last := s.at(lineEnd) - 1
	for i := last; i > open && i > last-4; i-- {
		out = append(out, s.tokens[i].end)
	}
	if shut := s.shut(open); shut > 0 {
		out = append(out, s.tokens[shut-1].end)
	}
	for i := s.tok - 1; i > open && i > s.tok-3; i-- {
		out = append(out, s.tokens[i].end)
	}
	return out
}

// misfit explains a closing bracket that does not fit.
func (s *scene) misfit(open []int, i int) *finding {
	c := s.text[s.tokens[i].start]
	for j := len(open) - 1; j >= 0; j-- {
		if s.partner(open[j])[0] == c { // it closes one further out
			return s.unclosed(open[len(open)-1], i)
		}
	}
	if n := len(open); n > 0 && s.tokens[i].kind == tokenPunct {
		t := s.tokens[open[n-1]]
		f := s.unclosed(open[n-1], -1)
		p := bytePosition(s.text, s.tokens[i].start)
		f.hint = fmt.Sprintf("the %c at line %d, column %d stands where its %s should be", c, p.Line, p.Column, s.partner(open[n-1]))
		f.mended = s.text[:s.tokens[i].start] + s.partner(open[n-1]) + s.text[s.tokens[i].end:]
		if t.kind == tokenPunct && s.proven(f) {
			return f
		}
	}
	f := &finding{offset: s.tokens[i].start, reason: fmt.Sprintf("unexpected %c", c),
		hint: fmt.Sprintf("no bracket is open that this %c could close: remove it, or add the missing one before it", c)}
	if c == '}' && len(open) == 0 {
		f.offset = s.tokens[s.earlyCloser(i)].start
	}
	f.mended = blanked(s.text, f.offset, f.offset+1)
	return s.certain(*f)
}

// unclosed explains an opening bracket that nothing closes; i is the bracket that
// comes instead, -1 for the end.
func (s *scene) unclosed(open, i int) *finding {
	t := s.tokens[open]
	f := &finding{offset: t.start, reason: fmt.Sprintf("this %c is never closed", s.text[t.start])}
	if t.kind == tokenTemplate {
		f.offset, f.reason = t.end-2, "this ${ is never closed"
	}
	f.hint = "add the missing " + s.partner(open)
	if i >= 0 {
		p := bytePosition(s.text, s.tokens[i].start)
		f.hint += fmt.Sprintf(" before the %s at line %d, column %d", s.word(i)[:1], p.Line, p.Column)
	}
	return f
}

// earlyCloser looks for the closing brace that is really too many: the first one
// that begins a line which is indented more than the line of its opener. It gives
// last if all fit.
func (s *source) earlyCloser(last int) int {
	for i, t := range s.tokens[:last] {
		if t.opener >= 0 && s.is(i, "}") && s.firstOnLine(i) && s.indent(t.start) > s.indent(s.tokens[t.opener].start) {
			return i
		}
	}
	return last
}

func (s *source) firstOnLine(i int) bool { return i == 0 || s.tokens[i].newline }

// indent is the white space before the line of an offset.
func (s *source) indent(offset int) int {
	line := s.text[lineStartAt(s.text, offset):]
	return len(line) - len(strings.TrimLeft(line, " \t"))
}

// strayCloser finds the bracket that closes the function around a body.
func strayCloser(body string) *finding {
	src := tokenize(body)
	open, i := src.openAt(len(src.tokens))
	if i < 0 || len(open) > 0 {
		return nil
	}
	return &finding{offset: src.tokens[i].start,
		reason: "unbalanced brackets: the body closes the function that it is the body of",
		hint:   fmt.Sprintf("no bracket is open that this %s could close: remove it", src.word(i))}
}

// comma explains two entries of a list without a comma between them.
func (s *scene) comma() *finding {
	if strings.HasPrefix(s.message, "Malformed arrow") {
		return s.commaBeforeArrow()
	}
	i := s.tok
	if !s.entriesMeet(i) {
		return nil
	}
	end := s.tokens[i-1].end
	shut := s.shut(s.tokens[i].parent)
	text := s.text[:end] + "," + s.text[end:]
	if shut < 0 {
		return nil
	}
	if r := s.reach(text); r <= s.tokens[shut].start+1 && r <= lineEndAt(s.text, s.offset)+1 {
		return nil
	}
	f := s.plain()
	f.family, f.hint = "comma", s.commaHint(end)
	switch {
	case s.tokens[i].newline: // nothing but a comment stands behind it on the line
		f.mended = text
	case s.text[end] == ' ':
		f.mended = replaced(s.text, end, end+1, ",")
	}
	return &f
}

func (s *source) commaHint(at int) string {
	p := bytePosition(s.text, at)
	return fmt.Sprintf("a comma seems to be missing at line %d, column %d", p.Line, p.Column)
}

// commaBeforeArrow is for an arrow function on a line of its own that reads as
// arguments of what stands before it.
func (s *scene) commaBeforeArrow() *finding {
	const far = 400
	for i := s.tok + 1; i < len(s.tokens) && i < s.tok+far; i++ {
		if !s.is(i, "(") || !s.tokens[i].newline || !s.entriesMeet(i) {
			continue
		}
		end := s.tokens[i-1].end
		if text := s.text[:end] + "," + s.text[end:]; s.reach(text) > s.tokens[i].start {
			return &finding{family: "comma", offset: s.tokens[i].start, reason: "unexpected token (", hint: s.commaHint(end), mended: text}
		}
	}
	return nil
}

// entriesMeet tells whether a value ends before token i, and one begins with it,
// in a list.
func (s *source) entriesMeet(i int) bool {
	if i < 1 || i >= len(s.tokens) || !s.isValueEnd(i-1) || !s.startsValue(i) {
		return false
	}
	parent := s.tokens[i].parent
	return parent >= 0 && s.isList(parent)
}

func (s *source) startsValue(i int) bool {
	switch t := s.tokens[i]; t.kind {
	case tokenPunct:
		return s.opens(t)
	case tokenTemplate:
		return s.text[t.start] == '`'
	case tokenWord, tokenString, tokenRegex:
	}
	return true
}

// isList tells whether a bracket holds entries between commas.
func (s *source) isList(open int) bool {
	switch {
	case s.is(open, "["):
		return true
	case s.is(open, "("):
		return !s.isAny(open-1, " if for while switch with catch ")
	case !s.is(open, "{") || open == 0:
		return false
	}
	return s.is(open-1, "return") || s.isKind(open-1, tokenPunct) && strings.Contains("=(,:[?", s.word(open-1))
}
