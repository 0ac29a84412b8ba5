package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Repair mends two slips that models make around a value that is otherwise
// right: an array, object, number or boolean sent as a string where the schema
// wants that type, and one extra key (output, result or value) around the whole
// value. It gives the valid value and how many slips were mended, 0 when it was
// valid as it came. Without a valid value ok is false and the value is nil.
//
// Nothing else is touched: a string that the schema accepts stays a string,
// whatever it holds, and all other bytes are those that were sent.
func (s *Schema) Repair(value json.RawMessage) (mended json.RawMessage, repairs int, ok bool) {
	if mended, repairs, ok = s.mend(value); ok {
		return mended, repairs, true
	}
	inner, extra := value, 0
	if n, err := parse(value); err == nil && n.kind == '"' {
		inner, extra = json.RawMessage(strings.TrimSpace(n.text)), 1
	}
	if inner, ok = unwrap(inner); !ok {
		return nil, 0, false
	}
	if mended, repairs, ok = s.mend(inner); ok {
		return mended, repairs + extra + 1, true
	}
	return nil, 0, false
}

// unwrap gives the only member of an object whose key is one that models put
// around an answer.
func unwrap(value json.RawMessage) (json.RawMessage, bool) {
	n, err := parse(value)
	if err != nil || n.kind != '{' || len(n.keys) != 1 {
		return nil, false
	}
	switch n.keys[0] {
	case "output", "result", "value":
		inner := n.items[0]
		return value[inner.start:inner.end], true
	}
	return nil, false
}

// maxRounds bounds how often strings inside mended strings are mended.
const maxRounds = 4

// jsonSpace is the white space that JSON allows around a value.
const jsonSpace = " \t\r\n"

// mend replaces strings by what they hold until the value is valid.
func (s *Schema) mend(value json.RawMessage) (json.RawMessage, int, bool) {
	value = bytes.Trim(value, jsonSpace)
	repairs := 0
	for range maxRounds {
		n, err := parse(value)
		if err != nil {
			return nil, 0, false
		}
		slips, valid := s.slips(n)
		if valid {
			return slices.Clone(value), repairs, true
		}
		if len(slips) == 0 {
			return nil, 0, false
		}
		value = splice(value, slips)
		repairs += len(slips)
	}
	if s.Valid(value) {
		return value, repairs, true
	}
	return nil, 0, false
}

// slip is a string that stands where its content was wanted.
type slip struct {
	node    *node
	content string
}

func splice(value []byte, slips []slip) []byte {
	slices.SortFunc(slips, func(a, b slip) int { return a.node.start - b.node.start })
	var out []byte
	last := 0
	for _, s := range slips {
		out = append(out, value[last:s.node.start]...)
		out = append(out, s.content...)
		last = s.node.end
	}
	return append(out, value[last:]...)
}

// slips finds the strings of an invalid value whose content has a type that the
// schema wants in their place.
func (s *Schema) slips(n *node) (found []slip, valid bool) {
	if !n.allFinite() {
		return nil, false
	}
	invalid, err := s.run(n)
	if err != nil {
		return nil, false
	}
	if invalid == nil {
		return nil, true
	}
	wants := map[*node][]string{}
	collect(invalid, n, wants)
	for at, types := range wants {
		content := strings.TrimSpace(at.text)
		inner, err := parse([]byte(content))
		if err != nil || inner.kind == '"' || inner.kind == 'n' {
			continue
		}
		name := inner.typeName()
		if slices.Contains(types, name) || name == "number" && slices.Contains(types, "integer") {
			found = append(found, slip{at, content})
		}
	}
	return found, false
}

// collect lists the strings that stand where other types are wanted.
func collect(e *jsonschema.ValidationError, root *node, wants map[*node][]string) {
	if k, ok := e.ErrorKind.(*kind.Type); ok && k.Got == "string" {
		if n := root.at(e.InstanceLocation); n != nil && n.kind == '"' {
			wants[n] = append(wants[n], k.Want...)
		}
	}
	if _, names := e.ErrorKind.(*kind.PropertyNames); names {
		return
	}
	for _, c := range e.Causes {
		collect(c, root, wants)
	}
}

// run validates a value under the guard.
func (s *Schema) run(n *node) (invalid *jsonschema.ValidationError, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.guarded(n.size(), func() { errors.As(s.compiled.Validate(n.plain()), &invalid) })
	return invalid, err
}
