// Package plainjson writes JSON as people and other languages write it: without
// the escapes of <, > and & that only HTML needs.
package plainjson

import (
	"bytes"
	"encoding/json"
)

// Marshal is json.Marshal without those escapes. Raw messages inside v lose
// their white space and keep their other bytes.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
