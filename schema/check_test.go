package schema_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh-workflow/schema"
)

func compile(t testing.TB, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile(json.RawMessage(text))
	if err != nil {
		t.Fatalf("Compile(%s): %v", text, err)
	}
	return s
}

func TestDeepSchema(t *testing.T) {
	const depth = 4990
	s := strings.Repeat(`{"type":"object","properties":{"a":`, depth) + `{"type":"string"}` + strings.Repeat(`}}`, depth)
	start := time.Now()
	c := compile(t, s)
	t.Log(time.Since(start))
	v := strings.Repeat(`{"a":`, depth) + `"x"` + strings.Repeat(`}`, depth)
	start = time.Now()
	if vs := c.Check(json.RawMessage(v)); len(vs) != 0 {
		t.Fatal(len(vs), vs[0].Message[:100])
	}
	t.Log(time.Since(start))
	v = strings.Repeat(`{"a":`, depth) + `1` + strings.Repeat(`}`, depth)
	start = time.Now()
	if vs := c.Check(json.RawMessage(v)); len(vs) != 1 {
		t.Fatal(len(vs), vs[0].Message[:100])
	}
	t.Log(time.Since(start))
}

func TestX(t *testing.T) {
	for _, x := range []string{`{"type":"objct","propertis":{},"properties":{"a":{"type":"string","minLenght":1,"pattern":"("}},"$ref":"http://x","required":[1], "format":"zz","enum":[]}`,
		`{"$ref":"#/properties"}`, `{"$ref":"#/$defs/a","$defs":{"a":{"minimum":1e999999999}}}`, `{"a`, `[]`} {
		_, err := schema.CompileResult(json.RawMessage(x))
		t.Log(err)
	}
	c := compile(t, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array","items":{"type":"integer","minimum":3}},"c":{"oneOf":[{"type":"string"},{"type":"object","required":["k"],"properties":{"k":{"const":"x"},"v":{"type":"number"}}},{"minLength":1}]},
	"d":{"anyOf":[{"type":"string"},{"type":"null"}]},"e":{"enum":[1,"<b>",null]},"p":{"pattern":"^(a+)+$"}},"required":["a","z"],"additionalProperties":false}`)
	t.Log(schema.Join(c.Check(json.RawMessage(`{"a":1,"b":["x",2,2.5,3],"c":"s","d":4,"e":"b","q":-0}`))))
	t.Log(schema.Join(c.Check(json.RawMessage(`{"a":1,"b":["x",2,2.5,3],"c":{"k":"x","v":"1"},"d":4,"e":"b","q":1}`))))
	start := time.Now()
	t.Log(schema.Join(c.Check(json.RawMessage(`{"p":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"}`))), time.Since(start))
	c = compile(t, `{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#"},{"allOf":[{"$ref":"#"}]}]}},"additionalProperties":false}`)
	start = time.Now()
	t.Log(schema.Join(c.Check(json.RawMessage(strings.Repeat(`{"a":`, 40)+"{\"b\":1}"+strings.Repeat("}", 40)))), time.Since(start))
}
