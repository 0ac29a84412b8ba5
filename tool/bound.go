package tool

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dsh-go/dsh-workflow/llm"
)

// bound makes the content of a result valid and printable and keeps its whole
// text within the limit. Content that fits keeps its blocks; content that does
// not becomes one block with the head and the tail of the text. Blocks of other
// kinds than text are left alone as long as they fit too.
func (r *Registry) bound(content []llm.Block) []llm.Block {
	size, other := 0, 0
	clean := make([]llm.Block, 0, len(content))
	for _, b := range content {
		switch b := b.(type) {
		case llm.Text:
			b.Text = printable(b.Text)
			size += len(b.Text)
			clean = append(clean, b)
		case llm.Unknown:
			size += len(b.Raw)
			other++
			b.Raw = slices.Clone(b.Raw)
			clean = append(clean, b)
		default: // no other block can stand inside a tool's result
			other++
			size = r.limit + 1
		}
	}
	if size <= r.limit {
		return clean
	}
	whole := text(clean)
	if other > 0 {
		whole += fmt.Sprintf("\n[%d parts that are not text were left out]", other)
	}
	return Text(headTail(whole, r.limit))
}

// text joins the text blocks of a content.
func text(content []llm.Block) string {
	var sb strings.Builder
	for _, b := range content {
		if t, ok := b.(llm.Text); ok {
			sb.WriteString(t.Text)
		}
	}
	return sb.String()
}

// headTail cuts the middle out of s so that it has at most limit bytes, the
// notice included. It splits no code point.
func headTail(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const room = 64 // the notice with the longest number that can stand in it
	half := max((limit-room)/2, 0)
	head := clip(s, half)
	tail := clipFront(s, half)
	return fmt.Sprintf("%s\n[... %d bytes left out here ...]\n%s", head, len(s)-len(head)-len(tail), tail)
}

// clip is the longest prefix of s that has at most n bytes and whole code points.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// clipFront is the longest suffix of s that has at most n bytes and whole code points.
func clipFront(s string, n int) string {
	if len(s) <= n {
		return s
	}
	from := len(s) - n
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}

// printable makes s valid UTF-8 in which no control character but tab, line feed
// and carriage return is left: each of the others becomes its picture (␀, ␛, …),
// so that the model sees that it was there and no terminal obeys it.
func printable(s string) string {
	if clean(s) {
		return s
	}
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\t' || c == '\n' || c == '\r':
			return c
		case c < 0x20:
			return 0x2400 + c
		case c == 0x7f:
			return 0x2421
		case c >= 0x80 && c < 0xa0:
			return utf8.RuneError
		}
		return c
	}, strings.ToValidUTF8(s, string(utf8.RuneError)))
}

func clean(s string) bool {
	for _, c := range s {
		if c < 0x20 && c != '\t' && c != '\n' && c != '\r' || c >= 0x7f && c < 0xa0 || c == utf8.RuneError {
			return false
		}
	}
	return true
}
