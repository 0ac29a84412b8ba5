package regex

import "errors"

// ErrTooLarge says that a match needs more memory than it may have.
var ErrTooLarge = errors.New("the match of a regular expression needs too much memory")

const (
	maxChoices = 4 << 20 // of a match; one takes 32 bytes
	stopEvery  = 1 << 12 // steps between two questions
)

// Stop is asked every few thousand steps; an error of it ends the match.
type Stop func() error

// choice is where the matcher goes when it is stuck. With run set it gives back
// one character of a greedy repeat, down to least.
type choice struct {
	pc, pos, least int32
	trail          int32
	run            bool
	back           bool
}

// undo is a register as it was.
type undo struct{ reg, old int32 }

type machine struct {
	re      *Regexp
	text    []uint16
	regs    []int32
	choices []choice
	trail   []undo
	stop    Stop
	steps   int
	err     error
}

// Match tries to match at exactly one position. It gives two positions for each
// group, -1 where a group took no part, or nil for no match.
func (re *Regexp) Match(text []uint16, at int, stop Stop) ([]int, error) {
	m := re.machine(text, stop)
	return m.try(at)
}

// Find gives the first match that begins at or behind from.
func (re *Regexp) Find(text []uint16, from int, stop Stop) ([]int, error) {
	m := re.machine(text, stop)
	for at := from; at <= len(text); at++ {
		if re.flags.whole() && at > from && at < len(text) && isLow(text[at]) && isHigh(text[at-1]) {
			continue // the middle of a character
		}
		if loc, err := m.try(at); loc != nil || err != nil {
			return loc, err
		}
	}
	return nil, nil
}

func (re *Regexp) machine(text []uint16, stop Stop) *machine {
	return &machine{re: re, text: text, stop: stop, regs: make([]int32, re.regs)}
}

func (m *machine) try(at int) ([]int, error) {
	for i := range m.regs {
		m.regs[i] = -1
	}
	m.choices, m.trail = m.choices[:0], m.trail[:0]
	_, ok := m.run(0, int32(at))
	if m.err != nil || !ok {
		return nil, m.err
	}
	loc := make([]int, 2*(m.re.Captures+1))
	for i := range loc {
		loc[i] = int(m.regs[i])
	}
	for i := 0; i < len(loc); i += 2 {
		if loc[i] < 0 || loc[i+1] < 0 {
			loc[i], loc[i+1] = -1, -1
		}
	}
	return loc, nil
}

func (m *machine) set(reg int, v int32) {
	if m.regs[reg] != v {
		m.trail = append(m.trail, undo{int32(reg), m.regs[reg]})
		m.regs[reg] = v
	}
}

func (m *machine) push(c choice) {
	c.trail = int32(len(m.trail))
	m.choices = append(m.choices, c)
	if len(m.choices) > maxChoices || len(m.trail) > 2*maxChoices {
		m.err = ErrTooLarge
	}
}

func (m *machine) rewind(to int32) {
	for i := len(m.trail) - 1; i >= int(to); i-- {
		m.regs[m.trail[i].reg] = m.trail[i].old
	}
	m.trail = m.trail[:to]
}

// retry takes up the last choice above base.
func (m *machine) retry(base int) (pc, pos int32, ok bool) {
	n := len(m.choices) - 1
	if n < base {
		return 0, 0, false
	}
	c := &m.choices[n]
	m.rewind(c.trail)
	if !c.run {
		pc, pos = c.pc, c.pos
		m.choices = m.choices[:n]
		return pc, pos, true
	}
	c.pos = m.stepBack(c.pos, c.back)
	pc, pos = c.pc, c.pos
	if c.pos == c.least {
		m.choices = m.choices[:n]
	}
	return pc, pos, true
}

// stepBack undoes one character of a repeat.
func (m *machine) stepBack(pos int32, back bool) int32 {
	if back {
		_, next, _ := m.read(pos, false)
		return next
	}
	_, next, _ := m.read(pos, true)
	return next
}

// read is the character behind a position, or before it, and the position on its
// other side.
func (m *machine) read(pos int32, back bool) (rune, int32, bool) {
	if back {
		if pos == 0 {
			return 0, pos, false
		}
		u := m.text[pos-1]
		if m.re.flags.whole() && isLow(u) && pos > 1 && isHigh(m.text[pos-2]) {
			return pair(m.text[pos-2], u), pos - 2, true
		}
		return rune(u), pos - 1, true
	}
	if int(pos) >= len(m.text) {
		return 0, pos, false
	}
	u := m.text[pos]
	if m.re.flags.whole() && isHigh(u) && int(pos)+1 < len(m.text) && isLow(m.text[pos+1]) {
		return pair(u, m.text[pos+1]), pos + 2, true
	}
	return rune(u), pos + 1, true
}

// one matches an instruction for one character.
func (m *machine) one(i *inst, pos int32) (int32, bool) {
	r, next, ok := m.read(pos, i.back)
	if !ok {
		return pos, false
	}
	if i.op == opChar {
		return next, r == i.r
	}
	return next, m.re.sets[i.a].has(r)
}

// run goes on from pc until the program or the assertion around it ends.
func (m *machine) run(pc, pos int32) (int32, bool) {
	base := len(m.choices)
	for m.err == nil {
		if m.steps++; m.steps%stopEvery == 0 && m.stop != nil {
			if m.err = m.stop(); m.err != nil {
				break
			}
		}
		i := &m.re.prog[pc]
		if i.op == opMatch {
			m.choices = m.choices[:base]
			return pos, true
		}
		var ok bool
		if pc, pos, ok = m.step(i, pc, pos); ok {
			continue
		}
		if pc, pos, ok = m.retry(base); !ok {
			return 0, false
		}
	}
	return 0, false
}

// step executes one instruction.
func (m *machine) step(i *inst, pc, pos int32) (int32, int32, bool) {
	switch i.op {
	case opChar, opSet:
		next, ok := m.one(i, pos)
		return pc + 1, next, ok
	case opStart, opEnd, opWord, opNotWord:
		return pc + 1, pos, m.asserts(i.op, pos)
	case opSave:
		m.set(i.a, pos)
	case opClear:
		for reg := i.a; reg < i.b; reg++ {
			m.set(reg, -1)
		}
	case opZero:
		m.set(i.a, 0)
	case opSplit:
		m.push(choice{pc: int32(i.b), pos: pos})
		return int32(i.a), pos, true
	case opJump:
		return int32(i.a), pos, true
	case opLoop:
		return m.loop(i, pc, pos)
	case opNext:
		head := &m.re.prog[i.a]
		turns := m.regs[head.count]
		if int(turns) >= head.min && m.regs[head.count+1] == pos {
			return pc, pos, false // a turn that took nothing
		}
		m.set(head.count, turns+1)
		return int32(i.a), pos, true
	case opRun:
		return m.greedy(i, pc, pos)
	case opRef:
		next, ok := m.refer(i, pos)
		return pc + 1, next, ok
	case opLook:
		return int32(i.a), pos, m.look(i, pc, pos)
	case opMatch:
	}
	return pc + 1, pos, true
}

func (m *machine) loop(i *inst, pc, pos int32) (int32, int32, bool) {
	turns := int(m.regs[i.count])
	switch {
	case turns < i.min:
		return pc + 1, pos, true
	case i.max >= 0 && turns >= i.max:
		return int32(i.a), pos, true
	case i.lazy:
		m.push(choice{pc: pc + 1, pos: pos})
		return int32(i.a), pos, true
	}
	m.push(choice{pc: int32(i.a), pos: pos})
	return pc + 1, pos, true
}

// greedy takes as many characters as it can at once.
func (m *machine) greedy(i *inst, pc, pos int32) (int32, int32, bool) {
	body := &m.re.prog[pc+1]
	n, least := 0, pos
	for i.max < 0 || n < i.max {
		next, ok := m.one(body, pos)
		if !ok {
			break
		}
		pos = next
		if n++; n == i.min {
			least = pos
		}
		if m.steps++; m.steps%stopEvery == 0 && m.stop != nil {
			if m.err = m.stop(); m.err != nil {
				return pc, pos, false
			}
		}
	}
	if n < i.min {
		return pc, pos, false
	}
	if n > i.min {
		m.push(choice{pc: pc + 2, pos: pos, least: least, run: true, back: i.back})
	}
	return pc + 2, pos, true
}

// look runs an assertion. What it captured stays, its choices do not.
func (m *machine) look(i *inst, pc, pos int32) bool {
	before := int32(len(m.trail))
	_, ok := m.run(pc+1, pos)
	if m.err != nil {
		return false
	}
	if i.negative || !ok {
		m.rewind(before)
	}
	return ok != i.negative
}

func (m *machine) asserts(op opcode, pos int32) bool {
	switch op {
	case opStart:
		return pos == 0 || m.re.flags.Multiline && lineEnds.has(rune(m.text[pos-1]))
	case opEnd:
		return int(pos) == len(m.text) || m.re.flags.Multiline && lineEnds.has(rune(m.text[pos]))
	}
	return (m.isWord(pos-1) != m.isWord(pos)) == (op == opWord)
}

func (m *machine) isWord(pos int32) bool {
	if pos < 0 || int(pos) >= len(m.text) {
		return false
	}
	if m.re.flags.IgnoreCase && m.re.flags.whole() {
		return foldedWords.has(rune(m.text[pos]))
	}
	return words.has(rune(m.text[pos]))
}

// refer matches what a group captured once more. A group that took no part
// matches nothing, anywhere.
func (m *machine) refer(i *inst, pos int32) (int32, bool) {
	var from, to int32 = -1, -1
	for _, n := range i.refs {
		if a, b := m.regs[2*n], m.regs[2*n+1]; a >= 0 && b >= 0 {
			from, to = a, b
		}
	}
	if from < 0 {
		return pos, true
	}
	at := from
	if i.back {
		at = to
	}
	for at != from && i.back || at != to && !i.back {
		want, next, _ := m.read(at, i.back)
		got, after, ok := m.read(pos, i.back)
		if !ok || got != want && !m.equal(got, want) {
			return pos, false
		}
		at, pos = next, after
	}
	return pos, true
}

func (m *machine) equal(a, b rune) bool {
	whole := m.re.flags.whole()
	return m.re.flags.IgnoreCase && canonical(a, whole) == canonical(b, whole)
}
