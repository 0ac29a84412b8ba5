package builtin

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// loosePattern is the longest pattern that a sieve is given.
const loosePattern = 32 << 10

// loosened writes an expression of RE2 as one for ripgrep that matches in every
// line in which the expression matches, and perhaps in others. It is false where
// such a one would match nearly everywhere or cannot be written.
//
// Nothing of the dialects is relied upon but what both mean alike: characters are
// written as sets of code points, so that neither flags nor tables of Unicode
// count. What a set is loose about:
//
//   - a byte that is no UTF-8 is U+FFFD for us and nothing for ripgrep, so a set
//     that has U+FFFD takes any byte over 0x7F;
//   - a mark at the beginning of a file and a carriage return at the end of a line
//     are no part of a line for us;
//   - word boundaries are everywhere.
func loosened(pattern string) (string, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || shortest(re) == 0 {
		return "", false
	}
	l := loosening{}
	l.write(re)
	if l.failed || l.out.Len() > loosePattern {
		return "", false
	}
	return l.out.String(), true
}

// shortest is the least number of characters that an expression takes, up to 1.
func shortest(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		return 1
	case syntax.OpCapture, syntax.OpPlus:
		return shortest(re.Sub[0])
	case syntax.OpRepeat:
		return min(re.Min, shortest(re.Sub[0]))
	case syntax.OpConcat:
		n := 0
		for _, sub := range re.Sub {
			n = max(n, shortest(sub))
		}
		return n
	case syntax.OpAlternate:
		n := 1
		for _, sub := range re.Sub {
			n = min(n, shortest(sub))
		}
		return n
	}
	return 0
}

// loosening is an expression in the writing.
type loosening struct {
	out    strings.Builder
	failed bool
}

func (l *loosening) write(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
	case syntax.OpLiteral:
		for _, c := range re.Rune {
			l.literal(c, re.Flags&syntax.FoldCase != 0)
		}
	case syntax.OpCharClass:
		l.set(re.Rune)
	case syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		l.set([]rune{0, unicode.MaxRune})
	case syntax.OpBeginLine, syntax.OpBeginText:
		l.out.WriteString(`(?m:^)\x{FEFF}?`)
	case syntax.OpEndLine, syntax.OpEndText:
		l.out.WriteString(`\x{D}?(?m:$)`)
	case syntax.OpCapture:
		l.group(re.Sub[0], "")
	case syntax.OpStar:
		l.group(re.Sub[0], "*")
	case syntax.OpPlus:
		l.group(re.Sub[0], "+")
	case syntax.OpQuest:
		l.group(re.Sub[0], "?")
	case syntax.OpRepeat:
		l.repeat(re)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			l.group(sub, "")
		}
	case syntax.OpAlternate:
		l.alternate(re.Sub)
	default: // it matches nothing, or is of a kind that we do not know
		l.failed = true
	}
}

func (l *loosening) group(re *syntax.Regexp, suffix string) {
	l.out.WriteString("(?:")
	l.write(re)
	l.out.WriteString(")" + suffix)
}

func (l *loosening) repeat(re *syntax.Regexp) {
	switch {
	case re.Max < 0:
		l.group(re.Sub[0], fmt.Sprintf("{%d,}", re.Min))
	default:
		l.group(re.Sub[0], fmt.Sprintf("{%d,%d}", re.Min, re.Max))
	}
}

func (l *loosening) alternate(subs []*syntax.Regexp) {
	l.out.WriteString("(?:")
	for i, sub := range subs {
		if i > 0 {
			l.out.WriteByte('|')
		}
		l.group(sub, "")
	}
	l.out.WriteByte(')')
}

// literal writes one character and, where case does not count, all that are the
// same then.
func (l *loosening) literal(c rune, fold bool) {
	pairs := []rune{c, c}
	for f := unicode.SimpleFold(c); fold && f != c; f = unicode.SimpleFold(f) {
		pairs = append(pairs, f, f)
	}
	l.set(pairs)
}

// set writes a set of characters, given as pairs of first and last. No line has a
// line feed, and no text a surrogate.
func (l *loosening) set(pairs []rune) {
	var in strings.Builder
	foreign := false
	span := func(lo, hi rune) {
		if lo <= hi {
			fmt.Fprintf(&in, `\x{%X}-\x{%X}`, lo, hi)
		}
	}
	for i := 0; i < len(pairs); i += 2 {
		lo, hi := pairs[i], pairs[i+1]
		foreign = foreign || lo <= utf8.RuneError && utf8.RuneError <= hi
		span(lo, min(hi, '\n'-1))
		span(max(lo, '\n'+1), min(hi, 0xD7FF))
		span(max(lo, 0xE000), hi)
	}
	switch {
	case in.Len() == 0:
		l.failed = true // only a line feed
	case foreign:
		l.out.WriteString("(?:[" + in.String() + `]|(?-u:[\x80-\xFF]))`)
	default:
		l.out.WriteString("[" + in.String() + "]")
	}
}
