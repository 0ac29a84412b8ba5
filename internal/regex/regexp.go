package regex

import "strings"

// Flags are the flags of one expression.
type Flags struct {
	Indices, Global, IgnoreCase, Multiline, DotAll, Unicode, Sets, Sticky bool
}

// ParseFlags reads flags. It reports false for one that is unknown or stands
// twice, and for u together with v.
func ParseFlags(text string) (Flags, bool) {
	var f Flags
	for _, c := range text {
		var to *bool
		switch c {
		case 'd':
			to = &f.Indices
		case 'g':
			to = &f.Global
		case 'i':
			to = &f.IgnoreCase
		case 'm':
			to = &f.Multiline
		case 's':
			to = &f.DotAll
		case 'u':
			to = &f.Unicode
		case 'v':
			to = &f.Sets
		case 'y':
			to = &f.Sticky
		default:
			return f, false
		}
		if *to {
			return f, false
		}
		*to = true
	}
	return f, !(f.Unicode && f.Sets)
}

// String has the flags in the order of the language.
func (f Flags) String() string {
	var b strings.Builder
	for _, one := range []struct {
		set  bool
		name byte
	}{{f.Indices, 'd'}, {f.Global, 'g'}, {f.IgnoreCase, 'i'}, {f.Multiline, 'm'}, {f.DotAll, 's'}, {f.Unicode, 'u'}, {f.Sets, 'v'}, {f.Sticky, 'y'}} {
		if one.set {
			b.WriteByte(one.name)
		}
	}
	return b.String()
}

// whole tells whether characters are code points rather than UTF-16 units.
func (f Flags) whole() bool { return f.Unicode || f.Sets }

// SyntaxError says why a pattern is none.
type SyntaxError struct{ Reason string }

func (e *SyntaxError) Error() string { return e.Reason }

// Group is a named capture group.
type Group struct {
	Name  string
	Index int
}

// Regexp is a compiled expression.
type Regexp struct {
	// Groups are the named groups in the order of their numbers.
	Groups []Group
	// Captures is the number of groups, the whole match not counted.
	Captures int
	// Plain says that a matcher which never backtracks gives the same results.
	Plain bool

	flags Flags
	prog  []inst
	sets  []set
	regs  int // registers: two for each capture, then those of loops
}

// Compile reads a pattern, given as UTF-16 units. The error is a *SyntaxError
// with the text that V8 has for it.
func Compile(pattern []uint16, flags Flags) (*Regexp, error) {
	p := &parser{src: decode(pattern, flags.whole()), flags: flags}
	tree, err := p.parse()
	if err != nil {
		return nil, err
	}
	re := &Regexp{flags: flags, Captures: p.captures, Groups: p.groups, Plain: p.plain(tree)}
	c := &compiler{re: re}
	c.re.regs = 2 * (p.captures + 1)
	c.emit(inst{op: opSave, a: 0})
	c.node(tree, false)
	c.emit(inst{op: opSave, a: 1})
	c.emit(inst{op: opMatch})
	if len(c.re.prog) > maxProgram {
		return nil, &SyntaxError{"Regular expression too large"}
	}
	return re, nil
}

const maxProgram = 1 << 20

// decode turns units into runes, pairs into one rune each where whole is set.
func decode(units []uint16, whole bool) []rune {
	out := make([]rune, 0, len(units))
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		if whole && isHigh(units[i]) && i+1 < len(units) && isLow(units[i+1]) {
			i++
			r = pair(units[i-1], units[i])
		}
		out = append(out, r)
	}
	return out
}

func isHigh(u uint16) bool { return u >= 0xd800 && u < 0xdc00 }
func isLow(u uint16) bool  { return u >= 0xdc00 && u < 0xe000 }

func pair(high, low uint16) rune {
	return (rune(high)-0xd800)<<10 + (rune(low) - 0xdc00) + 0x10000
}
