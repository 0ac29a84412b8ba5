package sim

import (
	"strconv"
	"strings"

	"github.com/dsh-go/dsh-workflow/llm"
)

// conversation is what the model understood of a request.
type conversation struct {
	turns   []Turn
	prompt  string // the newest text of a person or a program, not of instructions
	replies int    // assistant turns so far
	capture int    // index of the structured-output tool in the request, -1 without
	settled bool   // the structured-output tool has taken a value since the prompt
}

func understand(req llm.Request) conversation {
	c := conversation{capture: -1, turns: make([]Turn, 0, len(req.Messages))}
	for i, t := range req.Tools {
		if t.Name == CaptureName || (c.capture < 0 && IsCapture(t.Name)) {
			c.capture = i
		}
	}
	capturing := make(map[string]bool)
	for _, msg := range req.Messages {
		c.read(msg, capturing)
	}
	return c
}

func (c *conversation) read(msg llm.Message, capturing map[string]bool) {
	var text string
	isResult := false
	for _, b := range msg.Content {
		switch b := b.(type) {
		case llm.Text:
			text += b.Text
		case llm.ToolCall:
			capturing[b.ID] = IsCapture(b.Name)
		case llm.ToolResult:
			isResult = true
			c.settled = c.settled || (capturing[b.ToolCallID] && !b.IsError)
		case llm.Reasoning, llm.Unknown:
		}
	}
	switch {
	case msg.Role == llm.RoleAssistant:
		c.replies++
		c.turns = append(c.turns, Turn{Role: string(llm.RoleAssistant)})
	case isResult:
		c.turns = append(c.turns, Turn{Role: "tool"})
	case msg.Source.Kind == llm.SourceInstructions:
		// Instruction files may explain the notation of scripts.
		c.turns = append(c.turns, Turn{Role: "instructions"})
	default:
		c.turns = append(c.turns, Turn{Role: string(llm.RoleUser), Text: text})
		if strings.TrimSpace(text) != "" {
			c.prompt, c.settled = text, false
		}
	}
}

// seed is the number from which everything made up for this turn is derived.
func (c *conversation) seed(seed uint64) uint64 {
	return hashOf(strconv.FormatUint(seed, 16), c.prompt, strconv.Itoa(c.replies))
}

// measure sizes a request in the order in which providers cache it: tools,
// system text, messages. Ids that the provider never sees do not count.
func measure(req llm.Request) *Meter {
	m := new(Meter)
	add := func(parts ...string) {
		for _, p := range parts {
			m.WriteString(p)
		}
	}
	for _, t := range req.Tools {
		add(`{"name":"`, t.Name, `","description":"`, t.Description, `","parameters":`)
		m.Write(t.Parameters)
		add(`},`)
	}
	add(`{"system":"`, req.System, `"}`)
	for _, msg := range req.Messages {
		add(`,{"role":"`, string(msg.Role), `"`)
		measureBlocks(add, msg.Content)
		add(`}`)
	}
	return m
}

func measureBlocks(add func(...string), blocks []llm.Block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case llm.Text:
			add(`,"text":"`, b.Text, `"`)
		case llm.Reasoning:
			add(`,"reasoning":"`, b.Text, `"`)
		case llm.ToolCall:
			add(`,"call":{"id":"`, b.ID, `","name":"`, b.Name, `","arguments":"`, b.Arguments, `"}`)
		case llm.ToolResult:
			add(`,"result":{"id":"`, b.ToolCallID, `"`)
			measureBlocks(add, b.Content)
			add(`}`)
		case llm.Unknown: // never encoded
		}
	}
}

// textOf is all that is said in a request, oldest first.
func textOf(req llm.Request) string {
	var out strings.Builder
	out.WriteString(req.System)
	var add func([]llm.Block)
	add = func(blocks []llm.Block) {
		for _, b := range blocks {
			out.WriteByte('\n')
			switch b := b.(type) {
			case llm.Text:
				out.WriteString(b.Text)
			case llm.Reasoning:
				out.WriteString(b.Text)
			case llm.ToolCall:
				out.WriteString(b.Arguments)
			case llm.ToolResult:
				add(b.Content)
			case llm.Unknown:
			}
		}
	}
	for _, m := range req.Messages {
		add(m.Content)
	}
	return out.String()
}
