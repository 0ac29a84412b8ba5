package regex

import (
	"slices"
	"strings"
)

// setClass reads a class of the flag v: nested classes and strings, joined to a
// union, or by intersections, or by subtractions.
func (p *parser) setClass() class {
	if p.depth++; p.depth > maxDepth {
		p.fault("Regular expression too large")
	}
	defer func() { p.depth-- }()
	negative := p.eat('^')
	var all class
	if p.peek() != ']' {
		all = p.setOperand(true)
		if op := p.setOperator(); op != "" {
			all = p.setOperation(all, op)
		}
	}
	for !p.eat(']') {
		all = all.union(p.setOperand(true))
		if p.peek() == '-' || p.peek() == '&' && p.peekAt(1) == '&' {
			p.fault("Invalid set operation in character class")
		}
	}
	if negative {
		if len(all.strings) > 0 {
			p.fault("Negated character class may contain strings")
		}
		all.set = p.inverse(all.set)
	}
	return all
}

// setOperation reads on behind the first operator, up to the closing bracket.
func (p *parser) setOperation(all class, op string) class {
	for {
		if op == "&&" && p.peek() == '&' {
			p.fault("Invalid character in character class")
		}
		one := p.setOperand(false)
		if op == "&&" {
			all = all.intersect(one)
		} else {
			all = all.minus(one)
		}
		if p.peek() == ']' {
			return all
		}
		if p.setOperator() != op {
			p.fault("Invalid set operation in character class")
		}
	}
}

// setOperator eats an operator, if one stands here.
func (p *parser) setOperator() string {
	for _, op := range []string{"--", "&&"} {
		if p.eatText(op) {
			return op
		}
	}
	return ""
}

// setOperand reads a nested class, strings, an escape, a character, or, in a
// union, a range.
func (p *parser) setOperand(inUnion bool) class {
	switch {
	case p.peek() == none:
		p.fault("Unterminated character class")
	case p.eat('['):
		return p.setClass()
	case p.eatText(`\q{`):
		return p.quotedStrings()
	case p.peek() == '\\':
		p.pos++
		if c, ok := p.classEscape(); ok {
			return c
		}
		p.pos--
	}
	lo := p.setChar()
	if !inUnion || p.peek() != '-' || p.peekAt(1) == '-' {
		return class{set: p.fold(set{{lo, lo}})}
	}
	p.pos++
	hi := p.setChar()
	if lo > hi {
		p.fault("Range out of order in character class")
	}
	return class{set: p.fold(set{{lo, hi}})}
}

// fold reduces a set where case is ignored.
func (p *parser) fold(s set) set {
	if p.flags.IgnoreCase {
		return s.folded()
	}
	return s
}

func (p *parser) setChar() rune {
	c := p.peek()
	if c == none {
		p.fault("Unterminated character class")
	}
	p.pos++
	if c == '\\' {
		switch p.peek() {
		case none:
			p.fault(`\ at end of pattern`)
		case 'b':
			p.pos++
			return '\b'
		}
		return p.charEscape(true)
	}
	if c == p.peek() && c < 0x80 && strings.ContainsRune("&!#$%*+,.:;<=>?@^`~", c) {
		p.fault("Invalid set operation in character class")
	}
	if c < 0x80 && strings.ContainsRune("()[]{}/-|", c) {
		p.fault("Invalid character in character class")
	}
	return c
}

// quotedStrings reads the strings of \q{…}.
func (p *parser) quotedStrings() class {
	var all class
	var text []rune
	end := func() {
		if len(text) == 1 {
			all.set = all.set.union(p.fold(set{{text[0], text[0]}}))
		} else {
			all.strings = append(all.strings, string(text))
		}
		text = nil
	}
	for !p.eat('}') {
		if p.eat('|') {
			end()
			continue
		}
		if p.peek() == none {
			p.fault("Invalid escape")
		}
		r := p.setChar()
		if p.flags.IgnoreCase {
			r = canonical(r, true)
		}
		text = append(text, r)
	}
	end()
	return all
}

func (c class) union(o class) class {
	out := class{set: c.set.union(o.set), strings: slices.Clone(c.strings)}
	for _, s := range o.strings {
		if !slices.Contains(out.strings, s) {
			out.strings = append(out.strings, s)
		}
	}
	return out
}

func (c class) intersect(o class) class {
	out := class{set: c.set.intersect(o.set)}
	for _, s := range c.strings {
		if slices.Contains(o.strings, s) {
			out.strings = append(out.strings, s)
		}
	}
	return out
}

func (c class) minus(o class) class {
	out := class{set: c.set.minus(o.set)}
	for _, s := range c.strings {
		if !slices.Contains(o.strings, s) {
			out.strings = append(out.strings, s)
		}
	}
	return out
}
