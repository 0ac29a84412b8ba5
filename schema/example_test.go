package schema_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/dsh-go/dsh-workflow/schema"
)

func TestExample(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{}`, `"text"`},
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["b","a"]}`, `{"a":"text","b":0}`},
		{`{"type":"object","properties":{"a":{"type":"string"}}}`, `{}`},
		{`{"enum":["x","y"]}`, `"x"`},
		{`{"type":"string","enum":[1,"y"]}`, `"y"`},
		{`{"const":{"a":[1]}}`, `{"a":[1]}`},
		{`{"type":["null","string"]}`, `null`},
		{`{"type":"integer","minimum":3}`, `3`},
		{`{"type":"integer","exclusiveMinimum":3,"multipleOf":5}`, `5`},
		{`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`, `0.5`},
		{`{"type":"integer","maximum":-7}`, `-7`},
		{`{"type":"number","minimum":0.25,"maximum":0.5}`, `0.25`},
		{`{"type":"array","items":{"type":"boolean"},"minItems":2}`, `[false,false]`},
		{`{"type":"array","items":{"type":"integer"},"minItems":3,"uniqueItems":true}`, ``},
		{`{"type":"array","items":{"enum":["a","b","c"]},"minItems":3,"uniqueItems":true}`, `["a","b","c"]`},
		{`{"type":"array","prefixItems":[{"type":"string"},{"type":"null"}],"items":false,"minItems":2}`, `["text",null]`},
		{`{"type":"array","contains":{"const":5}}`, `[5]`},
		{`{"type":"string","minLength":6}`, `"texttt"`},
		{`{"type":"string","maxLength":2}`, `"te"`},
		{`{"type":"string","maxLength":0}`, `""`},
		{`{"type":"string","pattern":"^[A-Z]{3}-\\d+$"}`, `"AAA-0"`},
		{`{"type":"string","pattern":"^(foo|bar)$"}`, ``},
		{`{"type":"string","format":"date-time"}`, `"2000-01-01T00:00:00Z"`},
		{`{"type":"object","minProperties":2}`, `{"key1":"text","key2":"text"}`},
		{`{"type":"object","minProperties":1,"additionalProperties":{"type":"integer"}}`, `{"key1":0}`},
		{`{"type":"object","minProperties":1,"patternProperties":{"^x-":{"type":"null"}},"additionalProperties":false}`, `{"x-":null}`},
		{`{"type":"object","required":["a"],"dependentRequired":{"a":["b"]}}`, `{"a":"text","b":"text"}`},
		{`{"allOf":[{"type":"integer","minimum":2},{"maximum":9,"multipleOf":4}]}`, `4`},
		{`{"anyOf":[{"type":"string","const":1},{"type":"integer"}]}`, `0`},
		{`{"oneOf":[{"type":"integer"},{"type":"integer","minimum":-1}]}`, ``},
		{`{"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"null"}]}`, `{"k":"a"}`},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"next":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}},"required":["v","next"]}}}`, ``},
		{`{"type":"object","properties":{"kind":{"enum":["a","b"]}},"required":["kind"],"if":{"properties":{"kind":{"const":"a"}}},"then":{"required":["x"]}}`, ``},
		{`{"not":{"type":"string"}}`, `null`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"null"}],"minItems":1}`, `[null]`},
		{`{"$ref":"#node","$defs":{"x":{"$anchor":"node","type":"boolean"}}}`, `false`},
	} {
		got, err := schema.Example(json.RawMessage(c.schema))
		if err != nil {
			t.Errorf("Example(%s): %v", c.schema, err)
			continue
		}
		if c.want != "" && string(got) != c.want {
			t.Errorf("Example(%s) = %s, want %s", c.schema, got, c.want)
		}
		again, _ := schema.Example(json.RawMessage(c.schema))
		if string(again) != string(got) {
			t.Errorf("Example(%s) gave %s, then %s", c.schema, got, again)
		}
		if vs := compile(t, c.schema).Check(got); len(vs) > 0 {
			t.Errorf("Example(%s) = %s: %s", c.schema, got, schema.Join(vs))
		}
	}
	for _, impossible := range []string{
		`{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}`,
		`{"type":"string","allOf":[{"type":"integer"}]}`,
		`{"not":{}}`,
		`{"allOf":[false]}`,
	} {
		if got, err := schema.Example(json.RawMessage(impossible)); !errors.Is(err, schema.ErrNoExample) {
			t.Errorf("Example(%s) = %s, %v", impossible, got, err)
		}
	}
}
