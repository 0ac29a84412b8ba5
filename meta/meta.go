package meta

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// Meta says what a workflow is. It is data for people and listings; nothing in
// it changes how the script runs.
type Meta struct {
	Name        string // not empty
	Description string // not empty
	WhenToUse   string
	// Phases is nil when the script has no such key, and empty when it has an
	// empty list.
	Phases []Phase
	// Extra holds the JSON text of all keys that nothing reads; nil when there
	// are none.
	Extra map[string]json.RawMessage
}

// Phase announces one phase of the run.
type Phase struct {
	Title    string `json:"title"` // not empty
	Detail   string `json:"detail,omitempty"`
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
}

// MarshalJSON writes the object as a script would write it: absent members stay
// absent, the extra keys stand beside the others, in sorted order. FromJSON
// reads it back to an equal Meta.
func (m Meta) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	add := func(key string, v any) error {
		raw, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(key) // a string always encodes
		b.Write(name)
		b.WriteByte(':')
		b.Write(raw)
		return nil
	}
	for _, f := range []struct {
		key     string
		value   any
		present bool
	}{
		{"name", m.Name, true},
		{"description", m.Description, true},
		{"whenToUse", m.WhenToUse, m.WhenToUse != ""},
		{"phases", m.Phases, m.Phases != nil},
	} {
		if !f.present {
			continue
		}
		if err := add(f.key, f.value); err != nil {
			return nil, err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(m.Extra)) {
		if known(key) {
			continue
		}
		if err := add(key, m.Extra[key]); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads what MarshalJSON wrote, under the rules of FromJSON.
func (m *Meta) UnmarshalJSON(raw []byte) error {
	read, _, err := FromJSON(raw)
	if err != nil {
		return err
	}
	*m = *read
	return nil
}

func known(key string) bool {
	switch key {
	case "name", "description", "whenToUse", "phases":
		return true
	}
	return false
}
