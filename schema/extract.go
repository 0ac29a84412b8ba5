package schema

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Extract finds the answer in prose: the only JSON value in the text, fenced or
// bare, that satisfies the schema. Without one, or with two that differ, ok is
// false. Values inside other values are not looked at. The text costs time
// linear in its length.
func Extract(text string, s *Schema) (value json.RawMessage, ok bool) {
	for _, candidate := range candidates(text) {
		if !s.Valid(candidate) {
			continue
		}
		switch {
		case !ok:
			value, ok = slices.Clone(candidate), true
		case compact(value) != compact(candidate):
			return nil, false
		}
	}
	return value, ok
}

// candidates lists the values that start with a bracket, and scalars where they
// stand alone: as the whole text or as a whole fenced block.
func candidates(text string) []json.RawMessage {
	var all []json.RawMessage
	for _, block := range append(fences(text), text) {
		block = strings.TrimSpace(block)
		if block != "" && !strings.ContainsRune("{[", rune(block[0])) && json.Valid([]byte(block)) {
			all = append(all, json.RawMessage(block))
		}
	}
	budget := 64<<10 + 8*len(text)
	for i := 0; i < len(text) && budget > 0; {
		next := strings.IndexAny(text[i:], "{[")
		if next < 0 {
			break
		}
		i += next
		end, read := valueEnd(text[i:])
		budget -= read
		if end == 0 {
			i++
			continue
		}
		all = append(all, json.RawMessage(text[i:i+end]))
		i += end
	}
	return all
}

// valueEnd gives the length of the JSON value at the start of text, 0 when there
// is none, and how many bytes it took to know.
func valueEnd(text string) (end, read int) {
	dec := json.NewDecoder(strings.NewReader(text))
	var raw json.RawMessage
	err := dec.Decode(&raw)
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return int(dec.InputOffset()), int(dec.InputOffset())
	case errors.As(err, &syntax):
		return 0, int(syntax.Offset)
	}
	return 0, len(text)
}

// fences gives the contents of the fenced blocks of a Markdown text.
func fences(text string) []string {
	var blocks []string
	var block []string
	fence := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence == "" && strings.HasPrefix(trimmed, "```"), fence == "" && strings.HasPrefix(trimmed, "~~~"):
			fence, block = trimmed[:3], nil
		case fence != "" && strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "":
			blocks = append(blocks, strings.Join(block, ""))
			fence = ""
		case fence != "":
			block = append(block, line)
		}
	}
	return blocks
}

// Placeholder reports whether a value holds strings and each of them is one that
// stands for an answer that was never given, such as "..." or "TODO".
func Placeholder(value json.RawMessage) bool {
	n, err := parse(value)
	if err != nil {
		return false
	}
	all, empty := 0, 0
	n.strings(func(s string) {
		all++
		if isPlaceholder(s) {
			empty++
		}
	})
	return all > 0 && all == empty
}

func (n *node) strings(visit func(string)) {
	if n.kind == '"' {
		visit(n.text)
	}
	for _, item := range n.items {
		item.strings(visit)
	}
}

func isPlaceholder(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	for _, filler := range []string{".", "…", "x", "_", "?"} {
		if strings.Trim(s, filler) == "" && (filler == "…" && s != "" || len(s) >= 3) {
			return true
		}
	}
	if strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") && strings.Count(s, "<") == 1 {
		return true
	}
	s = strings.Trim(s, "[]{}().!*_ ")
	switch s {
	case "string", "todo", "tbd", "fixme", "placeholder", "to be determined", "to be filled", "fill in",
		"fill me in", "your answer", "your answer here", "insert text here", "lorem ipsum", "string value",
		"some string", "value here", "text here":
		return true
	}
	return false
}
