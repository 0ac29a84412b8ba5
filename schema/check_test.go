package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

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

func messages(vs []schema.Violation) []string {
	var out []string
	for _, v := range vs {
		out = append(out, v.Message)
	}
	return out
}

// proves: W395, W396, A180
func TestCheckTexts(t *testing.T) {
	const object = `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]},
		"l":{"type":"array","items":{"type":"integer"}}},"required":["a"]`
	for _, c := range []struct{ schema, value, want string }{
		{`{"type":"string"}`, `1`, `"value" must be a string`},
		{`{"type":"number"}`, `"1"`, `"value" must be a number`},
		{`{"type":"integer"}`, `1.5`, `"value" must be an integer`},
		{`{"type":"integer"}`, `2.0`, ``},
		{`{"type":"integer"}`, `123456789012345678901234567890`, ``},
		{`{"const":123456789012345678901234567890}`, `123456789012345678901234567891`, `"value" must be 123456789012345678901234567890`},
		{`{"type":"number"}`, `-0`, `"value" must be a finite JSON number`},
		{`{"type":"number"}`, `1e999999999`, `"value" must be a finite JSON number`},
		{`{"minimum":1}`, `1e-999999999`, `"value" must be a finite JSON number`},
		{`{"type":"number"}`, `NaN`, `"value" must be a lossless JSON value: invalid character 'N' looking for beginning of value (at byte 1)`},
		{`{"type":"boolean"}`, `null`, `"value" must be a boolean`},
		{`{"type":"null"}`, `0`, `"value" must be null`},
		{`{"type":"object"}`, `[]`, `"value" must be an object`},
		{`{"type":"array"}`, `{}`, `"value" must be an array`},
		{`{"type":["string","null"]}`, `1`, `"value" must be null or a string`},
		{`{"enum":["a",1,null]}`, `"b"`, `"value" must be one of ["a",1,null]`},
		{`{"type":"string","enum":["a","b"],"const":"a"}`, `"b"`, `"value" must be "a"`},
		{object + `}`, `{"a":{"b":1},"l":[1,"x"]}`, `"a.b" must be a string; "l[1]" must be an integer`},
		{object + `}`, `{}`, `missing required property "a"`},
		{object + `}`, `{"a":{},"extra":1}`, `missing required property "a.b"`},
		{object + `,"additionalProperties":false}`, `{"a":{"b":"x"},"c.d":1}`, `"["c.d"]" is not a declared property (additionalProperties: false)`},
		{`{"oneOf":[{"type":"string"},{"type":"null"}]}`, `1`, `"value" must match exactly one oneOf branch (matched 0)`},
		{`{"oneOf":[{},{"type":"integer"},{"minimum":0}]}`, `1`, `"value" must match exactly one oneOf branch (matched 3)`},
		{`{"properties":{"x":{"oneOf":[{},{"type":"integer"},{"minimum":0}]}}}`, `{"x":1}`, `"x" must match exactly one oneOf branch (matched 3)`},
		{`{}`, `{"any":[1,"x",null,true]}`, ``},
	} {
		got := schema.Join(compile(t, c.schema).Check(json.RawMessage(c.value)))
		if got != c.want {
			t.Errorf("%s against %s:\n got %s\nwant %s", c.value, c.schema, got, c.want)
		}
	}
}

func TestCheckTextsOfOtherKeywords(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"minimum":1.5}`, `1`, `"value" must be >= 1.5`},
		{`{"maximum":3}`, `4`, `"value" must be <= 3`},
		{`{"exclusiveMinimum":1}`, `1`, `"value" must be > 1`},
		{`{"exclusiveMaximum":1}`, `1`, `"value" must be < 1`},
		{`{"multipleOf":0.01}`, `0.015`, `"value" must be a multiple of 0.01`},
		{`{"minLength":2}`, `"é"`, `"value" must have at least 2 characters (it has 1)`},
		{`{"maxLength":1}`, `"ab"`, `"value" must have at most 1 character (it has 2)`},
		{`{"pattern":"^a+$"}`, `"b"`, `"value" must match the pattern ^a+$`},
		{`{"pattern":"^(?=.*\\d)\\p{L}+\\d$"}`, `"é1"`, ``},
		{`{"format":"date"}`, `"2024-13-01"`, `"value" must be a valid date`},
		{`{"minItems":1}`, `[]`, `"value" must have at least 1 item (it has 0)`},
		{`{"maxItems":1}`, `[1,2]`, `"value" must have at most 1 item (it has 2)`},
		{`{"uniqueItems":true}`, `[1,2,1.0]`, `"value" must have no equal items (items 0 and 2 are)`},
		{`{"contains":{"const":1}}`, `[2]`, `"value" must contain an item that matches contains`},
		{`{"contains":{"const":1},"minContains":2}`, `[1]`, `"value" must contain at least 2 items that match contains (it has 1)`},
		{`{"contains":{"const":1},"maxContains":1}`, `[1,1]`, `"value" must contain at most 1 items that match contains (it has 2)`},
		{`{"minProperties":1}`, `{}`, `"value" must have at least 1 properties (it has 0)`},
		{`{"maxProperties":0}`, `{"a":1}`, `"value" must have at most 0 properties (it has 1)`},
		{`{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, `property name "ab" is not allowed: "value" must have at most 1 character (it has 2)`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `missing required property "b" (required beside "a")`},
		{`{"not":{"type":"string"}}`, `"x"`, `"value" must not match the schema under not`},
		{`{"properties":{"a":false}}`, `{"a":1}`, `"a" is not allowed here`},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `1`, `"value" must be a string or null`},
		{`{"anyOf":[{"minimum":5},{"multipleOf":3}]}`, `1`, `"value" must match at least one anyOf branch`},
		{`{"type":"array","unevaluatedItems":false,"prefixItems":[true]}`, `[1,2]`, `"[1]" is not allowed here`},
		{`{"contentEncoding":"base64"}`, `"*"`, `"value" must be encoded as base64`},
		{`{"$ref":"#"}`, `1`, `"value" cannot be checked: the schema refers to itself without an end`},
	} {
		got := schema.Join(compile(t, c.schema).Check(json.RawMessage(c.value)))
		if got != c.want {
			t.Errorf("%s against %s:\n got %s\nwant %s", c.value, c.schema, got, c.want)
		}
	}
}

func TestCheckNamesTheFaultsOfTheBranchThatWasMeant(t *testing.T) {
	s := compile(t, `{"oneOf":[
		{"type":"object","properties":{"kind":{"const":"a"},"n":{"type":"integer"}},"required":["kind","n"]},
		{"type":"object","properties":{"kind":{"const":"b"},"s":{"type":"string"}},"required":["kind","s"]}]}`)
	got := messages(s.Check(json.RawMessage(`{"kind":"b","s":1}`)))
	want := []string{`"value" must match exactly one oneOf branch (matched 0)`, `"s" must be a string`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCheckReportsEverythingInAStableOrder(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"l":{"type":"array","items":{"type":"integer","minimum":3}}},
		"required":["z","y"],"additionalProperties":false}`)
	value := json.RawMessage(`{"q":1,"p":1,"l":[0,"x",2,3,4,5,6,7,8,9,1]}`)
	want := []schema.Violation{
		{Path: "l[0]", Message: `"l[0]" must be >= 3`},
		{Path: "l[1]", Message: `"l[1]" must be an integer`},
		{Path: "l[2]", Message: `"l[2]" must be >= 3`},
		{Path: "l[10]", Message: `"l[10]" must be >= 3`},
		{Path: "p", Message: `"p" is not a declared property (additionalProperties: false)`},
		{Path: "q", Message: `"q" is not a declared property (additionalProperties: false)`},
		{Path: "y", Message: `missing required property "y"`},
		{Path: "z", Message: `missing required property "z"`},
	}
	for range 20 {
		if diff := cmp.Diff(want, s.Check(value)); diff != "" {
			t.Fatal(diff)
		}
	}
}

func nest(open, inner, closing string, depth int) json.RawMessage {
	return json.RawMessage(strings.Repeat(open, depth) + inner + strings.Repeat(closing, depth))
}

// A definition below a deep place is reached by its old pointer, so references
// must follow schemas that were moved.
//
// proves: W394
func TestDeepSchema(t *testing.T) {
	const depth = 4998 // 5000 schemas inside one another, the most that JSON text may hold
	inner := `{"type":"object","properties":{"s":{"type":"string"},"same":{"$ref":"#` + strings.Repeat("/properties/a", depth) + `/properties/s"}}}`
	s := compile(t, string(nest(`{"type":"object","properties":{"a":`, inner, `}}`, depth)))
	if vs := s.Check(nest(`{"a":`, `{"s":"x","same":"y"}`, `}`, depth)); len(vs) != 0 {
		t.Fatalf("valid value: %d violations, first %s", len(vs), vs[0].Message)
	}
	vs := s.Check(nest(`{"a":`, `{"s":1,"same":2}`, `}`, depth))
	if len(vs) != 2 {
		t.Fatalf("got %d violations, want 2", len(vs))
	}
	if got := vs[0].Message; len(got) > 300 || !strings.HasSuffix(got, `.s" must be a string`) {
		t.Errorf("message = %s", got)
	}
}

func TestDeepSchemasOfAllDrafts(t *testing.T) {
	for _, head := range []string{
		`"$schema":"http://json-schema.org/draft-07/schema#","$defs":{"deep0":{"type":"null"}}`,
		`"$schema":"https://json-schema.org/draft/2019-09/schema"`,
		`"$id":"https://example.com/x.json","$defs":{"deep1":{"type":"null"}}`,
	} {
		const depth = 100
		inner := `{"anyOf":[{"type":"string"},{"$ref":"#"},{"type":"array","contains":{"const":1}}]}`
		text := `{` + head + `,"properties":{"a":` +
			string(nest(`{"type":"object","properties":{"b":{"type":"null"}},"additionalProperties":`, inner, `}`, depth)) + `}}`
		s := compile(t, text)
		for leaf, want := range map[string]string{`"x"`: ``, `[1]`: ``, `{"a":{"b":null}}`: ``, `{"a":{"b":1}}`: `anyOf`} {
			got := schema.Join(s.Check(json.RawMessage(`{"a":` + string(nest(`{"c":`, leaf, `}`, depth)) + `}`)))
			if (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("%s in %s: %s", leaf, head, got)
			}
		}
	}
}

func TestDeepValueOfARecursiveSchema(t *testing.T) {
	s := compile(t, `{"$defs":{"n":{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`)
	if vs := s.Check(nest(`{"a":`, `{}`, `}`, 5000)); len(vs) != 0 {
		t.Errorf("violations: %d", len(vs))
	}
	if vs := s.Check(nest(`{"a":`, `1`, `}`, 5000)); len(vs) != 1 {
		t.Errorf("violations: %d", len(vs))
	}
	if vs := s.Check(nest(`[`, ``, `]`, 20000)); len(vs) != 1 || !strings.Contains(vs[0].Message, "depth") {
		t.Errorf("violations: %v", messages(vs))
	}
}

func TestCostlyChecksEnd(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"pattern":"^(a+)+$"}`, `"` + strings.Repeat("a", 60) + `b"`, `"value" could not be checked: pattern "^(a+)+$" takes too long`},
		{`{"not":{"pattern":"^(a+)+$"}}`, `"` + strings.Repeat("a", 60) + `b"`, `"value" could not be checked: pattern "^(a+)+$" takes too long`},
		{`{"properties":{"a":{"anyOf":[{"$ref":"#"},{"allOf":[{"$ref":"#"}]}]}},"additionalProperties":false}`,
			string(nest(`{"a":`, `{"b":1}`, `}`, 60)), `"value" could not be checked: checking takes too many steps`},
	} {
		got := schema.Join(compile(t, c.schema).Check(json.RawMessage(c.value)))
		if got != c.want {
			t.Errorf("%s: %s", c.schema, got)
		}
	}
}

// A large value may cost more steps than a small one.
func TestLargeValuesAreChecked(t *testing.T) {
	s := compile(t, `{"type":"array","items":{"allOf":[{"type":"object"},{"properties":{"a":{"type":"integer"}}},{"required":["a"]}]}}`)
	value := json.RawMessage(`[` + strings.TrimSuffix(strings.Repeat(`{"a":1},`, 50_000), ",") + `]`)
	if vs := s.Check(value); len(vs) != 0 {
		t.Errorf("%d violations, first %s", len(vs), vs[0].Message)
	}
}

func TestCheckFromManyGoroutines(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"n":{"type":"integer","maximum":10}},"required":["n"]}`)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for n := range 50 {
				vs := s.Check(json.RawMessage(fmt.Sprintf(`{"n":%d}`, i+n)))
				if (len(vs) == 0) != (i+n <= 10) {
					t.Errorf("%d: %v", i+n, messages(vs))
				}
			}
		})
	}
	wg.Wait()
}

func FuzzCheckAndRepair(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}}},"required":["a"]}`, `{"a":"[1,2]"}`},
		{`{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}`, `{"result":{"a":"1"}}`},
		{`{"oneOf":[{"type":"string","pattern":"^a"},{"type":"object"}]}`, `"{}"`},
		{`{"type":"integer","minimum":1e3}`, `1e400`},
		{`{"propertyNames":{"maxLength":1},"patternProperties":{"^x":false}}`, `{"xx":1,"y":{"z":[]}}`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}}}`, `null`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		s, err := schema.Compile(json.RawMessage(text))
		if err != nil {
			return
		}
		raw := json.RawMessage(value)
		vs := s.Check(raw)
		mended, n, ok := s.Repair(raw)
		if len(vs) == 0 && (!ok || n != 0 || string(mended) != strings.Trim(value, " \t\r\n")) {
			t.Errorf("a valid value was changed: %q to %q (%d, %v)", value, mended, n, ok)
		}
		if ok && len(s.Check(mended)) > 0 {
			t.Errorf("Repair(%q) = %q is not valid: %s", value, mended, schema.Join(s.Check(mended)))
		}
		if !json.Valid(raw) && ok {
			t.Errorf("text that is no JSON was mended: %q", value)
		}
	})
}
