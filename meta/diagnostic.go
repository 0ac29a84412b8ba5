package meta

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Codes of diagnostics.
const (
	// CodeParse marks text that is not the statement it should be.
	CodeParse = "SCRIPT_PARSE"
	// CodeInvalid marks a meta whose content is refused.
	CodeInvalid = "META_INVALID"
	// CodeUnknownKey marks a key that nothing reads. It is a warning.
	CodeUnknownKey = "META_UNKNOWN_KEY"
	// CodeDuplicateKey marks a key that a later one of the same name replaces. It
	// is a warning.
	CodeDuplicateKey = "META_DUPLICATE_KEY"
	// CodeNotExported marks a leading `const meta = {` without export. It is a
	// warning: the statement belongs to the body.
	CodeNotExported = "META_NOT_EXPORTED"
)

// Diagnostic is one fault or warning. Line and Column are 0, and Excerpt is
// empty, when the meta did not come from a script.
type Diagnostic struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	// Excerpt is the source line, and below it a line with a caret.
	Excerpt string `json:"excerpt,omitempty"`
}

// Diagnostics are all faults of one script, in source order. As an error they
// read as one line; Report gives the long form.
type Diagnostics []Diagnostic

// Error joins all messages in one line.
func (d Diagnostics) Error() string {
	parts := make([]string, len(d))
	for i, one := range d {
		parts[i] = one.Message
		if one.Line > 0 {
			parts[i] = fmt.Sprintf("%s (%d:%d)", one.Message, one.Line, one.Column)
		}
	}
	text := strings.Join(parts, "; ")
	if d.Code() == CodeInvalid {
		return "invalid meta: " + text
	}
	return text
}

// Code is SCRIPT_PARSE when any of the faults is one of parsing, else
// META_INVALID.
func (d Diagnostics) Code() string {
	for _, one := range d {
		if one.Code == CodeParse {
			return CodeParse
		}
	}
	return CodeInvalid
}

// Report is the form for people: each fault with its place and excerpt. It ends
// without a newline.
func (d Diagnostics) Report() string {
	var b strings.Builder
	for i, one := range d {
		if i > 0 {
			b.WriteByte('\n')
		}
		if one.Line > 0 {
			fmt.Fprintf(&b, "%d:%d: ", one.Line, one.Column)
		}
		b.WriteString(one.Message)
		if one.Excerpt != "" {
			b.WriteByte('\n')
			b.WriteString(one.Excerpt)
		}
	}
	return b.String()
}

// text is a source whose offsets can be turned into places.
type text struct {
	src    string
	starts []int // offset of the first byte of each line
}

func newText(src string) *text {
	starts := []int{0}
	for i := 0; i < len(src); {
		n := newlineAt(src, i)
		if n == 0 {
			i++
			continue
		}
		i += n
		starts = append(starts, i)
	}
	return &text{src: src, starts: starts}
}

// newlineAt gives the length of the line terminator at offset i, or 0.
func newlineAt(src string, i int) int {
	switch c := src[i]; {
	case c == '\n':
		return 1
	case c == '\r':
		if i+1 < len(src) && src[i+1] == '\n' {
			return 2
		}
		return 1
	case c == 0xe2 && (strings.HasPrefix(src[i:], "\u2028") || strings.HasPrefix(src[i:], "\u2029")):
		return 3
	}
	return 0
}

func (t *text) diagnostic(code string, offset int, message string) Diagnostic {
	offset = max(0, min(offset, len(t.src)))
	line, found := slices.BinarySearch(t.starts, offset)
	if !found {
		line--
	}
	start := t.starts[line]
	column := utf8.RuneCountInString(t.src[start:offset])
	return Diagnostic{
		Code: code, Message: message, Line: line + 1, Column: column + 1,
		Excerpt: t.excerpt(line, column),
	}
}

// excerptWidth bounds how many code points of a line are shown: minified
// sources have lines of a megabyte.
const excerptWidth = 100

func (t *text) excerpt(line, column int) string {
	end := len(t.src)
	if line+1 < len(t.starts) {
		end = t.starts[line+1]
	}
	from := 0
	if column > excerptWidth-20 {
		from = column - excerptWidth/2
	}
	number := fmt.Sprintf("%5d | ", line+1)
	var shown, caret strings.Builder
	shown.WriteString(number)
	caret.WriteString(strings.Repeat(" ", len(number)-2) + "| ")
	i := 0
	for _, r := range strings.TrimRight(t.src[t.starts[line]:end], "\r\n\u2028\u2029") {
		if i >= from+excerptWidth {
			break
		}
		if i >= from {
			shown.WriteRune(printable(r))
			if i < column {
				caret.WriteRune(pad(r))
			}
		}
		i++
	}
	return shown.String() + "\n" + caret.String() + "^"
}

// printable keeps control characters from the reader's terminal.
func printable(r rune) rune {
	if r != '\t' && !unicode.IsPrint(r) {
		return ' '
	}
	return r
}

// pad keeps tabs, so that the caret stands right whatever their width.
func pad(r rune) rune {
	if r == '\t' {
		return '\t'
	}
	return ' '
}
