package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// node is one value of a JSON text, with its place in it. Members keep their
// order; of two with the same key the last one counts.
type node struct {
	kind       byte // '{', '[', '"', '0' for numbers, 't' for booleans, 'n' for null
	start, end int
	text       string // the string, the literal of a number, or true or false
	keys       []string
	items      []*node // values of keys, or elements
}

// parse reads one JSON text. Its error names the fault and the offset.
func parse(src []byte) (*node, error) {
	var whole json.RawMessage
	if err := json.Unmarshal(src, &whole); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("%w (at byte %d)", err, syntax.Offset)
		}
		return nil, err
	}
	p := &parser{src: src}
	return p.value(), nil
}

// parser reads text that encoding/json has found valid, and no deeper than its
// bound.
type parser struct {
	src []byte
	pos int
}

func (p *parser) space() {
	for p.pos < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *parser) value() *node {
	p.space()
	n := &node{kind: p.src[p.pos], start: p.pos}
	switch n.kind {
	case '{', '[':
		p.members(n)
	case '"':
		n.text = p.string()
	case 't', 'f', 'n':
		p.literal()
		n.text = string(p.src[n.start:p.pos])
		if n.kind == 'f' {
			n.kind = 't'
		}
	default:
		n.kind = '0'
		p.literal()
		n.text = string(p.src[n.start:p.pos])
	}
	n.end = p.pos
	return n
}

func (p *parser) members(n *node) {
	p.pos++
	var place map[string]int
	for {
		p.space()
		switch p.src[p.pos] {
		case '}', ']':
			p.pos++
			return
		case ',':
			p.pos++
			continue
		}
		if n.kind == '[' {
			n.items = append(n.items, p.value())
			continue
		}
		key := p.string()
		p.space()
		p.pos++ // the colon
		value := p.value()
		if place == nil {
			place = map[string]int{}
		}
		if i, twice := place[key]; twice {
			n.items[i] = value
			continue
		}
		place[key] = len(n.keys)
		n.keys = append(n.keys, key)
		n.items = append(n.items, value)
	}
}

func (p *parser) string() string {
	start := p.pos
	for p.pos++; p.src[p.pos] != '"'; p.pos++ {
		if p.src[p.pos] == '\\' {
			p.pos++
		}
	}
	p.pos++
	var s string
	_ = json.Unmarshal(p.src[start:p.pos], &s) // valid already
	return s
}

func (p *parser) literal() {
	for p.pos < len(p.src) && strings.IndexByte(",]} \t\r\n", p.src[p.pos]) < 0 {
		p.pos++
	}
}

// member gives the value of a key, nil when there is none.
func (n *node) member(key string) *node {
	if n == nil {
		return nil
	}
	for i, k := range n.keys {
		if k == key {
			return n.items[i]
		}
	}
	return nil
}

// size is the number of values in a value, itself included.
func (n *node) size() int {
	total := 1
	for _, item := range n.items {
		total += item.size()
	}
	return total
}

// plain gives the value as maps, slices and json.Number.
func (n *node) plain() any {
	switch n.kind {
	case '{':
		m := make(map[string]any, len(n.keys))
		for i, k := range n.keys {
			m[k] = n.items[i].plain()
		}
		return m
	case '[':
		s := make([]any, len(n.items))
		for i, item := range n.items {
			s[i] = item.plain()
		}
		return s
	case '"':
		return n.text
	case 't':
		return n.text == "true"
	case '0':
		return json.Number(n.text)
	}
	return nil
}

// typeName is the JSON Schema type of a value; numbers are "number".
func (n *node) typeName() string {
	switch n.kind {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't':
		return "boolean"
	case '0':
		return "number"
	}
	return "null"
}

// maxLiteral bounds the digits of a number. Every finite double has a literal
// that is shorter.
const maxLiteral = 1100

// finite reports whether a number literal is one that JavaScript keeps: finite,
// and not negative zero. It also keeps exponents small, whose exact value would
// fill the memory.
func finite(literal string) bool {
	if len(literal) > maxLiteral {
		return false
	}
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		exponent, err := strconv.Atoi(literal[i+1:])
		if err != nil || exponent < -maxLiteral || exponent > maxLiteral {
			return false
		}
	}
	f, err := strconv.ParseFloat(literal, 64)
	return err == nil && !(literal[0] == '-' && f == 0)
}

// compact is v as one line of JSON, without the escapes for HTML.
func compact(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// path is the place of a value: keys, and indexes in their decimal form.
type path []string

// maxLabel bounds how many tokens at each end of a path its label shows.
const maxLabel = 32

// label writes a path as text, with dots and brackets, following root to know
// keys from indexes.
func (p path) label(root *node) string {
	var b strings.Builder
	n := root
	for i, token := range p {
		text := joint(token, i == 0)
		if n != nil && n.kind == '[' {
			text = "[" + token + "]"
		}
		n = n.child(token)
		switch {
		case i < maxLabel || i >= len(p)-maxLabel:
			b.WriteString(text)
		case i == maxLabel:
			b.WriteString("…")
		}
	}
	return b.String()
}

// child gives the member or element of a token, nil when there is none.
func (n *node) child(token string) *node {
	if n == nil || n.kind != '[' {
		return n.member(token)
	}
	if i := arrayIndex(token); i >= 0 && i < len(n.items) {
		return n.items[i]
	}
	return nil
}

// at gives the part of a value that stands at a place, nil when there is none.
func (n *node) at(p path) *node {
	for _, token := range p {
		n = n.child(token)
	}
	return n
}

// arrayIndex reads an index; -1 when it is none.
func arrayIndex(token string) int {
	if token == "" || len(token) > 9 || strings.Trim(token, "0123456789") != "" {
		return -1
	}
	i, err := strconv.Atoi(token)
	if err != nil {
		return -1
	}
	return i
}

// joint is a key as it stands in a label.
func joint(key string, first bool) string {
	if key == "" || strings.ContainsAny(key, ".[]\"\\ \n\t") {
		return fmt.Sprintf("[%s]", compact(key))
	}
	if first {
		return key
	}
	return "." + key
}
