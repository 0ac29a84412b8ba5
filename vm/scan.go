package vm

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The parser and the compiler recurse, and a Go stack that overflows ends the
// whole process. So a scanner that does not recurse bounds the source first.
// It knows just enough of the language to tell brackets and operators from
// text.

// scanner walks over the tokens of a body once.
type scanner struct {
	src   string
	pos   int
	opts  Options
	level []level // open brackets, innermost last
	// operand: the last token ended a value, so a slash divides and a newline may
	// end the statement.
	operand bool
	newline bool   // a newline lies between the last token and this one
	word    string // the last token if it was a word
}

// level is one open bracket. chain counts the operators since the last token
// that surely ended a statement or an element.
type level struct {
	open    byte // '(' '[' '{' or '`' for the inside of a template
	chain   int
	control bool // parentheses after if, while, for, with
}

// scan refuses a source that is too long or nests too deeply.
func scan(body string, opts Options) error {
	if len(body) > opts.MaxSource {
		return &ParseError{TooComplex: true,
			Reason: fmt.Sprintf("the source has %d bytes, more than %d", len(body), opts.MaxSource)}
	}
	// The scanner can mistake code for text where a slash follows a brace. This
	// bound needs no understanding, and keeps the stack of the parser small
	// enough whatever was mistaken.
	brackets := strings.Count(body, "(") + strings.Count(body, "[") + strings.Count(body, "{")
	if brackets > 200*opts.MaxDepth {
		return &ParseError{TooComplex: true,
			Reason: fmt.Sprintf("the source has %d brackets, more than %d", brackets, 200*opts.MaxDepth)}
	}
	if !utf8.ValidString(body) {
		return &ParseError{Reason: "the source is not valid UTF-8"}
	}
	s := &scanner{src: body, opts: opts, level: make([]level, 1, 16)}
	for s.pos < len(s.src) {
		if err := s.token(); err != nil {
			return err
		}
	}
	return nil
}

func (s *scanner) top() *level { return &s.level[len(s.level)-1] }

// tooComplex names the place at hand.
func (s *scanner) tooComplex(reason string) error {
	before := s.src[:min(s.pos, len(s.src))]
	line := 1 + strings.Count(before, "\n")
	column := s.pos - strings.LastIndexByte(before, '\n')
	err := parseErrorAt(s.src, Position{Line: line, Column: column}, reason)
	err.TooComplex = true
	return err
}

func (s *scanner) token() error {
	c := s.src[s.pos]
	switch {
	case c == '\n':
		s.newline = true
		s.pos++
	case c == ' ' || c == '\t' || c == '\r':
		s.pos++
	case c == '/' && s.comment():
	case isWordByte(c):
		return s.wordToken()
	case c == '"' || c == '\'':
		s.beginOperand()
		s.quoted(c)
		s.endOperand()
	case c == '`':
		return s.template()
	case c == '/' && !s.operand:
		s.regex()
		s.endOperand()
	case strings.IndexByte("([{", c) >= 0:
		return s.openBracket(c)
	case strings.IndexByte(")]}", c) >= 0:
		return s.closeBracket(c)
	case c == ';' || c == ',':
		s.top().chain = 0
		s.operator(1)
	default:
		return s.chainOperator(c)
	}
	return nil
}

// operator moves over n bytes after which a value is expected.
func (s *scanner) operator(n int) {
	s.pos += n
	s.operand, s.newline, s.word = false, false, ""
}

func (s *scanner) endOperand() { s.operand, s.newline, s.word = true, false, "" }

// beginOperand resets the chain where a newline between two values ends the
// statement.
func (s *scanner) beginOperand() {
	if s.operand && s.newline {
		s.top().chain = 0
	}
}

func (s *scanner) chainOperator(c byte) error {
	if (c == '+' || c == '-') && s.pos+1 < len(s.src) && s.src[s.pos+1] == c {
		// ++ and -- leave a value a value.
		operand := s.operand
		s.operator(2)
		s.operand = operand
		return s.link()
	}
	s.operator(1)
	return s.link()
}

// link makes the chain at hand one longer.
func (s *scanner) link() error {
	t := s.top()
	t.chain++
	if t.chain > 8*s.opts.MaxDepth {
		return s.tooComplex(fmt.Sprintf("more than %d operators in one expression", 8*s.opts.MaxDepth))
	}
	return nil
}

// comment moves over a comment, if there is one.
func (s *scanner) comment() bool {
	rest := s.src[s.pos:]
	switch {
	case strings.HasPrefix(rest, "//"):
		end := strings.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		s.pos += end
		return true
	case strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest[2:], "*/")
		if end < 0 {
			s.pos = len(s.src)
			return true
		}
		s.newline = s.newline || strings.IndexByte(rest[:end+2], '\n') >= 0
		s.pos += end + 4
		return true
	}
	return false
}

// prefixWords are the words after which a value is still to come.
const prefixWords = " return typeof instanceof in of new delete void throw case do else await yield async extends if while for with try finally "

func (s *scanner) wordToken() error {
	start := s.pos
	for s.pos < len(s.src) && isWordByte(s.src[s.pos]) {
		s.pos++
	}
	word := s.src[start:s.pos]
	prefix := strings.Contains(prefixWords, " "+word+" ")
	if word != "else" && word != "in" && word != "of" && word != "instanceof" {
		s.beginOperand()
	}
	s.endOperand()
	s.word = word
	if !prefix {
		return nil
	}
	s.operand = false
	return s.link()
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c == '#' || c == '\\' || c >= 0x80 ||
		'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func (s *scanner) quoted(quote byte) {
	for s.pos++; s.pos < len(s.src); s.pos++ {
		switch s.src[s.pos] {
		case '\\':
			s.pos++
		case quote:
			s.pos++
			return
		case '\n':
			return // unterminated: the parser says so
		}
	}
}

func (s *scanner) regex() {
	class := false
	for s.pos++; s.pos < len(s.src); s.pos++ {
		switch c := s.src[s.pos]; {
		case c == '\\':
			s.pos++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '\n':
			return
		case c == '/' && !class:
			s.pos++
			return
		}
	}
}

// template moves over the text of a template up to its end or to the next
// substitution, which is a bracket level of its own.
func (s *scanner) template() error {
	s.beginOperand()
	if s.operand { // a tagged template is a call
		if err := s.link(); err != nil {
			return err
		}
	}
	s.pos++
	return s.templateText()
}

func (s *scanner) templateText() error {
	for ; s.pos < len(s.src); s.pos++ {
		switch {
		case s.src[s.pos] == '\\':
			s.pos++
		case s.src[s.pos] == '`':
			s.pos++
			s.endOperand()
			return nil
		case strings.HasPrefix(s.src[s.pos:], "${"):
			s.pos++
			return s.push(level{open: '`'})
		}
	}
	return nil
}

func (s *scanner) openBracket(c byte) error {
	word := s.word
	if c != '{' && s.operand {
		if err := s.link(); err != nil { // a call or an index is one link
			return err
		}
	}
	control := c == '(' && (word == "if" || word == "while" || word == "for" || word == "with")
	return s.push(level{open: c, control: control})
}

func (s *scanner) push(l level) error {
	if len(s.level) > s.opts.MaxDepth {
		return s.tooComplex(fmt.Sprintf("brackets nest deeper than %d", s.opts.MaxDepth))
	}
	s.level = append(s.level, l)
	s.operator(1)
	return nil
}

func (s *scanner) closeBracket(c byte) error {
	s.pos++
	if len(s.level) == 1 {
		s.endOperand() // unbalanced: the parser says so
		return nil
	}
	closed := *s.top()
	s.level = s.level[:len(s.level)-1]
	if closed.open == '`' {
		return s.templateText()
	}
	s.endOperand()
	// After the condition of an if comes a statement, not an operator.
	if closed.control {
		s.operand = false
	}
	return nil
}
