package builtin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

var (
	errNotText = errors.New("not text")
	errBeyond  = errors.New("offset beyond the end")
)

// window is the part of a file that is asked for: count lines from line first.
type window struct{ first, count int }

// page is what a window shows.
type page struct {
	lines  []string
	total  int  // lines of the whole file; not known if capped
	capped bool // the bytes of a page did not suffice
}

// readPage reads a window of a stream of any length in constant memory. It
// reads on to the end, to count the lines, unless the page is full before. The
// page that comes with errBeyond has its total.
func readPage(ctx context.Context, r io.Reader, w window) (page, error) {
	s := lineScanner{r: bufio.NewReaderSize(r, 64<<10)}
	var p page
	size := 0
	for {
		line, err := s.next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return p, err
		}
		p.total++
		if p.total < w.first || len(p.lines) == w.count {
			continue
		}
		text := shownLine(line, s.chars)
		size += len(fmt.Sprintf("%d: %s\n", p.total, text))
		if size > pageBytes && len(p.lines) > 0 {
			p.capped = true
			return p, nil
		}
		p.lines = append(p.lines, text)
	}
	if p.total < w.first && w.first > 1 {
		return p, errBeyond
	}
	return p, nil
}

// render numbers the lines and says how to go on.
func (p page) render(w window) string {
	var sb strings.Builder
	for i, line := range p.lines {
		fmt.Fprintf(&sb, "%d: %s\n", w.first+i, line)
	}
	last := w.first + len(p.lines) - 1
	if len(p.lines) > 0 {
		sb.WriteString("\n")
	}
	switch {
	case p.capped:
		fmt.Fprintf(&sb, "(Output capped. Showing lines %d-%d. Use offset=%d to continue.)", w.first, last, last+1)
	case last < p.total:
		fmt.Fprintf(&sb, "(Showing lines %d-%d of %d. Use offset=%d to continue.)", w.first, last, p.total, last+1)
	default:
		fmt.Fprintf(&sb, "(End of file - total %d lines)", p.total)
	}
	return sb.String()
}

// shownLine cuts the kept beginning of a line that has so many characters.
func shownLine(kept []byte, chars int) string {
	if chars <= maxLine {
		return string(kept)
	}
	at := 0
	for range maxLine {
		_, n := utf8.DecodeRune(kept[at:])
		at += n
	}
	return fmt.Sprintf("%s... (line truncated to %d chars)", kept[:at], maxLine)
}

// lineScanner yields lines without their ends. Of a long line it keeps the
// beginning only, but it looks at all bytes: they must be text.
type lineScanner struct {
	r     *bufio.Reader
	read  int64
	check int64 // when so much has been read, ctx is asked again
	kept  []byte
	chars int    // of the current line
	open  []byte // bytes of a code point whose rest has not come yet
}

func (s *lineScanner) next(ctx context.Context) ([]byte, error) {
	s.kept, s.chars = s.kept[:0], 0
	for begun := false; ; begun = true {
		part, err := s.r.ReadSlice('\n')
		more := errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !more && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if s.read >= s.check {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			s.check = s.read + 1<<20
		}
		if errors.Is(err, io.EOF) && len(part) == 0 && !begun {
			return nil, io.EOF
		}
		if terr := s.take(part, more); terr != nil {
			return nil, terr
		}
		if !more {
			return s.kept, nil
		}
	}
}

// take adds a part of the current line. more says that the line goes on.
func (s *lineScanner) take(part []byte, more bool) error {
	if s.read < probeBytes && bytes.IndexByte(part[:min(int64(len(part)), probeBytes-s.read)], 0) >= 0 {
		return errNotText
	}
	if s.read == 0 {
		part = bytes.TrimPrefix(part, []byte("\ufeff"))
	}
	s.read += int64(len(part))
	if !more {
		part = bytes.TrimSuffix(bytes.TrimSuffix(part, []byte("\n")), []byte("\r"))
	}
	whole := part
	if len(s.open) > 0 {
		whole, s.open = append(s.open, part...), nil
	}
	if more {
		cut := completeRunes(whole)
		s.open = bytes.Clone(whole[cut:])
		whole = whole[:cut]
	}
	if !utf8.Valid(whole) {
		return errNotText
	}
	s.chars += utf8.RuneCount(whole)
	if room := maxLine*utf8.UTFMax - len(s.kept); room > 0 {
		s.kept = append(s.kept, whole[:min(room, len(whole))]...)
	}
	return nil
}

// completeRunes is the length of b without a code point that is cut at its end.
func completeRunes(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if at := len(b) - n; utf8.RuneStart(b[at]) {
			if !utf8.FullRune(b[at:]) {
				return at
			}
			break
		}
	}
	return len(b)
}
