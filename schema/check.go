package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Violation is one way in which a value breaks its schema.
type Violation struct {
	// Path is the place in the value: keys joined by dots, indexes in brackets,
	// empty for the value itself.
	Path string
	// Message is one sentence that holds the path, fit for the model to read.
	Message string
}

// Join writes violations as one line.
func Join(vs []Violation) string {
	texts := make([]string, len(vs))
	for i, v := range vs {
		texts[i] = v.Message
	}
	return strings.Join(texts, "; ")
}

// Check gives every violation of a value, ordered by place; nil when the value
// is valid. Text that is not one JSON value is a violation too.
func (s *Schema) Check(value json.RawMessage) []Violation {
	n, err := parse(value)
	if err != nil {
		return []Violation{{Message: fmt.Sprintf(`"value" must be a lossless JSON value: %v`, err)}}
	}
	return s.check(n)
}

func (s *Schema) check(n *node) []Violation {
	r := &report{root: n, schema: s}
	if r.numbers(n, nil); len(r.found) > 0 {
		return r.sorted()
	}
	v := n.plain()
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.guarded(n.size(), func() {
		var invalid *jsonschema.ValidationError
		if errors.As(s.compiled.Validate(v), &invalid) {
			r.add(invalid)
		}
	})
	if err != nil {
		return []Violation{{Message: fmt.Sprintf(`"value" could not be checked: %v`, err)}}
	}
	return r.sorted()
}

// guarded runs f within the bounds of one check of a value of some size. Its
// error says which bound was met. The caller holds mu.
func (s *Schema) guarded(size int, f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			over, ok := p.(overrun)
			if !ok {
				panic(p)
			}
			err = errors.New(over.reason)
		}
	}()
	s.guard.start(size)
	f()
	return nil
}

// Valid reports whether a value has no violation.
func (s *Schema) Valid(value json.RawMessage) bool { return len(s.Check(value)) == 0 }
