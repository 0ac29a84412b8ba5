package regex

import "unicode"

const maxDepth = 250 // of groups in groups

// parser reads a pattern by recursive descent, over units, or over code points
// where the flags say so.
type parser struct {
	src   []rune
	pos   int
	flags Flags
	depth int

	captures int // seen so far
	total    int // in the whole pattern
	named    bool
	groups   []Group
	refs     []*node // by name, resolved at the end
}

const none rune = -1

func (p *parser) peek() rune { return p.peekAt(0) }

func (p *parser) peekAt(n int) rune {
	if p.pos+n >= len(p.src) {
		return none
	}
	return p.src[p.pos+n]
}

func (p *parser) eat(r rune) bool {
	if p.peek() == r {
		p.pos++
		return true
	}
	return false
}

func (p *parser) eatText(s string) bool {
	for i, r := range s {
		if p.peekAt(i) != r {
			return false
		}
	}
	p.pos += len(s)
	return true
}

// fault carries a SyntaxError up to parse.
func (p *parser) fault(reason string) { panic(&SyntaxError{reason}) }

func (p *parser) parse() (tree *node, err error) {
	defer func() {
		if x := recover(); x != nil {
			fault, ok := x.(*SyntaxError)
			if !ok {
				panic(x)
			}
			tree, err = nil, fault
		}
	}()
	p.survey()
	tree = p.alternatives()
	if p.peek() == ')' {
		p.fault("Unmatched ')'")
	}
	for _, ref := range p.refs {
		for _, g := range p.groups {
			if g.Name == ref.name {
				ref.refs = append(ref.refs, g.Index)
			}
		}
		if len(ref.refs) == 0 {
			p.fault("Invalid named capture referenced")
		}
	}
	return tree, nil
}

// survey counts the groups: what \5 and \k mean depends on all of them.
func (p *parser) survey() {
	inClass := 0
	for i := 0; i < len(p.src); i++ {
		switch c := p.src[i]; {
		case c == '\\':
			i++
		case c == '[' && (inClass == 0 || p.flags.Sets):
			inClass++
		case c == ']' && inClass > 0:
			inClass--
		case c == '(' && inClass == 0:
			p.surveyGroup(i)
		}
	}
}

func (p *parser) surveyGroup(i int) {
	if i+1 >= len(p.src) || p.src[i+1] != '?' {
		p.total++
		return
	}
	if i+3 < len(p.src) && p.src[i+2] == '<' && p.src[i+3] != '=' && p.src[i+3] != '!' {
		p.total++
		p.named = true
	}
}

func (p *parser) alternatives() *node {
	if p.depth++; p.depth > maxDepth {
		p.fault("Regular expression too large")
	}
	defer func() { p.depth-- }()
	kids := []*node{p.sequence()}
	for p.eat('|') {
		kids = append(kids, p.sequence())
	}
	if len(kids) == 1 {
		return kids[0]
	}
	return &node{kind: kindAlt, kids: kids}
}

func (p *parser) sequence() *node {
	seq := &node{kind: kindSeq}
	for {
		switch p.peek() {
		case none, '|', ')':
			return seq
		}
		seq.kids = append(seq.kids, p.term())
	}
}

func (p *parser) term() *node {
	from := p.captures + 1
	n := p.assertion()
	if n == nil {
		n = p.atom()
	} else if n.kind != kindLook {
		if p.quantifierHere() {
			p.fault("Nothing to repeat")
		}
		return n
	} else if n.behind || p.flags.whole() {
		if p.quantifierHere() {
			p.fault("Invalid quantifier")
		}
		return n
	}
	return p.quantified(n, from)
}

func (p *parser) assertion() *node {
	switch {
	case p.eat('^'):
		return &node{kind: kindStart}
	case p.eat('$'):
		return &node{kind: kindEnd}
	case p.eatText(`\b`):
		return &node{kind: kindWord}
	case p.eatText(`\B`):
		return &node{kind: kindNotWord}
	case p.eatText("(?="):
		return p.look(false, false)
	case p.eatText("(?!"):
		return p.look(false, true)
	case p.eatText("(?<="):
		return p.look(true, false)
	case p.eatText("(?<!"):
		return p.look(true, true)
	}
	return nil
}

func (p *parser) look(behind, negative bool) *node {
	n := &node{kind: kindLook, behind: behind, negative: negative, kids: []*node{p.alternatives()}}
	if !p.eat(')') {
		p.fault("Unterminated group")
	}
	return n
}

// quantifierHere tells whether a quantifier stands here.
func (p *parser) quantifierHere() bool {
	switch p.peek() {
	case '*', '+', '?':
		return true
	case '{':
		at := p.pos
		_, _, ok := p.braces()
		p.pos = at
		return ok
	}
	return false
}

func (p *parser) quantified(n *node, from int) *node {
	lo, hi := 0, -1
	switch {
	case p.eat('*'):
	case p.eat('+'):
		lo = 1
	case p.eat('?'):
		hi = 1
	case p.peek() == '{':
		var ok bool
		if lo, hi, ok = p.braces(); !ok {
			if p.flags.whole() {
				p.fault("Incomplete quantifier")
			}
			return n
		}
	default:
		return n
	}
	if hi >= 0 && lo > hi {
		p.fault("numbers out of order in {} quantifier")
	}
	return &node{kind: kindRepeat, kids: []*node{n}, min: lo, max: hi, lazy: p.eat('?'), from: from, to: p.captures + 1}
}

// braces reads {n}, {n,} or {n,m}, or nothing.
func (p *parser) braces() (lo, hi int, ok bool) {
	at := p.pos
	p.pos++
	lo, ok = p.number()
	hi = lo
	if ok && p.eat(',') {
		if hi, ok = p.number(); !ok {
			hi, ok = -1, true
		}
	}
	if !ok || !p.eat('}') {
		p.pos = at
		return 0, 0, false
	}
	return lo, hi, true
}

const mostRepeats = 1 << 30

func (p *parser) number() (int, bool) {
	n, any := 0, false
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		n, any = min(n*10+int(c-'0'), mostRepeats), true
		p.pos++
	}
	return n, any
}

func (p *parser) atom() *node {
	c := p.peek()
	switch c {
	case '.':
		p.pos++
		return &node{kind: kindAny}
	case '(':
		p.pos++
		return p.group()
	case '[':
		p.pos++
		return p.class()
	case '\\':
		p.pos++
		return p.escape()
	case '*', '+', '?':
		p.fault("Nothing to repeat")
	case '{':
		if p.flags.whole() || p.quantifierHere() {
			p.fault("Nothing to repeat")
		}
	case ']', '}':
		if p.flags.whole() {
			p.fault("Lone quantifier brackets")
		}
	}
	p.pos++
	return &node{kind: kindChar, r: c}
}

func (p *parser) group() *node {
	n := &node{kind: kindGroup}
	switch {
	case p.eatText("?:"):
	case p.peek() == '?' && p.peekAt(1) == '<':
		p.pos += 2
		p.captures++
		n.n = p.captures
		name := p.groupName("Invalid capture group name")
		for _, g := range p.groups {
			if g.Name == name {
				p.fault("Duplicate capture group name")
			}
		}
		p.groups = append(p.groups, Group{Name: name, Index: n.n})
	case p.peek() == '?':
		p.fault("Invalid group")
	default:
		p.captures++
		n.n = p.captures
	}
	n.kids = []*node{p.alternatives()}
	if !p.eat(')') {
		p.fault("Unterminated group")
	}
	return n
}

// groupName reads up to the closing angle bracket.
func (p *parser) groupName(reason string) string {
	var name []rune
	for !p.eat('>') {
		c := p.peek()
		if c == none {
			p.fault(reason)
		}
		p.pos++
		if c == '\\' {
			if !p.eat('u') {
				p.fault("Invalid Unicode escape")
			}
			var ok bool
			if c, ok = p.unicodeEscape(true); !ok {
				p.fault("Invalid Unicode escape")
			}
		} else if c < 0x10000 && isHigh(uint16(c)) && p.peek() != none && isLow(uint16(p.peek())) {
			c = pair(uint16(c), uint16(p.peek()))
			p.pos++
		}
		if !isNameRune(c, len(name) == 0) {
			p.fault(reason)
		}
		name = append(name, c)
	}
	if len(name) == 0 {
		p.fault(reason)
	}
	return string(name)
}

func isNameRune(c rune, first bool) bool {
	if c == '$' || c == '_' || unicode.IsLetter(c) || unicode.Is(unicode.Nl, c) || unicode.Is(unicode.Other_ID_Start, c) {
		return true
	}
	return !first && (unicode.In(c, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue) || c == 0x200c || c == 0x200d)
}
