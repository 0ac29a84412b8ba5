package vm

import "strings"

// tokenKind says what a token is. The scanner knows no grammar, so a word may be
// a name, a keyword or a number.
type tokenKind uint8

const (
	tokenWord tokenKind = iota
	tokenString
	tokenTemplate // one piece of a template, up to its end or to a substitution
	tokenRegex
	tokenPunct // one character, ++ or --
)

type sourceToken struct {
	kind       tokenKind
	start, end int
	newline    bool // a line ends between the token before and this one
	opener     int  // the bracket that this one closes, -1 if it closes none
	parent     int  // the innermost bracket that is open around it, or -1
}

// source is a text cut into tokens, for saying what is wrong with it. It may be
// as broken as it likes.
type source struct {
	text    string
	tokens  []sourceToken
	comment int // where a comment begins that never ends, or -1
}

// unbounded is for texts that passed the bounds of [scan] before.
var unbounded = Options{MaxDepth: 1 << 24}

func tokenize(text string) *source {
	src := &source{text: text, comment: -1}
	s := &scanner{src: text, opts: unbounded, level: make([]level, 1, 16)}
	var open []int
	newline := false
	for s.pos < len(text) {
		start := s.pos
		if s.token() != nil {
			break
		}
		s.pos = min(s.pos, len(text)) // a backslash may be the last character
		kind, ok := src.kindOf(start, s.pos)
		if !ok {
			newline = newline || strings.Contains(text[start:s.pos], "\n")
			continue
		}
		t := sourceToken{kind: kind, start: start, end: s.pos, newline: newline, opener: -1, parent: -1}
		newline = false
		if src.closes(t) && len(open) > 0 {
			t.opener, open = open[len(open)-1], open[:len(open)-1]
		}
		if len(open) > 0 {
			t.parent = open[len(open)-1]
		}
		src.tokens = append(src.tokens, t)
		if src.opens(t) {
			open = append(open, len(src.tokens)-1)
		}
	}
	return src
}

// kindOf tells what was scanned, and false for white space and comments.
func (s *source) kindOf(start, end int) (tokenKind, bool) {
	switch c := s.text[start]; {
	case c == '\n' || c == ' ' || c == '\t' || c == '\r':
		return 0, false
	case c == '/' && strings.HasPrefix(s.text[start:], "//"):
		return 0, false
	case c == '/' && strings.HasPrefix(s.text[start:], "/*"):
		if end-start < 4 || !strings.HasSuffix(s.text[start:end], "*/") {
			s.comment = start
		}
		return 0, false
	case isWordByte(c):
		return tokenWord, true
	case c == '"' || c == '\'':
		return tokenString, true
	case c == '`' || end-start > 1 && strings.IndexByte(")]}", c) >= 0:
		return tokenTemplate, true
	case c == '/' && end-start > 1:
		return tokenRegex, true
	}
	return tokenPunct, true
}

// substitutes tells whether a piece of a template ends in "${".
func (s *source) substitutes(t sourceToken) bool {
	return t.kind == tokenTemplate && t.end-t.start > 2 && s.text[t.end-2:t.end] == "${"
}

// ends tells whether a piece of a template reaches its closing back-tick.
func (s *source) ends(t sourceToken) bool {
	return t.kind == tokenTemplate && t.end-t.start > 1 && s.text[t.end-1] == '`' && !s.escaped(t.start+1, t.end-1)
}

// escaped tells whether an odd number of backslashes stands before an offset.
func (s *source) escaped(from, at int) bool {
	n := 0
	for at-n > from && s.text[at-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

func (s *source) opens(t sourceToken) bool {
	return s.substitutes(t) || t.kind == tokenPunct && strings.IndexByte("([{", s.text[t.start]) >= 0
}

func (s *source) closes(t sourceToken) bool {
	return strings.IndexByte(")]}", s.text[t.start]) >= 0
}

// is tells whether token i is the word or the character given. Any index will do.
func (s *source) is(i int, text string) bool {
	if i < 0 || i >= len(s.tokens) {
		return false
	}
	t := s.tokens[i]
	return (t.kind == tokenWord || t.kind == tokenPunct) && s.text[t.start:t.end] == text
}

// isAny is [source.is] for a list of words between spaces.
func (s *source) isAny(i int, words string) bool {
	return s.isKind(i, tokenWord) && strings.Contains(words, " "+s.word(i)+" ")
}

func (s *source) isKind(i int, k tokenKind) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].kind == k
}

// word is the text of token i.
func (s *source) word(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return s.text[s.tokens[i].start:s.tokens[i].end]
}

// isName tells whether token i may be an identifier.
func (s *source) isName(i int) bool {
	return s.isKind(i, tokenWord) && (s.text[s.tokens[i].start] < '0' || s.text[s.tokens[i].start] > '9')
}

// isValueEnd tells whether a value may end with token i.
func (s *source) isValueEnd(i int) bool {
	if i < 0 || i >= len(s.tokens) {
		return false
	}
	switch t := s.tokens[i]; t.kind {
	case tokenWord:
		return !strings.Contains(prefixWords, " "+s.word(i)+" ")
	case tokenPunct:
		return s.closes(t)
	case tokenTemplate:
		return s.ends(t)
	case tokenString, tokenRegex:
	}
	return true
}

// before is the token before i; a group in brackets, or a template, counts as its
// first token.
func (s *source) before(i int) int {
	i--
	for i >= 0 && s.tokens[i].opener >= 0 {
		i = s.tokens[i].opener
	}
	return i
}

// shut is the token that closes bracket i, or -1.
func (s *source) shut(i int) int {
	for j := max(i+1, 0); i >= 0 && j < len(s.tokens); j++ {
		if s.tokens[j].opener == i {
			return j
		}
	}
	return -1
}

// at is the first token that ends behind an offset.
func (s *source) at(offset int) int {
	for i, t := range s.tokens {
		if t.end > offset {
			return i
		}
	}
	return len(s.tokens)
}

// blanked overwrites a region with spaces. Lines stay.
func blanked(text string, from, to int) string {
	b := []byte(text)
	for i := from; i < to && i < len(b); i++ {
		if b[i] != '\n' && b[i] != '\r' {
			b[i] = ' '
		}
	}
	return string(b)
}

// replaced writes over a region with a text that is no longer, and fills up with
// spaces.
func replaced(text string, from, to int, with string) string {
	b := []byte(blanked(text, from, to))
	copy(b[from:to], with)
	return string(b)
}

func lineEndAt(text string, offset int) int {
	if n := strings.IndexByte(text[offset:], '\n'); n >= 0 {
		return offset + n
	}
	return len(text)
}

func lineStartAt(text string, offset int) int {
	return strings.LastIndexByte(text[:offset], '\n') + 1
}
