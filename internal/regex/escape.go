package regex

import "strings"

// escape reads what stands behind a backslash outside of classes.
func (p *parser) escape() *node {
	c := p.peek()
	switch {
	case c == none:
		p.fault(`\ at end of pattern`)
	case c == 'k' && (p.flags.whole() || p.named):
		p.pos++
		return p.namedRef()
	case '1' <= c && c <= '9':
		if n := p.backRef(); n != nil {
			return n
		}
	}
	if s, ok := p.classEscape(); ok {
		return p.setNode(s)
	}
	return &node{kind: kindChar, r: p.charEscape(false)}
}

func (p *parser) namedRef() *node {
	if !p.eat('<') {
		p.fault("Invalid named reference")
	}
	n := &node{kind: kindRef, name: p.groupName("Invalid named reference")}
	p.refs = append(p.refs, n)
	return n
}

// backRef reads a number that is one of a group. Without the flags u and v any
// other number is an octal escape, or the digit itself.
func (p *parser) backRef() *node {
	at := p.pos
	n, _ := p.number()
	if n <= p.total {
		return &node{kind: kindRef, refs: []int{n}}
	}
	if p.flags.whole() {
		p.fault("Invalid escape")
	}
	p.pos = at
	return nil
}

// setNode is a node for a set that was named by an escape.
func (p *parser) setNode(c class) *node {
	return c.node(p.flags)
}

// classEscape reads \d, \p{…} and their kin.
func (p *parser) classEscape() (class, bool) {
	c := p.peek()
	var s set
	switch c {
	case 'd', 'D':
		s = digits
	case 's', 'S':
		s = spaces
	case 'w', 'W':
		s = words
		if p.flags.IgnoreCase && p.flags.whole() {
			s = foldedWords
		}
	case 'p', 'P':
		if !p.flags.whole() {
			return class{}, false
		}
		p.pos++
		return p.property(c == 'P'), true
	default:
		return class{}, false
	}
	p.pos++
	if p.flags.Sets && p.flags.IgnoreCase {
		s = s.folded()
	}
	if c < 'a' {
		s = p.inverse(s)
	}
	return class{set: s}, true
}

// inverse is the complement of a set. With v and i sets hold one character for all
// that are equal, and so does the complement.
func (p *parser) inverse(s set) set {
	if p.flags.Sets && p.flags.IgnoreCase {
		return set{{0, maxRune}}.folded().minus(s)
	}
	return s.complement()
}

// charEscape reads an escape that means one character.
func (p *parser) charEscape(inClass bool) rune {
	c := p.peek()
	p.pos++
	switch c {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'v':
		return '\v'
	case 'f':
		return '\f'
	case 'r':
		return '\r'
	case 'c':
		return p.control(inClass)
	case 'x':
		if n, ok := p.hex(2); ok {
			return n
		}
		if p.flags.whole() {
			p.fault("Invalid escape")
		}
		return 'x'
	case 'u':
		if r, ok := p.unicodeEscape(p.flags.whole()); ok {
			return r
		}
		if p.flags.whole() {
			p.fault("Invalid Unicode escape")
		}
		return 'u'
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return p.octal(c, inClass)
	}
	return p.identity(c, inClass)
}

// identity is an escaped character that means itself.
func (p *parser) identity(c rune, inClass bool) rune {
	if !p.flags.whole() {
		if c == 'k' && p.named {
			p.fault("Invalid named reference")
		}
		return c
	}
	if c < 0x80 && strings.ContainsRune(`^$\.*+?()[]{}|/`, c) || inClass && c == '-' {
		return c
	}
	if inClass && p.flags.Sets && c < 0x80 && strings.ContainsRune("&-!#%,:;<=>@`~", c) {
		return c
	}
	p.fault("Invalid escape")
	return 0
}

func (p *parser) control(inClass bool) rune {
	c := p.peek()
	if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
		p.pos++
		return c % 32
	}
	if p.flags.whole() {
		p.fault("Invalid Unicode escape")
	}
	if inClass && ('0' <= c && c <= '9' || c == '_') {
		p.pos++
		return c % 32
	}
	p.pos-- // the backslash means itself, and the c is read again
	return '\\'
}

func (p *parser) octal(c rune, inClass bool) rune {
	next := p.peek()
	if p.flags.whole() {
		if c == '0' && !('0' <= next && next <= '9') {
			return 0
		}
		if inClass {
			p.fault("Invalid class escape")
		}
		p.fault("Invalid decimal escape")
	}
	n := c - '0'
	for range 2 {
		d := p.peek()
		if d < '0' || d > '7' || n*8+d-'0' > 0xff {
			break
		}
		n = n*8 + d - '0'
		p.pos++
	}
	return n
}

func (p *parser) hex(n int) (rune, bool) {
	var v rune
	for i := range n {
		d := hexDigit(p.peekAt(i))
		if d < 0 {
			return 0, false
		}
		v = v*16 + d
	}
	p.pos += n
	return v, true
}

func hexDigit(c rune) rune {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return -1
}

// unicodeEscape reads what follows \u. With whole set that may be a pair of
// surrogates, or a number in braces.
func (p *parser) unicodeEscape(whole bool) (rune, bool) {
	if whole && p.peek() == '{' {
		at := p.pos
		p.pos++
		var v rune
		any := false
		for d := hexDigit(p.peek()); d >= 0 && v <= maxRune; d = hexDigit(p.peek()) {
			v, any = v*16+d, true
			p.pos++
		}
		if any && v <= maxRune && p.eat('}') {
			return v, true
		}
		p.pos = at
		return 0, false
	}
	r, ok := p.hex(4)
	if !ok || !whole || r > 0xffff || !isHigh(uint16(r)) {
		return r, ok
	}
	at := p.pos
	if p.eatText(`\u`) {
		if low, ok := p.hex(4); ok && isLow(uint16(low)) {
			return pair(uint16(r), uint16(low)), true
		}
	}
	p.pos = at
	return r, true
}
