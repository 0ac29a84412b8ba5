package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// livener replaces what a schema leaves free in a smallest instance by values
// that read like an answer and differ from prompt to prompt. Whatever bears a
// keyword that it does not know stays as it is.
//
// Booleans stay, too: scripts loop until one of them changes.
type livener struct {
	seed    uint64
	example func(schema json.RawMessage) (json.RawMessage, error)
}

// maxDepth is where a schema is left alone.
const maxDepth = 32

// word is a number for one place of the value.
func (l *livener) word(path string) uint64 { return hashOf(strconv.FormatUint(l.seed, 16), path) }

// value returns the livened value. Path names the place, its last part is a name
// that fits into a sentence.
func (l *livener) value(schema, value json.RawMessage, path []string) json.RawMessage {
	var keys map[string]json.RawMessage
	value = bytes.TrimSpace(value)
	if len(path) > maxDepth || len(value) == 0 || json.Unmarshal(schema, &keys) != nil {
		return value
	}
	for _, remark := range []string{"type", "title", "description", "examples", "default", "$schema", "$id", "$comment"} {
		if remark != "type" || typeFits(keys["type"], value) {
			delete(keys, remark)
		}
	}
	switch value[0] {
	case '"':
		return l.text(keys, value, path)
	case '{':
		return l.object(keys, value, path)
	case '[':
		return l.array(keys, value, path)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return l.number(keys, value, path)
	}
	return value
}

// typeFits reports whether the type keyword names the kind of the value alone, or
// among others.
func typeFits(keyword, value json.RawMessage) bool {
	var one string
	many := []string{}
	if json.Unmarshal(keyword, &one) == nil {
		many = append(many, one)
	} else if json.Unmarshal(keyword, &many) != nil {
		return false
	}
	kinds := map[byte][]string{'"': {"string"}, '{': {"object"}, '[': {"array"}, 't': {"boolean"}, 'f': {"boolean"}, 'n': {"null"}}[value[0]]
	if kinds == nil {
		kinds = []string{"integer", "number"}
	}
	return slices.ContainsFunc(many, func(t string) bool { return slices.Contains(kinds, t) })
}

func only(keys map[string]json.RawMessage, known ...string) bool {
	for k := range keys {
		if !slices.Contains(known, k) {
			return false
		}
	}
	return true
}

// bound reads a keyword; ok is false if there is one that is not a plain integer.
func bound(raw json.RawMessage, otherwise int) (n int, ok bool) {
	if raw == nil {
		return otherwise, true
	}
	return n, json.Unmarshal(raw, &n) == nil
}

func (l *livener) text(keys map[string]json.RawMessage, value json.RawMessage, path []string) json.RawMessage {
	word := l.word(strings.Join(path, "/"))
	if choices := keys["enum"]; choices != nil && len(keys) == 1 {
		var texts []string
		if json.Unmarshal(choices, &texts) == nil && len(texts) > 0 {
			return quote(texts[word%uint64(len(texts))], value)
		}
		return value
	}
	least, ok1 := bound(keys["minLength"], 0)
	most, ok2 := bound(keys["maxLength"], 1<<20)
	if !ok1 || !ok2 || least > most || least > 1<<16 || !only(keys, "minLength", "maxLength") {
		return value
	}
	text := fmt.Sprintf("simulated %s %04x", path[len(path)-1], uint16(word))
	if missing := least - utf8.RuneCountInString(text); missing > 0 {
		text += strings.Repeat(".", missing)
	}
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:max(most, 0)])
	}
	return quote(text, value)
}

func quote(text string, otherwise json.RawMessage) json.RawMessage {
	out, err := json.Marshal(text)
	if err != nil {
		return otherwise
	}
	return out
}

// spread is how far free numbers differ.
const spread = 10

func (l *livener) number(keys map[string]json.RawMessage, value json.RawMessage, path []string) json.RawMessage {
	least, ok1 := bound(keys["minimum"], 1)
	most, ok2 := bound(keys["maximum"], max(least, 1)+spread-1)
	if keys["minimum"] == nil && most < least {
		least = most
	}
	const huge = 1 << 50 // beyond it integers are not exact everywhere
	if !ok1 || !ok2 || most < least || least < -huge || most > huge || !only(keys, "minimum", "maximum") {
		return value
	}
	step := l.word(strings.Join(path, "/")) % uint64(min(most-least, spread-1)+1)
	return strconv.AppendInt(nil, int64(least)+int64(step), 10)
}

func (l *livener) array(keys map[string]json.RawMessage, value json.RawMessage, path []string) json.RawMessage {
	least, ok1 := bound(keys["minItems"], 0)
	most, ok2 := bound(keys["maxItems"], max(least, 2))
	var items []json.RawMessage
	if !ok1 || !ok2 || keys["items"] == nil || !only(keys, "items", "minItems", "maxItems") || json.Unmarshal(value, &items) != nil {
		return value
	}
	length := min(max(1+int(l.word(strings.Join(path, "/"))%2), least), most)
	for len(items) < length {
		item, err := l.example(keys["items"])
		if err != nil {
			break
		}
		items = append(items, item)
	}
	for i, item := range items {
		items[i] = l.value(keys["items"], item, append(path[:len(path):len(path)], strconv.Itoa(i+1), path[len(path)-1]))
	}
	return join('[', items, ']')
}

func (l *livener) object(keys map[string]json.RawMessage, value json.RawMessage, path []string) json.RawMessage {
	schemas, err := members(keys["properties"])
	if err != nil || !only(keys, "properties", "required", "additionalProperties", "$defs", "definitions") {
		return value
	}
	present, err := members(value)
	if err != nil {
		return value
	}
	var required []string
	if _ = json.Unmarshal(keys["required"], &required); len(required) == 0 {
		// Nothing is demanded, so an answer worth reading has everything.
		present = l.complete(schemas, present)
	}
	parts := make([]json.RawMessage, 0, len(present))
	for _, m := range present {
		if i := slices.IndexFunc(schemas, func(s member) bool { return s.name == m.name }); i >= 0 {
			m.value = l.value(schemas[i].value, m.value, append(path[:len(path):len(path)], m.name))
		}
		parts = append(parts, slices.Concat(quote(m.name, nil), []byte(":"), m.value))
	}
	return join('{', parts, '}')
}

// complete adds the members that a value lacks, where they can be made.
func (l *livener) complete(schemas, present []member) []member {
	for _, s := range schemas {
		if slices.ContainsFunc(present, func(m member) bool { return m.name == s.name }) {
			continue
		}
		if v, err := l.example(s.value); err == nil {
			present = append(present, member{s.name, v})
		}
	}
	return present
}

type member struct {
	name  string
	value json.RawMessage
}

// members reads an object in the order of its text.
func members(object json.RawMessage) ([]member, error) {
	if object == nil {
		return nil, nil
	}
	in := json.NewDecoder(bytes.NewReader(object))
	if open, err := in.Token(); err != nil {
		return nil, err
	} else if open != json.Delim('{') {
		return nil, errors.New("not an object")
	}
	var out []member
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return nil, err
		}
		var m member
		m.name, _ = name.(string) // keys are strings, the decoder sees to it
		if err := in.Decode(&m.value); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

func join(open byte, parts []json.RawMessage, end byte) json.RawMessage {
	out := []byte{open}
	for i, p := range parts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, p...)
	}
	return append(out, end)
}
