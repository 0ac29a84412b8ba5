package schema

import (
	"encoding/json"
	"fmt"
	"strings"
)

// maxDescription bounds the text of Describe.
const maxDescription = 16 << 10

// Describe writes what a schema asks for in a notation that models read well: a
// type in the manner of TypeScript, constraints and descriptions behind `//`. It
// is deterministic, at most 16 KiB long, and ends without a newline. A schema
// that is not JSON gives "any JSON value".
func Describe(raw json.RawMessage) string {
	root, err := parse(raw)
	if err != nil {
		return anyJSON
	}
	d := &describer{root: root}
	text := d.typ(root, 0)
	if notes := constraints(root); notes != "" {
		text += " // " + notes
	}
	if d.cut || len(text) > maxDescription {
		text = strings.ToValidUTF8(text[:min(len(text), maxDescription)], "") + "\n// … (shortened)"
	}
	return text
}

const (
	anyJSON       = "any JSON value"
	describeDepth = 12
)

type describer struct {
	root  *node
	spent int
	level int // schemas that are being written, one inside another
	cut   bool
}

func (d *describer) typ(n *node, depth int) string {
	d.level++
	defer func() { d.level-- }()
	if d.spent++; d.level > describeDepth || d.spent > 1000 {
		d.cut = d.cut || d.spent > 1000
		return "…"
	}
	if n.kind != '{' {
		if n.text == "false" {
			return "nothing"
		}
		return anyJSON
	}
	if v := n.member("$ref"); v != nil && v.kind == '"' && strings.HasPrefix(v.text, "#") {
		l := &linter{root: d.root}
		if target, _, ok := l.target(v.text); ok {
			return d.typ(target, depth)
		}
	}
	if v := n.member("const"); v != nil {
		return compactNode(v)
	}
	if v := n.member("enum"); v != nil && v.kind == '[' {
		return d.union(v.items, func(item *node) string { return compactNode(item) })
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		sign := " | "
		if key == "allOf" {
			sign = " & "
		}
		if v := n.member(key); v != nil && v.kind == '[' && n.member("type") == nil && len(v.items) > 0 {
			parts := make([]string, len(v.items))
			for i, item := range v.items {
				parts[i] = d.typ(item, depth)
			}
			return strings.Join(parts, sign)
		}
	}
	return d.named(n, depth)
}

// named writes a schema by its type.
func (d *describer) named(n *node, depth int) string {
	t := n.member("type")
	if t == nil {
		if n.member("properties") != nil {
			return d.object(n, depth)
		}
		return anyJSON
	}
	names := []*node{t}
	if t.kind == '[' {
		names = t.items
	}
	return d.union(names, func(name *node) string {
		switch name.text {
		case "object":
			return d.object(n, depth)
		case "array":
			if v := n.member("items"); v != nil && v.kind != '[' {
				return "[" + d.typ(v, depth) + ", …]"
			}
			return "[" + anyJSON + ", …]"
		}
		return name.text
	})
}

func (d *describer) union(items []*node, write func(*node) string) string {
	parts := make([]string, 0, len(items))
	for _, item := range items {
		parts = append(parts, write(item))
	}
	return strings.Join(parts, " | ")
}

func (d *describer) object(n *node, depth int) string {
	properties := n.member("properties")
	if properties == nil || len(properties.keys) == 0 {
		return "object"
	}
	required := map[string]bool{}
	if v := n.member("required"); v != nil {
		for _, item := range v.items {
			required[item.text] = true
		}
	}
	indent := strings.Repeat("  ", depth+1)
	var b strings.Builder
	b.WriteString("{\n")
	for i, key := range properties.keys {
		v := properties.items[i]
		optional := "?"
		if required[key] {
			optional = ""
		}
		fmt.Fprintf(&b, "%s%s%s: %s", indent, compact(key), optional, d.typ(v, depth+1))
		if notes := constraints(v); notes != "" {
			b.WriteString(" // " + notes)
		}
		b.WriteByte('\n')
	}
	if v := n.member("additionalProperties"); v == nil || v.text != "false" {
		b.WriteString(indent + "… // other keys are allowed\n")
	}
	b.WriteString(strings.Repeat("  ", depth) + "}")
	return b.String()
}

// constraints writes the other keywords of a schema in one line.
func constraints(n *node) string {
	if n.kind != '{' {
		return ""
	}
	var notes []string
	for i, key := range n.keys {
		v := n.items[i]
		switch key {
		case "description":
			notes = append(notes, oneLine(v.text))
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
			"minItems", "maxItems", "minProperties", "maxProperties", "pattern", "format", "uniqueItems":
			notes = append(notes, key+" "+compactNode(v))
		}
	}
	return strings.Join(notes, ", ")
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > 300 {
		return string(runes[:300]) + "…"
	}
	return s
}

func compactNode(n *node) string { return compact(n.plain()) }
