package llm

import "unicode/utf16"

// EstimateText returns about how many tokens a text has: a quarter of its
// UTF-16 length, rounded up.
func EstimateText(s string) int {
	units := 0
	for _, r := range s {
		units += max(utf16.RuneLen(r), 1)
	}
	return (units + 3) / 4
}

// EstimateBlock returns about how many tokens a block has.
func EstimateBlock(b Block) int {
	const frame = 4
	switch b := b.(type) {
	case Text:
		return EstimateText(b.Text) + frame
	case Reasoning:
		return EstimateText(b.Text) + frame
	case ToolCall:
		return EstimateText(b.Name) + EstimateText(b.Arguments) + frame
	case ToolResult:
		sum := frame
		for _, c := range b.Content {
			sum += EstimateBlock(c)
		}
		return sum
	case Unknown:
		return EstimateText(string(b.Raw)) + frame
	}
	return 0
}

// EstimateMessage returns about how many tokens a message has.
func EstimateMessage(m Message) int {
	sum := 4
	for _, b := range m.Content {
		sum += EstimateBlock(b)
	}
	return sum
}

// EstimateRequest returns about how many tokens a request has: its system
// text, its tools and its messages.
func EstimateRequest(r Request) int {
	sum := 0
	if r.System != "" {
		sum += EstimateText(r.System) + 4
	}
	if len(r.Tools) > 0 {
		sum += EstimateTools(r.Tools)
	}
	for _, m := range r.Messages {
		sum += EstimateMessage(m)
	}
	return sum
}

// EstimateTools returns about how many tokens a list of tools has.
func EstimateTools(tools []ToolSpec) int {
	units := 0
	for _, t := range tools {
		const punctuation = len(`{"name":"","description":"","parameters":},`)
		units += punctuation + len(t.Name) + 4*EstimateText(t.Description) + len(t.Parameters)
	}
	return (units+3)/4 + 4
}
