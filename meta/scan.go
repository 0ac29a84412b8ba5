package meta

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind uint8

const (
	eof kind = iota
	word
	number
	str
	template // one piece of a template, up to its end or to an interpolation
	regex
	punct
	bad // the scanner has a fault
)

// token is one token of the source. Its text is src[start:end].
type token struct {
	kind       kind
	start, end int
	newline    bool // a line terminator stands between it and the token before
}

// fault is why scanning stopped.
type fault struct {
	what string // comment, string literal, nesting or bracket
	at   int
}

// scanner cuts JavaScript into tokens, in one pass and without recursion. It
// does not know the grammar: whether a slash divides or starts a regular
// expression is judged by the token before it.
type scanner struct {
	src   string
	pos   int
	last  token
	open  []byte // brackets that are open; '`' is an interpolation
	depth int    // most brackets that may be open
	fault *fault
}

// anyDepth is no limit.
const anyDepth = 1 << 30

func (s *scanner) text(t token) string { return s.src[t.start:t.end] }

func (s *scanner) is(t token, text string) bool {
	return t.kind != str && t.kind != template && s.text(t) == text
}

func (s *scanner) fail(what string, at int) token {
	if s.fault == nil {
		s.fault = &fault{what, at}
	}
	return token{kind: bad, start: at, end: at}
}

// next gives the next token. After a fault it gives bad for ever.
func (s *scanner) next() token {
	if s.fault != nil {
		return token{kind: bad, start: s.fault.at, end: s.fault.at}
	}
	newline := s.blank()
	t := s.token()
	t.newline = newline
	s.last = t
	return t
}

// blank skips white space and comments and reports whether a line ended.
func (s *scanner) blank() (newline bool) {
	for s.pos < len(s.src) {
		if n := newlineAt(s.src, s.pos); n > 0 {
			newline = true
			s.pos += n
			continue
		}
		rest := s.src[s.pos:]
		switch {
		case strings.HasPrefix(rest, "//"):
			s.pos = lineEnd(s.src, s.pos)
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				s.fail("comment", s.pos)
				return newline
			}
			comment := rest[:end+4]
			newline = newline || strings.ContainsAny(comment, "\r\n\u2028\u2029")
			s.pos += len(comment)
		default:
			n := spaceAt(rest)
			if n == 0 {
				return newline
			}
			s.pos += n
		}
	}
	return newline
}

func lineEnd(src string, i int) int {
	for i < len(src) && newlineAt(src, i) == 0 {
		i++
	}
	return i
}

func spaceAt(rest string) int {
	switch c := rest[0]; {
	case c == ' ' || c == '\t' || c == '\v' || c == '\f':
		return 1
	case c < utf8.RuneSelf:
		return 0
	}
	r, n := utf8.DecodeRuneInString(rest)
	if r == '\ufeff' || unicode.Is(unicode.Zs, r) {
		return n
	}
	return 0
}

func (s *scanner) token() token {
	if s.fault != nil {
		return token{kind: bad, start: s.fault.at, end: s.fault.at}
	}
	start := s.pos
	if start >= len(s.src) {
		return token{kind: eof, start: start, end: start}
	}
	done := func(k kind) token { return token{kind: k, start: start, end: s.pos} }
	switch c := s.src[start]; {
	case c == '"' || c == '\'':
		return s.quoted(c)
	case c == '`':
		s.pos++
		return s.template(start)
	case digit(c) || c == '.' && start+1 < len(s.src) && digit(s.src[start+1]):
		s.number()
		return done(number)
	case wordAt(s.src[start:]) > 0:
		s.word()
		return done(word)
	case c == '/' && s.regexMayStart() && s.regex():
		return done(regex)
	case strings.IndexByte("([{", c) >= 0:
		return s.push(c)
	case strings.IndexByte(")]}", c) >= 0:
		return s.pop(c)
	case strings.HasPrefix(s.src[start:], "++") || strings.HasPrefix(s.src[start:], "--"):
		s.pos += 2
		return done(punct)
	default:
		_, n := utf8.DecodeRuneInString(s.src[start:])
		s.pos += n
		return done(punct)
	}
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// wordAt gives the length of the identifier character at the start of rest.
func wordAt(rest string) int {
	if rest == "" {
		return 0
	}
	switch c := rest[0]; {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_', c == '$', c == '\\', c == '#':
		return 1
	case c < utf8.RuneSelf:
		return 0
	}
	r, n := utf8.DecodeRuneInString(rest)
	if unicode.In(r, unicode.L, unicode.Nl, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc) ||
		r == '\u200c' || r == '\u200d' {
		return n
	}
	return 0
}

func (s *scanner) word() {
	for s.pos < len(s.src) {
		n := wordAt(s.src[s.pos:])
		if n == 0 && digit(s.src[s.pos]) {
			n = 1
		}
		if n == 0 {
			return
		}
		s.pos += n
	}
}

func (s *scanner) number() {
	hex := strings.HasPrefix(s.src[s.pos:], "0x") || strings.HasPrefix(s.src[s.pos:], "0X")
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		exponent := !hex && (c == 'e' || c == 'E') && s.pos+1 < len(s.src) &&
			(s.src[s.pos+1] == '+' || s.src[s.pos+1] == '-')
		switch {
		case exponent:
			s.pos += 2
		case digit(c) || c == '.':
			s.pos++
		case wordAt(s.src[s.pos:]) > 0:
			s.pos += wordAt(s.src[s.pos:])
		default:
			return
		}
	}
}

func (s *scanner) quoted(quote byte) token {
	start := s.pos
	for i := start + 1; i < len(s.src); i++ {
		switch c := s.src[i]; c {
		case '\\':
			if i+2 < len(s.src) && s.src[i+1] == '\r' && s.src[i+2] == '\n' {
				i++
			}
			i++
		case quote:
			s.pos = i + 1
			return token{kind: str, start: start, end: s.pos}
		case '\n', '\r':
			return s.fail("string literal", start)
		}
	}
	return s.fail("string literal", start)
}

// template reads template text from s.pos on, to the end of the template or to
// the next interpolation, which it opens.
func (s *scanner) template(start int) token {
	for i := s.pos; i < len(s.src); i++ {
		switch c := s.src[i]; {
		case c == '\\':
			i++
		case c == '`':
			s.pos = i + 1
			return token{kind: template, start: start, end: s.pos}
		case c == '$' && i+1 < len(s.src) && s.src[i+1] == '{':
			s.pos = i + 2
			if len(s.open) >= s.depth {
				return s.fail("nesting", i)
			}
			s.open = append(s.open, '`')
			return token{kind: template, start: start, end: s.pos}
		}
	}
	return s.fail("string literal", start)
}

func (s *scanner) push(c byte) token {
	if len(s.open) >= s.depth {
		return s.fail("nesting", s.pos)
	}
	s.open = append(s.open, c)
	s.pos++
	return token{kind: punct, start: s.pos - 1, end: s.pos}
}

func (s *scanner) pop(c byte) token {
	start := s.pos
	if len(s.open) == 0 {
		return s.fail("bracket", start)
	}
	top := s.open[len(s.open)-1]
	if c == '}' && top == '`' {
		s.open = s.open[:len(s.open)-1]
		s.pos++
		return s.template(start)
	}
	if strings.IndexByte("()[]{}", c) != strings.IndexByte("()[]{}", top)+1 {
		return s.fail("bracket", start)
	}
	s.open = s.open[:len(s.open)-1]
	s.pos++
	return token{kind: punct, start: start, end: s.pos}
}

func (s *scanner) regexMayStart() bool {
	switch s.last.kind {
	case number, str, template, regex:
		return false
	case word:
		switch s.text(s.last) {
		case "return", "typeof", "case", "do", "else", "in", "instanceof", "new", "of",
			"void", "delete", "throw", "await", "yield", "default":
			return true
		}
		return false
	case punct:
		switch s.text(s.last) {
		case ")", "]", "++", "--":
			return false
		case "}":
			// A block or an object ended; a slash on a line of its own more often
			// follows a block.
			return strings.TrimLeft(s.src[s.last.end:s.pos], " \t") != ""
		}
	}
	return true
}

// regex skips a regular expression and reports whether there was one: without
// an end on the same line the slash is taken for a division.
func (s *scanner) regex() bool {
	class := false
	for i := s.pos + 1; i < len(s.src); i++ {
		if newlineAt(s.src, i) > 0 {
			return false
		}
		switch c := s.src[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			s.pos = i + 1
			s.word()
			return true
		}
	}
	return false
}
