package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dsh-go/dsh-workflow/schema"
)

const findings = `{"type":"object","properties":{
	"findings":{"type":"array","items":{"type":"object","properties":{"file":{"type":"string"},"line":{"type":"integer"}},"required":["file"]}},
	"score":{"type":"number"},"ok":{"type":"boolean"},"note":{"type":["string","null"]}},
	"required":["findings"],"additionalProperties":false}`

func TestRepair(t *testing.T) {
	for _, c := range []struct {
		name, schema, value, want string
		repairs                   int
	}{
		{"valid", findings, ` {"findings": [ ] } `, `{"findings": [ ] }`, 0},
		{"array", findings, `{"findings":"[{\"file\":\"a\"}]"}`, `{"findings":[{"file":"a"}]}`, 1},
		{"object in array", findings, `{"findings":["{\"file\":\"a\"}"]}`, `{"findings":[{"file":"a"}]}`, 1},
		{"number and boolean", findings, `{"findings":[{"file":"a","line":"12"}],"score":" 1.50 ","ok":"true"}`, `{"findings":[{"file":"a","line":12}],"score":1.50,"ok":true}`, 3},
		{"twice", findings, `{"findings":"[{\"file\":\"a\",\"line\":\"3\"}]"}`, `{"findings":[{"file":"a","line":3}]}`, 2},
		{"whole value", findings, `"{\"findings\":[]}"`, `{"findings":[]}`, 1},
		{"key output", findings, `{"output":{"findings":[]}}`, `{"findings":[]}`, 1},
		{"key result", findings, `{"result":{"findings":"[]"}}`, `{"findings":[]}`, 2},
		{"key value", findings, `{"value":"{\"findings\":[]}"}`, `{"findings":[]}`, 2},
		{"string around key", findings, `"{\"result\":{\"findings\":[]}}"`, `{"findings":[]}`, 2},
		{"big integer", `{"type":"integer"}`, `"123456789012345678901234567890"`, `123456789012345678901234567890`, 1},
		{"any of", `{"anyOf":[{"type":"array"},{"type":"null"}]}`, `"[1]"`, `[1]`, 1},
		{"open object", `{"type":"object"}`, `{"result":{"a":1}}`, `{"result":{"a":1}}`, 0},
		{"declared key", `{"type":"object","properties":{"result":{"type":"string"}},"required":["result"]}`, `{"result":"{}"}`, `{"result":"{}"}`, 0},
		{"string that looks like JSON", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`, `{"a":"[1]","b":"2"}`, `{"a":"[1]","b":2}`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, n, ok := compile(t, c.schema).Repair(json.RawMessage(c.value))
			if !ok || n != c.repairs || string(got) != c.want {
				t.Errorf("Repair = %s, %d, %v; want %s, %d", got, n, ok, c.want, c.repairs)
			}
		})
	}
}

func TestRepairRefuses(t *testing.T) {
	for _, c := range []struct{ name, schema, value string }{
		{"no JSON", findings, `{"findings":`},
		{"string that is no JSON", findings, `{"findings":"none"}`},
		{"content of another type", findings, `{"findings":"{}"}`},
		{"content that is not valid", findings, `{"findings":"[{}]"}`},
		{"one of two cannot be mended", findings, `{"findings":"[]","score":"high"}`},
		{"null in a string", `{"type":"null"}`, `"null"`},
		{"string in a string", `{"type":"integer"}`, `"\"1\""`},
		{"two keys", findings, `{"output":{"findings":[]},"x":1}`},
		{"another key", findings, `{"answer":{"findings":[]}}`},
		{"two wrappers", findings, `{"output":{"result":{"findings":[]}}}`},
		{"fraction for an integer", `{"type":"integer"}`, `"1.5"`},
		{"string type too long", `{"type":"string","maxLength":1}`, `"12"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, n, ok := compile(t, c.schema).Repair(json.RawMessage(c.value)); ok || got != nil || n != 0 {
				t.Errorf("Repair = %s, %d, %v", got, n, ok)
			}
		})
	}
}

// Values that are valid come back as they are, whatever their strings hold, and
// come back the same when one member was sent as a string.
func TestRepairKeepsStrings(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"s":{"type":"string"},"l":{"type":"array","items":{"type":["string","integer"]}}},"required":["s","l"]}`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"[1]", "{}", "1", "true", `"x"`, "null"}))
		list := rapid.SliceOf(rapid.OneOf(rapid.Map(text, func(s string) any { return s }), rapid.Map(rapid.Int(), func(i int) any { return i }))).Draw(t, "list")
		if list == nil {
			list = []any{}
		}
		value, err := json.Marshal(map[string]any{"s": text.Draw(t, "s"), "l": list})
		if err != nil {
			t.Fatal(err)
		}
		if got, n, ok := s.Repair(value); !ok || n != 0 || string(got) != string(value) {
			t.Fatalf("%s became %s (%d, %v)", value, got, n, ok)
		}
		var parts map[string]json.RawMessage
		if err := json.Unmarshal(value, &parts); err != nil {
			t.Fatal(err)
		}
		quoted, _ := json.Marshal(string(parts["l"]))
		slip := strings.Replace(string(value), string(parts["l"]), string(quoted), 1)
		if strings.Index(string(value), `"l":`+string(parts["l"])) != strings.Index(string(value), string(parts["l"]))-4 {
			t.Skip("the list's text stands in the string too")
		}
		if got, n, ok := s.Repair(json.RawMessage(slip)); !ok || n != 1 || string(got) != string(value) {
			t.Fatalf("%s became %s (%d, %v)", slip, got, n, ok)
		}
	})
}

func TestExtract(t *testing.T) {
	s := compile(t, findings)
	for _, c := range []struct{ name, text, want string }{
		{"bare", `Here it is: {"findings":[]} as asked.`, `{"findings":[]}`},
		{"whole", `{"findings":[]}`, `{"findings":[]}`},
		{"fenced", "Done.\n```json\n{\n  \"findings\": []\n}\n```\nBye {not json}", "{\n  \"findings\": []\n}"},
		{"beside others", `In {"a":1} and [1] I found {"findings":[{"file":"a"}]}`, `{"findings":[{"file":"a"}]}`},
		{"after a stray bracket", `set {x: {"findings":[]}`, `{"findings":[]}`},
		{"twice the same", `{"findings":[]} so again {"findings": []}`, `{"findings":[]}`},
		{"two answers", `{"findings":[]} or {"findings":[{"file":"a"}]}`, ``},
		{"none", `I could not do it.`, ``},
		{"only inside another", `{"wrapped":{"findings":[]}}`, ``},
		{"invalid", `{"findings":"none"}`, ``},
		{"cut off", `{"findings":[{"file":"a"}`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := schema.Extract(c.text, s)
			if ok != (c.want != "") || string(got) != c.want {
				t.Errorf("Extract = %s, %v; want %s", got, ok, c.want)
			}
		})
	}
	number := compile(t, `{"type":"integer"}`)
	for text, want := range map[string]string{"42": "42", "It is:\n```\n42\n```\n": "42", "It is 42.": "", "": ""} {
		if got, ok := schema.Extract(text, number); string(got) != want || ok != (want != "") {
			t.Errorf("Extract(%q) = %s, %v", text, got, ok)
		}
	}
}

// Each bracket starts a value that never ends; reading each to the end would
// take minutes.
func TestExtractIsLinear(t *testing.T) {
	s := compile(t, findings)
	schema.Extract(strings.Repeat(`[{"a":`, 100_000), s)
	schema.Extract(strings.Repeat("[1,", 200_000), s)
}

func TestPlaceholder(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":"...","b":"TODO","c":1}`:     true,
		`{"a":"string","l":["<summary>"]}`: true,
		`"…"`:                              true,
		`{"a":"xxx"}`:                      true,
		`{"a":"[placeholder]"}`:            true,
		`{"a":"...","b":"found a bug"}`:    false,
		`{"a":1,"b":[]}`:                   false,
		`{"a":""}`:                         false,
		`{"a":"x"}`:                        false,
		`{"a":"<a> <b>"}`:                  false,
		`{"a":`:                            false,
	} {
		if got := schema.Placeholder(json.RawMessage(text)); got != want {
			t.Errorf("Placeholder(%s) = %v", text, got)
		}
	}
}

func TestDescribe(t *testing.T) {
	const want = `{
  "findings": [{
    "file": string
    "line"?: integer
    … // other keys are allowed
  }, …]
  "score"?: number
  "ok"?: boolean
  "note"?: string | null
}`
	if got := schema.Describe(json.RawMessage(findings)); got != want {
		t.Errorf("Describe = %s", got)
	}
	for text, want := range map[string]string{
		`{}`:               `any JSON value`,
		`{"enum":["a",1]}`: `"a" | 1`,
		`{"type":"string","maxLength":3,"description":"a\n short  name"}`: `string // maxLength 3, a short name`,
		`{"anyOf":[{"type":"string"},{"const":null}]}`:                    `string | null`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"type":"boolean"}}}`:           `boolean`,
		`{"$ref":"#"}`: `…`,
		`no`:           `any JSON value`,
	} {
		if got := schema.Describe(json.RawMessage(text)); got != want {
			t.Errorf("Describe(%s) = %s, want %s", text, got, want)
		}
	}
}
