package vm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A back-tick too many, or one too few, turns all templates behind it inside out:
// the parser stumbles where the next prompt begins, or at the end. Which one it
// is shows in what the text would be without it.

const (
	nearTicks = 16 // how many back-ticks before the stumble are suspected
	nearLines = 12 // how many lines of a template may lack its end
)

// swallowed explains a stumble right behind a template, if mending one back-tick
// mends the whole text.
func (s *scene) swallowed() *finding {
	if s.tok > 0 && s.tok < len(s.tokens) && !s.isKind(s.tok-1, tokenTemplate) || s.isKind(s.tok, tokenTemplate) {
		return nil
	}
	if f, whole := s.tickFault(); whole {
		return f
	}
	return nil
}

// backtick explains a stumble behind a template on the same line, or the end of
// the text inside of one.
func (s *scene) backtick() *finding {
	if s.tok < len(s.tokens) && !s.templateBefore() {
		return nil
	}
	f, _ := s.tickFault()
	if f == nil && s.tok >= len(s.tokens) {
		return s.endlessTemplate()
	}
	return f
}

// templateBefore tells whether a template ends on the line of the stumble.
func (s *scene) templateBefore() bool {
	for i := s.tok; i > 0; i-- {
		if s.isKind(i-1, tokenTemplate) {
			return true
		}
		if s.tokens[i].newline {
			return false
		}
	}
	return false
}

// endlessTemplate is what is left to say about a template that never ends.
func (s *scene) endlessTemplate() *finding {
	if s.endless() < 0 {
		return nil
	}
	n := len(s.tokens) - 1
	for s.tokens[n].opener >= 0 && s.tokens[n].kind == tokenTemplate {
		n = s.tokens[n].opener
	}
	return &finding{offset: s.tokens[n].start, reason: "the template that begins here is never closed", hint: "add the missing back-tick"}
}

// tick is a suspicion about back-ticks.
type tick struct {
	finding
	reach  int
	code   int // lines inside of templates that look like code
	nearby bool
}

// tickFault gives the likeliest suspicion, and whether the whole text parses
// without it.
func (s *scene) tickFault() (*finding, bool) {
	before := codeInTemplates(s.source)
	lineEnd := lineEndAt(s.text, min(s.offset, len(s.text)))
	var best *tick
	suspects := slices.Concat(s.extraTicks(lineEnd), s.missingTicks())
	if s.tok >= len(s.tokens) { // a template that never ends more often lacks its end
		suspects = slices.Concat(s.missingTicks(), s.extraTicks(lineEnd))
	}
	for _, t := range suspects {
		if t.reach = s.reach(t.mended); t.reach <= s.offset || !t.nearby && t.reach <= lineEnd {
			continue
		}
		s.budget -= len(t.mended)
		t.code = codeInTemplates(tokenize(t.mended))
		if t.code > before || best != nil && !t.better(best, len(s.text)) {
			continue
		}
		best = &t
	}
	if best == nil {
		return nil, false
	}
	return &best.finding, best.reach > len(s.text)
}

func (t *tick) better(than *tick, size int) bool {
	whole, other := t.reach > size, than.reach > size
	switch {
	case whole != other:
		return whole
	case t.code != than.code:
		return t.code < than.code
	}
	return t.reach > than.reach
}

// extraTicks suspects each back-tick near the stumble, and each pair on one line,
// of being text.
func (s *scene) extraTicks(lineEnd int) []tick {
	places := s.ticks(lineEnd)
	lineStart := lineStartAt(s.text, min(s.offset, len(s.text)))
	var out []tick
	for i, at := range places {
		f := finding{family: "back-tick", offset: at, reason: "a stray back-tick: it ends or begins a template here",
			hint: "inside a template, write a back-tick as \\`", mended: blanked(s.text, at, at+1)}
		out = append(out, tick{finding: f, nearby: at >= lineStart})
		if i+1 < len(places) && places[i+1] < lineEndAt(s.text, at) && places[i+1] > at+1 {
			f.reason = "back-ticks inside a template: the first one ends it here"
			f.hint = "inside a template, write each back-tick as \\`"
			f.mended = blanked(f.mended, places[i+1], places[i+1]+1)
			out = append(out, tick{finding: f, nearby: at >= lineStart})
		}
	}
	return append(out, s.fencedTicks(lineEnd)...)
}

var tickRun = regexp.MustCompile("```+")

// fencedTicks suspects a Markdown fence inside of a template, from the line of the
// stumble to the next one like it.
func (s *scene) fencedTicks(lineEnd int) []tick {
	start := lineStartAt(s.text, min(s.offset, len(s.text)))
	first := tickRun.FindStringIndex(s.text[start:lineEnd])
	if first == nil {
		return nil
	}
	f := finding{family: "back-tick", offset: start + first[0], reason: "a Markdown fence inside a template: its first back-tick ends the template",
		hint: "inside a template, write each back-tick as \\`", mended: blanked(s.text, start+first[0], start+first[1])}
	if next := tickRun.FindStringIndex(s.text[lineEnd:]); next != nil {
		f.mended = blanked(f.mended, lineEnd+next[0], lineEnd+next[1])
	}
	return []tick{{finding: f, nearby: true}}
}

// ticks are the offsets of the last back-ticks that begin or end templates, up to
// the end of the line of the stumble.
func (s *scene) ticks(lineEnd int) []int {
	var places []int
	for _, t := range s.tokens {
		if t.kind != tokenTemplate || t.start > s.offset {
			continue
		}
		if s.text[t.start] == '`' {
			places = append(places, t.start)
		}
		if s.ends(t) && t.end <= lineEnd {
			places = append(places, t.end-1)
		}
	}
	last := s.offset - 1
	if n := len(places); n > 0 {
		last = places[n-1]
		places = places[max(0, n-nearTicks):]
	}
	for i := last + 1; i < lineEnd; i++ { // code and text may be inside out here
		if s.text[i] == '`' && s.text[i-1] != '\\' {
			places = append(places, i)
		}
	}
	return places[:min(len(places), 2*nearTicks)]
}

// missingTicks suspects the template that reaches over line ends up to the
// stumble of lacking its end, on one of its first lines.
func (s *scene) missingTicks() []tick {
	i := s.swallower()
	if i < 0 {
		return nil
	}
	t, first := s.tokens[i], i
	for s.tokens[first].kind == tokenTemplate && s.tokens[first].opener >= 0 {
		first = s.tokens[first].opener
	}
	var out []tick
	lines := 0
	for start := t.start + 1; start < t.end && lines < nearLines; lines++ {
		end := min(lineEndAt(s.text, start), t.end)
		for _, at := range tickPlaces(s.text[start:end]) {
			place := bytePosition(s.text, start+at)
			_, size := utf8.DecodeLastRuneInString(s.text[start-1 : start+at])
			f := finding{family: "open template", offset: s.tokens[first].start,
				reason: "the template that begins here is not closed where it should be: it swallows the lines below",
				hint:   fmt.Sprintf("a back-tick seems to be missing at line %d, column %d", place.Line, place.Column)}
			f.mended = replaced(s.text, start+at-size, start+at, "`")
			if start+at-size <= t.start { // nothing to write over
				if s.text[t.start] == '`' {
					continue
				}
				f.mended = s.text[:start+at] + "`" + s.text[start+at:]
			}
			out = append(out, tick{finding: f})
		}
		start = end + 1
	}
	return out
}

// swallower is the last piece of a template before the stumble that reaches over
// a line end, or -1.
func (s *scene) swallower() int {
	for i := min(s.tok, len(s.tokens)) - 1; i >= 0 && i > s.tok-20; i-- {
		if t := s.tokens[i]; t.kind == tokenTemplate && strings.Contains(s.text[t.start:t.end], "\n") {
			return i
		}
	}
	return -1
}

// tickPlaces are the offsets in a line before which its template may end: before
// the brackets and commas at its end, before an options object, at its end.
func tickPlaces(line string) []int {
	trimmed := strings.TrimRight(line, " \t\r")
	var places []int
	if at := strings.LastIndex(trimmed, ", {"); at >= 0 {
		places = append(places, at)
	}
	end := len(trimmed)
	for end > 0 && strings.IndexByte(")]},; ", trimmed[end-1]) >= 0 {
		end--
	}
	for at := end; at <= len(trimmed); at++ {
		places = append(places, at)
	}
	return places
}

var (
	codeStart = regexp.MustCompile(`^(const|let|var|return|await|throw|if \(|for \(|while \(|function|async|import|export|phase\(|log\(|agent\(|parallel\(|pipeline\(|[\])}]+[,;)]*$|[\w$]+: .*[,{\[]$)`)
	codeEnd   = regexp.MustCompile(`(;|=> *[{(]?|[({\[]|\)[,;)]*)$`)
)

// codeInTemplates counts the lines inside of templates that look like code.
func codeInTemplates(src *source) int {
	n := 0
	for _, t := range src.tokens {
		if t.kind != tokenTemplate {
			continue
		}
		lines := strings.Split(strings.TrimRight(src.text[t.start+1:t.end], "`${"), "\n")
		if len(lines) == 1 {
			continue
		}
		for i, line := range lines {
			line = strings.TrimSpace(line)
			switch {
			case i > 0 && codeStart.MatchString(line):
				n++
			case codeEnd.MatchString(line) && strings.Count(line, "(") != strings.Count(line, ")"):
				n++
			case strings.Contains(line, "agent("):
				n++
			}
		}
	}
	return n
}
