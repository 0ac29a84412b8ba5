package lint

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dsh-go/dsh-workflow/vm"
)

// Finding is one fault at one place.
type Finding struct {
	Rule     RuleID
	Severity Severity // Warn or Error
	Message  string   // one line
	// Suggestion says what to do, in one line; it may be empty.
	Suggestion string
	Pos, End   vm.Position // End is behind the last character
	// Excerpt is the line with a caret below it.
	Excerpt string
}

// Report is all that was found in one script, in the order of the source.
type Report struct {
	Findings []Finding
	// Suppressed counts the findings that comments of the script silenced.
	Suppressed int
}

// Count is the number of findings of a severity.
func (r Report) Count(s Severity) int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// Sort puts findings into the order of their places.
func Sort(list []Finding) {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.Rule, b.Rule))
	})
}

// text turns offsets of a source into places.
type text struct {
	src    string
	starts []int // offset of each line
}

func newText(src string) *text {
	t := &text{src: src, starts: []int{0}}
	for i := range len(src) {
		if src[i] == '\n' {
			t.starts = append(t.starts, i+1)
		}
	}
	return t
}

// line is the number of the line of an offset, from 1.
func (t *text) line(offset int) int {
	return sort.Search(len(t.starts), func(i int) bool { return t.starts[i] > offset })
}

func (t *text) position(offset int) vm.Position {
	offset = min(max(offset, 0), len(t.src))
	line := t.line(offset)
	return vm.Position{Line: line, Column: utf8.RuneCountInString(t.src[t.starts[line-1]:offset]) + 1}
}

// lineText is a line without its end.
func (t *text) lineText(line int) string {
	end := len(t.src)
	if line < len(t.starts) {
		end = t.starts[line] - 1
	}
	return strings.TrimSuffix(t.src[t.starts[line-1]:end], "\r")
}

// excerptWidth bounds how much of a line is shown.
const excerptWidth = 100

// excerpt shows the line of a place with a caret below it.
func (t *text) excerpt(p vm.Position) string {
	runes := []rune(t.lineText(p.Line))
	column, from := p.Column-1, 0
	if column > excerptWidth-20 {
		from = column - excerptWidth/2
	}
	runes = runes[min(from, len(runes)):]
	runes = runes[:min(excerptWidth, len(runes))]
	gutter := fmt.Sprintf("%5d | ", p.Line)
	var shown, caret strings.Builder
	for i, r := range runes {
		if r != '\t' && !unicode.IsPrint(r) {
			r = ' '
		}
		shown.WriteRune(r)
		switch {
		case i >= column-from:
		case r == '\t':
			caret.WriteByte('\t')
		default:
			caret.WriteByte(' ')
		}
	}
	return strings.TrimRight(gutter+shown.String(), " ") + "\n" + strings.Repeat(" ", len(gutter)-2) + "| " + caret.String() + "^"
}
