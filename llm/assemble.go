package llm

import (
	"slices"
	"strconv"
	"strings"
)

// Assembler builds the blocks of one answer from its chunks. The zero value is
// ready. It is not safe for use by several goroutines.
type Assembler struct {
	parts  map[int]*part
	usage  Usage
	counts bool
	finish *Finish
}

// part is a block that grows. The first delta decides what it is.
type part struct {
	kind     string
	id, name string
	text     strings.Builder
}

// Add takes the next chunk. Chunks after a [Finish] are ignored, and so is a
// delta whose kind differs from that of the block it names.
func (a *Assembler) Add(c Chunk) {
	if a.finish != nil {
		return
	}
	switch c := c.(type) {
	case TextDelta:
		a.grow(c.Index, tagText, c.Text)
	case ReasoningDelta:
		a.grow(c.Index, tagReasoning, c.Text)
	case ToolCallDelta:
		p := a.grow(c.Index, tagToolCall, c.Arguments)
		if p == nil {
			return
		}
		if p.id == "" {
			p.id = c.ID
		}
		if p.name == "" {
			p.name = c.Name
		}
	case UsageReport:
		a.usage, a.counts = c.Usage, true
	case Finish:
		a.finish = &c
	}
}

func (a *Assembler) grow(index int, kind, text string) *part {
	if a.parts == nil {
		a.parts = make(map[int]*part)
	}
	p := a.parts[index]
	if p == nil {
		p = &part{kind: kind}
		a.parts[index] = p
	}
	if p.kind != kind {
		return nil
	}
	p.text.WriteString(text)
	return p
}

// Blocks returns the blocks so far, ordered by index. Text and reasoning
// without a single character are left out; a tool call without an id is named
// call-<index>. An answer that ended with [FinishMaxTokens] has no tool calls,
// because the last one may have been cut.
func (a *Assembler) Blocks() []Block {
	cut := a.finish != nil && a.finish.Reason == FinishMaxTokens
	return a.collect(func(p *part) bool {
		if p.kind == tagToolCall {
			return !cut
		}
		return p.text.Len() > 0
	})
}

// InterruptedBlocks returns what can be kept of an answer that was broken off:
// text and reasoning that are not blank, and no tool calls.
func (a *Assembler) InterruptedBlocks() []Block {
	return a.collect(func(p *part) bool {
		return p.kind != tagToolCall && strings.TrimSpace(p.text.String()) != ""
	})
}

func (a *Assembler) collect(keep func(*part) bool) []Block {
	indices := make([]int, 0, len(a.parts))
	for i, p := range a.parts {
		if keep(p) {
			indices = append(indices, i)
		}
	}
	slices.Sort(indices)
	blocks := make([]Block, 0, len(indices))
	for _, i := range indices {
		blocks = append(blocks, a.parts[i].block(i))
	}
	return blocks
}

func (p *part) block(index int) Block {
	switch p.kind {
	case tagText:
		return Text{p.text.String()}
	case tagReasoning:
		return Reasoning{p.text.String()}
	}
	id := p.id
	if id == "" {
		id = "call-" + strconv.Itoa(index)
	}
	return ToolCall{ID: id, Name: p.name, Arguments: p.text.String()}
}

// Finish returns how the answer ended. An answer without a [Finish] counts as
// stopped.
func (a *Assembler) Finish() Finish {
	if a.finish == nil {
		return Finish{Reason: FinishStop}
	}
	return *a.finish
}

// Usage returns the last counters, and false if there were none.
func (a *Assembler) Usage() (Usage, bool) { return a.usage, a.counts }
