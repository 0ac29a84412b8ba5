package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/schema"
)

func violations(t *testing.T, err error) []string {
	t.Helper()
	var refused *schema.Error
	if !errors.As(err, &refused) {
		t.Fatalf("error = %v, want *schema.Error", err)
	}
	if refused.Code() != "UNSUPPORTED_SCHEMA" {
		t.Errorf("code = %s", refused.Code())
	}
	if got := "unsupported JSON schema: " + strings.Join(refused.Violations, "; "); got != refused.Error() {
		t.Errorf("text = %s", refused.Error())
	}
	return refused.Violations
}

// proves: W388
func TestCompileAccepts(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"type":"object"}`, `{"type":"array"}`, `{"type":"string"}`, `{"type":"number"}`, `{"type":"integer"}`,
		`{"type":"boolean"}`, `{"type":"null"}`,
		`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`,
		`{"oneOf":[{"type":"string"},{"type":"null"}]}`,
		`{"title":"T","description":"D","default":{"x":[1]},"examples":[1,"a"]}`,
		`{"type":["string","null"]}`, `{"enum":["a",1]}`, `{"additionalProperties":{"type":"string"}}`,
		`{"type":"object","required":["undeclared"]}`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://example.com/a","$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/definitions/a"}}}`,
		`{"definitions":{"a/b":{"type":"string"}},"properties":{"x":{"$ref":"#/definitions/a~1b"}}}`,
		`{"$defs":{"a":{"$anchor":"name","type":"string"}},"$ref":"#name"}`,
		`{"properties":{"$ref":{"type":"string"},"unknown":{"type":"string"}}}`,
		`{"const":{"typo":1}}`,
	} {
		s, err := schema.Compile(json.RawMessage(text))
		if err != nil {
			t.Errorf("Compile(%s): %v", text, err)
			continue
		}
		if string(s.Raw()) != text {
			t.Errorf("Raw() = %s, want %s", s.Raw(), text)
		}
	}
}

// proves: W390
func TestCompileRefuses(t *testing.T) {
	for _, c := range []struct {
		schema string
		want   string
	}{
		{`[]`, `schema must be a schema object`},
		{`true`, `schema must be a schema object`},
		{`{"properties":{"a":1}}`, `schema.properties.a must be a schema object`},
		{`{"type":"strin"}`, `schema.type must be one of object/array/string/number/integer/boolean/null (did you mean "string"?)`},
		{`{"type":[]}`, `schema.type must name at least one type`},
		{`{"type":["null","null"]}`, `schema.type names "null" twice`},
		{`{"oneOf":[{}]}`, `schema.oneOf must be an array of at least two schemas`},
		{`{"anyOf":[]}`, `schema.anyOf must be a non-empty array of schemas`},
		{`{"properties":[]}`, `schema.properties must be an object of schemas`},
		{`{"required":"a"}`, `schema.required must be an array of strings`},
		{`{"required":["a","a"]}`, `schema.required must have no equal items (items 0 and 1 are)`},
		{`{"additionalProperties":1}`, `schema.additionalProperties must be a boolean or a schema; schema.additionalProperties must be a schema object`},
		{`{"enum":[]}`, `schema.enum must be a non-empty array of values`},
		{`{"enum":[1e999]}`, `schema.enum must hold finite JSON numbers only`},
		{`{"const":-0}`, `schema.const must hold finite JSON numbers only`},
		{`{"title":1}`, `schema.title must be a string`},
		{`{"description":1}`, `schema.description must be a string`},
		{`{"minLength":-1}`, `schema.minLength must be a non-negative integer`},
		{`{"multipleOf":0}`, `schema.multipleOf must be a number greater than 0`},
		{`{"minimum":1e999999999}`, `schema.minimum must be a finite number`},
		{`{"pattern":"("}`, `schema.pattern is not a regular expression: error parsing regexp: missing closing ) in ` + "`(`"},
		{`{"patternProperties":{"[":{}}}`, `schema.patternProperties["["] is not a regular expression: error parsing regexp: unterminated [] set in ` + "`[`"},
		{`{"format":"phone"}`, `schema.format "phone" is not a supported format (date/date-time/duration/email/hostname/ipv4/ipv6/iri/iri-reference/json-pointer/regex/relative-json-pointer/time/uri/uri-reference/uri-template/uuid)`},
		{`{"nullable":true}`, `schema.nullable is not a supported keyword`},
		{`{"properties":{"a.b":{"minLenght":1}}}`, `schema.properties["a.b"].minLenght is not a supported keyword (did you mean "minLength"?)`},
		{`{"allOf":[{},{"requred":[]}]}`, `schema.allOf[1].requred is not a supported keyword (did you mean "required"?)`},
		{`{"additionalItems":false}`, `schema.additionalItems is not a keyword of this draft (use prefixItems and items)`},
		{`{"items":[{}]}`, `schema.items must be one schema (use prefixItems for a list of them)`},
		{`{"$ref":"other.json"}`, `schema.$ref must point into the schema itself ("#/$defs/…"): nothing is loaded`},
		{`{"$ref":"#/$defs/a"}`, `schema.$ref points to "#/$defs/a", where there is no schema`},
		{`{"$ref":"#/$defs","$defs":{}}`, `schema.$ref points to "#/$defs", where there is no schema`},
		{`{"$ref":"#nowhere"}`, `schema.$ref points to "#nowhere", where there is no schema`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#"}`, `schema.$schema "http://json-schema.org/draft-04/schema#" is not a supported draft (draft-07, 2019-09, 2020-12)`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#","minLength":1}}}`, `schema.properties.a.minLength has no effect beside $ref in draft-07`},
		{`{"properties":{"a":{"$id":"b"}}}`, `schema.properties.a.$id is supported at the root only`},
	} {
		_, err := schema.Compile(json.RawMessage(c.schema))
		if err == nil {
			t.Errorf("Compile(%s) is accepted", c.schema)
			continue
		}
		if got := strings.Join(violations(t, err), "; "); got != c.want {
			t.Errorf("Compile(%s):\n got %s\nwant %s", c.schema, got, c.want)
		}
	}
}

// proves: W391, A181
func TestCompileReportsAllViolationsTogether(t *testing.T) {
	_, err := schema.Compile(json.RawMessage(`{"type":"objekt","title":3,
		"properties":{"a":{"type":"string","minLenght":1},"b":{"enum":[]}},"oneOf":[{}]}`))
	want := []string{
		`schema.type must be one of object/array/string/number/integer/boolean/null (did you mean "object"?)`,
		`schema.title must be a string`,
		`schema.oneOf must be an array of at least two schemas`,
		`schema.properties.a.minLenght is not a supported keyword (did you mean "minLength"?)`,
		`schema.properties.b.enum must be a non-empty array of values`,
	}
	if diff := cmp.Diff(want, violations(t, err)); diff != "" {
		t.Error(diff)
	}
}

// proves: W389
func TestOnlyResultsNeedAnObjectRoot(t *testing.T) {
	const notObject = `schema.type must be "object" (structured output is object-rooted)`
	for _, text := range []string{`{"type":"array"}`, `{}`, `{"type":["object","null"]}`, `{"oneOf":[{"type":"object"},{"type":"object"}]}`} {
		if _, err := schema.Compile(json.RawMessage(text)); err != nil {
			t.Errorf("Compile(%s): %v", text, err)
		}
		_, err := schema.CompileResult(json.RawMessage(text))
		if err == nil || cmp.Diff([]string{notObject}, violations(t, err)) != "" {
			t.Errorf("CompileResult(%s): %v", text, err)
		}
	}
	if _, err := schema.CompileResult(json.RawMessage(`{"type":"object"}`)); err != nil {
		t.Error(err)
	}
}

// proves: W397
func TestAnySchemaTakesOnlyJSON(t *testing.T) {
	s := compile(t, `{}`)
	for _, text := range []string{`1`, `"x"`, `null`, `[{"a":[true]}]`, ` {} `} {
		if vs := s.Check(json.RawMessage(text)); len(vs) != 0 {
			t.Errorf("%s: %v", text, messages(vs))
		}
	}
	for _, text := range []string{``, `undefined`, `NaN`, `[-0]`, `{"a":1e400}`, `{"a":1}{}`, `'x'`, `[1,]`} {
		if vs := s.Check(json.RawMessage(text)); len(vs) == 0 {
			t.Errorf("%s is accepted", text)
		}
	}
}

func TestNothingIsLoaded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(file, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{file, "file://" + file, "https://json-schema.org/draft/2020-12/schema"} {
		for _, text := range []string{
			fmt.Sprintf(`{"$ref":%q}`, target),
			fmt.Sprintf(`{"$dynamicRef":%q}`, target),
			fmt.Sprintf(`{"$id":%q,"properties":{"a":{"$ref":"s.json"}}}`, target),
			fmt.Sprintf(`{"$schema":%q}`, "x"+target),
		} {
			if _, err := schema.Compile(json.RawMessage(text)); err == nil {
				t.Errorf("Compile(%s) is accepted", text)
			}
		}
	}
}

// A schema built from shared parts arrives as text in which the parts repeat.
//
// proves: W393
func TestRepeatedParts(t *testing.T) {
	part := `{"type":"object","properties":{"file":{"type":"string"}},"required":["file"]}`
	s := compile(t, fmt.Sprintf(`{"type":"object","properties":{"a":%s,"b":{"type":"array","items":%s},"c":%s}}`, part, part, part))
	got := messages(s.Check(json.RawMessage(`{"a":{},"b":[{"file":1}],"c":{"file":"x"}}`)))
	if diff := cmp.Diff([]string{`missing required property "a.file"`, `"b[0].file" must be a string`}, got); diff != "" {
		t.Error(diff)
	}
}

func TestManyFaultsAreCounted(t *testing.T) {
	_, err := schema.Compile(json.RawMessage(`{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{"x":1},`, 500), ",") + `]}`))
	all := violations(t, err)
	if len(all) != 101 || all[100] != "and 400 more" {
		t.Errorf("%d violations, last %s", len(all), all[len(all)-1])
	}
}

func TestTheSchemaIsNotAliased(t *testing.T) {
	raw := json.RawMessage(`{"enum":["a"]}`)
	s := compile(t, string(raw))
	own, err := schema.Compile(raw)
	if err != nil {
		t.Fatal(err)
	}
	copy(raw, `{"enum":["b"]}`)
	if string(own.Raw()) != string(s.Raw()) || !own.Valid(json.RawMessage(`"a"`)) {
		t.Errorf("the schema changed to %s", own.Raw())
	}
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"enum":[1,"x"]}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{}],"additionalItems":false,"dependencies":{"a":["b"],"c":{}}}`,
		`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"items":{"$recursiveRef":"#"}}`,
		`{"$dynamicAnchor":"n","properties":{"a":{"$dynamicRef":"#n"}},"unevaluatedProperties":false}`,
		`{"if":{},"then":false,"else":true,"not":{"pattern":"^\\p{L}(?<!x)$"},"format":"uuid"}`,
		`{"$ref":"#/properties/a%2Fb","properties":{"a/b":{"minimum":1e308}}}`,
		`{"$id":"urn:x","$anchor":"a","contentMediaType":"application/json","contentSchema":{}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := schema.Compile(json.RawMessage(text))
		if err != nil {
			var refused *schema.Error
			if !errors.As(err, &refused) || len(refused.Violations) == 0 {
				t.Errorf("error %v is none of ours", err)
			}
			return
		}
		schema.Describe(s.Raw())
		if example, err := s.Example(); err == nil && !s.Valid(example) {
			t.Errorf("example %s of %s is not valid", example, text)
		}
		s.Check(json.RawMessage(`{"a":[1,"x",{"b":null}]}`))
	})
}
