package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/dsh-go/dsh-workflow/schema"
)

// contract gives the compiled schema of a tool's arguments, which are always an
// object.
func contract(t Tool) (*schema.Schema, error) {
	s, input := t.Contract, t.Input
	var err error
	switch {
	case s == nil:
		s, err = schema.Compile(input)
	case !bytes.Equal(s.Raw(), input):
		err = errors.New("the contract was compiled from another one")
	}
	if err != nil {
		return nil, err
	}
	var root struct {
		Type any `json:"type"`
	}
	if err := json.Unmarshal(input, &root); err != nil || root.Type != "object" {
		return nil, errors.New(`the type of the arguments must be "object"`)
	}
	return s, nil
}

// violations says in one line what is wrong with arguments; empty means nothing.
func violations(s *schema.Schema, args json.RawMessage) string {
	var found []string
	for _, v := range s.Check(args) {
		text := v.Message
		if v.Path == "" {
			// The whole value has no name; here it is the arguments.
			text = strings.Replace(text, `"value"`, `"arguments"`, 1)
		}
		found = append(found, text)
	}
	return strings.Join(found, "; ")
}
