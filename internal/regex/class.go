package regex

import "slices"

// class is what a character class matches: characters, and with the flag v also
// strings of several characters, or none.
type class struct {
	set     set
	strings []string
}

// node makes the node that matches a class, the longest strings first.
func (c class) node(f Flags) *node {
	s := c.set
	if f.IgnoreCase {
		s = s.closed(f.whole())
	}
	n := &node{kind: kindSet, set: s}
	if len(c.strings) == 0 {
		return n
	}
	list := slices.Clone(c.strings)
	slices.SortStableFunc(list, func(a, b string) int { return len([]rune(b)) - len([]rune(a)) })
	alt := &node{kind: kindAlt}
	for _, text := range list {
		if text == "" {
			continue
		}
		seq := &node{kind: kindSeq}
		for _, r := range text {
			seq.kids = append(seq.kids, &node{kind: kindChar, r: r})
		}
		alt.kids = append(alt.kids, seq)
	}
	alt.kids = append(alt.kids, n)
	if slices.Contains(list, "") {
		alt.kids = append(alt.kids, &node{kind: kindEmpty})
	}
	return alt
}

// class reads what follows an opening bracket.
func (p *parser) class() *node {
	if p.flags.Sets {
		return p.setClass().node(p.flags)
	}
	negative := p.eat('^')
	var spans []span
	for !p.eat(']') {
		if p.peek() == none {
			p.fault("Unterminated character class")
		}
		spans = append(spans, p.classRange()...)
	}
	s := setOf(spans...)
	if p.flags.IgnoreCase {
		s = s.closed(p.flags.whole())
	}
	if negative {
		s = s.complement()
	}
	return &node{kind: kindSet, set: s}
}

// classRange reads one character, one escape, or a range of characters.
func (p *parser) classRange() []span {
	lo, isSet := p.classAtom()
	if p.peek() != '-' || p.peekAt(1) == ']' || p.peekAt(1) == none {
		return lo
	}
	p.pos++
	hi, alsoSet := p.classAtom()
	if isSet || alsoSet {
		if p.flags.whole() {
			p.fault("Invalid character class")
		}
		return slices.Concat(lo, hi, []span{{'-', '-'}})
	}
	if lo[0].lo > hi[0].lo {
		p.fault("Range out of order in character class")
	}
	return []span{{lo[0].lo, hi[0].lo}}
}

func (p *parser) classAtom() (spans []span, isSet bool) {
	c := p.peek()
	if c == none {
		p.fault("Unterminated character class")
	}
	p.pos++
	if c != '\\' {
		return []span{{c, c}}, false
	}
	switch p.peek() {
	case none:
		p.fault(`\ at end of pattern`)
	case 'b':
		p.pos++
		return []span{{'\b', '\b'}}, false
	}
	if s, ok := p.classEscape(); ok {
		return s.set, true
	}
	r := p.charEscape(true)
	return []span{{r, r}}, false
}
