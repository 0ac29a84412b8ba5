package tool

import (
	"encoding/json"
	"errors"
	"strings"
)

// contract checks arguments against the input schema of one tool.
type contract struct{ schema json.RawMessage }

func compile(input json.RawMessage) (*contract, error) {
	var root struct{ Type string }
	if err := json.Unmarshal(input, &root); err != nil {
		return nil, err
	}
	if root.Type != "object" {
		return nil, errors.New(`type must be "object"`)
	}
	return &contract{schema: input}, nil
}

// violations says what is wrong with the arguments; nil means nothing.
func (c *contract) violations(args json.RawMessage) []string {
	if args[0] != '{' {
		return []string{`"arguments" must be an object`}
	}
	return nil
}

func joined(violations []string) string { return strings.Join(violations, "; ") }
