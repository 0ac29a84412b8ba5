package regex

type opcode uint8

const (
	opChar  opcode = iota // one character that equals r
	opSet                 // one character of sets[a]
	opStart               // assertions
	opEnd
	opWord
	opNotWord
	opSave  // register a = position
	opClear // registers a to b are unset
	opZero  // register a = 0
	opSplit // try a, then b
	opJump  // to a
	opLoop  // head of a counted loop
	opNext  // end of a turn of the loop whose head is a
	opRun   // greedy repeat of the one-character instruction behind it
	opRef
	opLook  // the assertion ends before a
	opMatch // also ends an assertion
)

// inst is one instruction. back says that the matcher walks towards the
// beginning there, as look-behind does.
type inst struct {
	op       opcode
	back     bool
	lazy     bool
	negative bool
	r        rune
	a, b     int
	min, max int
	count    int // register of the counter; the one behind holds where the turn began
	refs     []int
}

// compiler turns the tree into a program.
type compiler struct{ re *Regexp }

func (c *compiler) emit(i inst) int {
	c.re.prog = append(c.re.prog, i)
	return len(c.re.prog) - 1
}

func (c *compiler) here() int { return len(c.re.prog) }

func (c *compiler) addSet(s set) int {
	c.re.sets = append(c.re.sets, s)
	return len(c.re.sets) - 1
}

func (c *compiler) node(n *node, back bool) {
	if c.here() > maxProgram {
		return // Compile refuses it
	}
	switch n.kind {
	case kindEmpty:
	case kindChar, kindAny, kindSet:
		c.emit(c.single(n, back))
	case kindStart:
		c.emit(inst{op: opStart})
	case kindEnd:
		c.emit(inst{op: opEnd})
	case kindWord:
		c.emit(inst{op: opWord})
	case kindNotWord:
		c.emit(inst{op: opNotWord})
	case kindSeq:
		for i := range n.kids {
			if back {
				i = len(n.kids) - 1 - i
			}
			c.node(n.kids[i], back)
		}
	case kindAlt:
		c.alternatives(n, back)
	case kindGroup:
		c.group(n, back)
	case kindRef:
		c.emit(inst{op: opRef, refs: n.refs, back: back})
	case kindLook:
		look := c.emit(inst{op: opLook, negative: n.negative})
		c.node(n.kids[0], n.behind)
		c.emit(inst{op: opMatch})
		c.re.prog[look].a = c.here()
	case kindRepeat:
		c.repeat(n, back)
	}
}

// single is the instruction for a node that is one character.
func (c *compiler) single(n *node, back bool) inst {
	switch {
	case n.kind == kindChar && !c.re.flags.IgnoreCase:
		return inst{op: opChar, r: n.r, back: back}
	case n.kind == kindChar:
		r := canonical(n.r, c.re.flags.whole())
		if class := foldingOf(c.re.flags.whole())[r]; len(class) > 0 {
			return inst{op: opSet, a: c.addSet(set{{n.r, n.r}}.closed(c.re.flags.whole())), back: back}
		}
		return inst{op: opChar, r: n.r, back: back}
	case n.kind == kindAny && c.re.flags.DotAll:
		return inst{op: opSet, a: c.addSet(set{{0, maxRune}}), back: back}
	case n.kind == kindAny:
		return inst{op: opSet, a: c.addSet(lineEnds.complement()), back: back}
	}
	return inst{op: opSet, a: c.addSet(n.set), back: back}
}

func (c *compiler) alternatives(n *node, back bool) {
	var ends []int
	for i, kid := range n.kids {
		if i == len(n.kids)-1 {
			c.node(kid, back)
			break
		}
		split := c.emit(inst{op: opSplit})
		c.re.prog[split].a = c.here()
		c.node(kid, back)
		ends = append(ends, c.emit(inst{op: opJump}))
		c.re.prog[split].b = c.here()
	}
	for _, at := range ends {
		c.re.prog[at].a = c.here()
	}
}

func (c *compiler) group(n *node, back bool) {
	if n.n == 0 {
		c.node(n.kids[0], back)
		return
	}
	first, last := 2*n.n, 2*n.n+1
	if back {
		first, last = last, first
	}
	c.emit(inst{op: opSave, a: first})
	c.node(n.kids[0], back)
	c.emit(inst{op: opSave, a: last})
}

func (c *compiler) repeat(n *node, back bool) {
	if n.max == 0 {
		return
	}
	if kid := n.kids[0]; kid.kind == kindChar || kid.kind == kindAny || kid.kind == kindSet {
		if !n.lazy {
			c.emit(inst{op: opRun, min: n.min, max: n.max, back: back})
			c.emit(c.single(kid, back))
			return
		}
	}
	count := c.re.regs
	c.re.regs += 2
	c.emit(inst{op: opZero, a: count})
	head := c.emit(inst{op: opLoop, count: count, min: n.min, max: n.max, lazy: n.lazy})
	c.emit(inst{op: opSave, a: count + 1})
	if n.to > n.from {
		c.emit(inst{op: opClear, a: 2 * n.from, b: 2 * n.to})
	}
	c.node(n.kids[0], back)
	c.emit(inst{op: opNext, a: head})
	c.re.prog[head].a = c.here()
}
