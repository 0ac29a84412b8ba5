package llmtest

import (
	"encoding/json"
	"errors"
)

func example(parameters json.RawMessage) (json.RawMessage, error) {
	return nil, errors.New("no value for the schema")
}
