package live

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/dsh-go/dsh-workflow/observe"
)

// clip cuts a text to a number of columns, and ends what it cut with an ellipsis.
// Control characters are dropped before.
func clip(text string, columns int) string {
	text = observe.OneLine(text, 64+8*columns) // more cannot be seen, so it need not be measured
	if columns <= 0 {
		return ""
	}
	var b strings.Builder
	if ascii(text) {
		if len(text) > columns {
			return text[:columns-1] + "…"
		}
		return text
	}
	used, before := 0, 0 // before is the length of what fits beside an ellipsis
	for rest := text; rest != ""; {
		cluster := first(rest)
		w := width(cluster)
		if used+w > columns {
			return b.String()[:before] + "…"
		}
		b.WriteString(cluster)
		used += w
		if used < columns {
			before = b.Len()
		}
		rest = rest[len(cluster):]
	}
	return b.String()
}

// first is the first thing in text that takes a place of its own on a screen.
func first(text string) string {
	cluster, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	return cluster
}

// width is how many columns a text takes at most. Terminals differ in what they
// give to joined emoji: the widest of both answers is the one that never wraps.
func width(text string) int {
	if ascii(text) {
		return len(text)
	}
	n := 0
	for text != "" {
		cluster := first(text)
		n += max(ansi.GraphemeWidth.StringWidth(cluster), ansi.WcWidth.StringWidth(cluster))
		text = text[len(cluster):]
	}
	return n
}

// ascii tells a text each byte of which takes one column.
func ascii(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// style is what a piece of a line is, which says how it looks.
type style int

const (
	plain style = iota
	strong
	faint
	good
	bad
	busy
	asked
)

// cell is a piece of a line.
type cell struct {
	text  string
	style style
}

// line is one line of a frame, the important things first.
type line []cell

// add appends a piece.
func (l *line) add(s style, text string) { *l = append(*l, cell{text, s}) }

// fit draws as much of a line as the columns hold.
func (l line) fit(columns int, color bool) string {
	var b strings.Builder
	for i, c := range l {
		text := clip(c.text, columns)
		columns -= width(text)
		if color {
			text = c.style.paint(text)
		}
		b.WriteString(text)
		if columns <= 0 && i < len(l)-1 {
			break
		}
	}
	return b.String()
}
