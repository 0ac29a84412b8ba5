package meta

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// FromJSON reads a meta that came as data instead of as a statement. The error
// is Diagnostics, all violations together; the warnings name what is kept but
// not used. The result shares nothing with raw.
func FromJSON(raw json.RawMessage) (*Meta, []Diagnostic, error) {
	s := &dataSink{}
	d := &dataReader{dec: json.NewDecoder(bytes.NewReader(raw)), sink: s}
	d.dec.UseNumber()
	var m *Meta
	v, err := d.value("meta", 0)
	if err == nil {
		if _, after := d.dec.Token(); !errors.Is(after, io.EOF) {
			err = errors.New("more than one value")
		}
	}
	switch {
	case len(bytes.TrimSpace(raw)) == 0:
		s.fault(CodeInvalid, 0, "meta must be an object")
	case err != nil:
		s.fault(CodeInvalid, 0, "meta is not JSON: %v", err)
	default:
		m = shape(v, s)
	}
	if len(s.faults) > 0 {
		return nil, nil, s.faults
	}
	return m, s.warnings, nil
}

// dataSink collects without places: JSON data has no lines that its author
// knows.
type dataSink struct {
	faults   Diagnostics
	warnings []Diagnostic
}

func (s *dataSink) fault(code string, _ int, format string, args ...any) {
	s.faults = append(s.faults, Diagnostic{Code: code, Message: fmt.Sprintf(format, args...)})
}

func (s *dataSink) warn(code string, _ int, format string, args ...any) {
	s.warnings = append(s.warnings, Diagnostic{Code: code, Message: fmt.Sprintf(format, args...)})
}

// dataReader builds values from JSON tokens.
type dataReader struct {
	dec  *json.Decoder
	sink *dataSink
}

func (d *dataReader) value(path string, depth int) (*value, error) {
	t, err := d.dec.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '[' {
			return d.list(path, depth)
		}
		return d.object(path, depth)
	case string:
		return &value{kind: isText, text: t}, nil
	}
	raw, err := json.Marshal(t)
	return &value{kind: isScalar, raw: raw}, err
}

func (d *dataReader) list(path string, depth int) (*value, error) {
	v := &value{kind: isList, items: []*value{}}
	for d.dec.More() {
		item, err := d.value(fmt.Sprintf("%s[%d]", path, len(v.items)), depth+1)
		if err != nil {
			return nil, err
		}
		v.items = append(v.items, item)
	}
	_, err := d.dec.Token()
	return v, err
}

func (d *dataReader) object(path string, depth int) (*value, error) {
	v := &value{kind: isObject}
	for d.dec.More() {
		t, err := d.dec.Token()
		if err != nil {
			return nil, err
		}
		key, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("a key is not a string")
		}
		where := join(path, key)
		item, err := d.value(where, depth+1)
		if err != nil {
			return nil, err
		}
		if forbidden(key) {
			d.sink.fault(CodeInvalid, 0, "%s is not allowed as a key", where)
			continue
		}
		v.set(member{key: key, value: item}, func() {
			d.sink.warn(CodeDuplicateKey, 0, "%s is given twice, the last one counts", where)
		})
	}
	_, err := d.dec.Token()
	return v, err
}
