package builtin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// scanner finds the lines of files that match, in constant memory whatever the
// length of a file or a line. It serves one goroutine.
type scanner struct {
	re    *regexp.Regexp
	quick int // a line of so many bytes is matched before anybody waits for it
	r     *bufio.Reader
}

const (
	steps        = 1 << 20 // of a regular expression that take some milliseconds
	instructions = 20000   // of the largest one
)

func newScanner(pattern string) (*scanner, error) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, badExpression(err)
	}
	prog, err := syntax.Compile(parsed.Simplify())
	switch {
	case err != nil:
		return nil, badExpression(err)
	case len(prog.Inst) > instructions:
		return nil, badExpression(&syntax.Error{Code: syntax.ErrLarge, Expr: pattern})
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, badExpression(err)
	}
	return &scanner{re: re, quick: steps / len(prog.Inst), r: bufio.NewReaderSize(nil, 64<<10)}, nil
}

func badExpression(err error) error {
	var se *syntax.Error
	if errors.As(err, &se) {
		return searchFault(InvalidPattern, "invalid regular expression: %s: %.200q", se.Code, se.Expr)
	}
	return searchFault(InvalidPattern, "invalid regular expression: %v", err)
}

// file calls hit with the number and the shown text of each line that matches. A
// file with a NUL is binary: it is left where the NUL is found, before the first
// line if it is near the beginning.
func (s *scanner) file(ctx context.Context, name string, hit func(n int, text string) error) error {
	f, err := openRegular(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	defer context.AfterFunc(ctx, func() { _ = f.Close() })() // some files of the kernel let a reader wait
	s.r.Reset(f)
	begin, _ := s.r.Peek(probeBytes)
	if bytes.IndexByte(begin, 0) >= 0 {
		return nil
	}
	if bytes.HasPrefix(begin, []byte("\ufeff")) {
		_, _ = s.r.Discard(3)
	}
	for n := 1; ; n++ {
		text, matched, err := s.next(ctx)
		if errors.Is(err, io.EOF) || errors.Is(err, errNotText) {
			return nil
		}
		if err != nil {
			return err
		}
		if matched {
			if err := hit(n, text); err != nil {
				return err
			}
		}
	}
}

// next reads a line and gives its shown text if it matches.
func (s *scanner) next(ctx context.Context) (text string, matched bool, err error) {
	if ctx.Err() != nil {
		return "", false, context.Cause(ctx)
	}
	line, end := s.buffered(s.r.Buffered())
	if !end {
		// Filling the buffer moves its content, so it is done when it has to be.
		_, fault := s.r.Peek(s.r.Size())
		line, end = s.buffered(s.r.Buffered())
		switch {
		case !end && fault == nil:
			return s.long(ctx)
		case !end && fault != io.EOF:
			return "", false, fault
		case !end && len(line) == 0:
			return "", false, io.EOF
		}
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return "", false, errNotText
	}
	bare := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if len(bare) <= s.quick {
		matched = s.re.Match(bare)
	} else if matched = s.re.MatchReader(&heldLine{ctx: ctx, rest: bare}); ctx.Err() != nil {
		return "", false, context.Cause(ctx)
	}
	if matched {
		text = preview(bare, false)
	}
	_, _ = s.r.Discard(len(line))
	return text, matched, nil
}

// buffered is the line at the beginning of n buffered bytes, or all of them if it
// does not end there.
func (s *scanner) buffered(n int) (line []byte, end bool) {
	b, _ := s.r.Peek(n)
	if at := bytes.IndexByte(b, '\n'); at >= 0 {
		return b[:at+1], true
	}
	return b, false
}

// long reads a line that the buffer cannot hold.
func (s *scanner) long(ctx context.Context) (text string, matched bool, err error) {
	l := &longLine{ctx: ctx, r: s.r}
	matched = s.re.MatchReader(l)
	for l.end == nil && len(l.head) <= grepLine {
		_, _, _ = l.ReadRune()
	}
	for l.end == nil { // only its end is of interest now
		_, err := s.r.ReadSlice('\n')
		switch {
		case ctx.Err() != nil:
			l.end = context.Cause(ctx)
		case err == nil:
			l.end = io.EOF
		case !errors.Is(err, bufio.ErrBufferFull):
			l.end = err
		}
	}
	if !errors.Is(l.end, io.EOF) {
		return "", false, l.end
	}
	return preview(l.head, true), matched, nil
}

// preview is the text of a line, or of its kept beginning, as results show it.
func preview(line []byte, cut bool) string {
	if cut {
		line = line[:completeRunes(line)]
	}
	if !utf8.Valid(line) {
		return "(this line is not valid UTF-8)"
	}
	if len(line) <= grepLine {
		return string(line)
	}
	head := line[:grepLine]
	return string(head[:completeRunes(head)]) + " (line truncated)"
}

// heldLine gives the runes of a line until ctx ends.
type heldLine struct {
	ctx  context.Context // of the one match that the line is read for
	rest []byte
	read int
}

// ReadRune implements io.RuneReader.
func (h *heldLine) ReadRune() (c rune, size int, err error) {
	if len(h.rest) == 0 || h.read&0xf == 0 && h.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	h.read++
	c, size = utf8.DecodeRune(h.rest)
	h.rest = h.rest[size:]
	return c, size, nil
}

// longLine reads one line, without its end, as runes.
type longLine struct {
	ctx  context.Context // of the one search that the line is read for
	r    *bufio.Reader
	head []byte // a little more than what is shown
	read int
	end  error // why it is over: io.EOF is the end of the line or of the file
}

// ReadRune implements io.RuneReader.
func (l *longLine) ReadRune() (c rune, size int, err error) {
	if l.end == nil && l.read&0xf == 0 && l.ctx.Err() != nil {
		l.end = context.Cause(l.ctx)
	}
	if l.end != nil {
		return 0, 0, io.EOF
	}
	l.read++
	c, size, err = l.r.ReadRune()
	if c == '\r' {
		if next, _ := l.r.Peek(1); len(next) == 1 && next[0] == '\n' {
			c, size, err = l.r.ReadRune()
		}
	}
	switch {
	case err != nil:
		l.end = err
	case c == '\n':
		l.end = io.EOF
	case c == 0:
		l.end = errNotText
	}
	if l.end != nil {
		return 0, 0, io.EOF
	}
	if len(l.head) <= grepLine {
		if c == utf8.RuneError && size == 1 {
			l.head = append(l.head, 0xff)
		} else {
			l.head = utf8.AppendRune(l.head, c)
		}
	}
	return c, size, nil
}
