package sim

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dsh-go/dsh-workflow/schema"
)

const review = `{"type":"object","properties":{
	"summary":{"type":"string","description":"One sentence."},
	"severity":{"type":"string","enum":["low","high"]},
	"findings":{"type":"array","items":{"type":"object","properties":{"file":{"type":"string"},"line":{"type":"integer","minimum":10,"maximum":12}},"required":["file","line"],"additionalProperties":false}},
	"done":{"type":"boolean"}},"required":["summary","severity","findings","done"],"additionalProperties":false}`

func TestMadeUpValuesReadLikeAnAnswer(t *testing.T) {
	seen := map[string]bool{}
	counts := map[int]bool{}
	for seed := range uint64(20) {
		raw, err := madeUp(json.RawMessage(review), seed)
		if err != nil {
			t.Fatal(err)
		}
		var value struct {
			Summary, Severity string
			Findings          []struct {
				File string
				Line int
			}
		}
		if err := json.Unmarshal(raw, &value); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(value.Summary, "simulated summary ") || len(value.Findings) == 0 || !strings.HasPrefix(value.Findings[0].File, "simulated file ") {
			t.Errorf("%s", raw)
		}
		seen[string(raw)], counts[len(value.Findings)] = true, true
	}
	if len(seen) < 15 || !counts[1] || !counts[2] {
		t.Errorf("%d values of 20 differ, lengths %v", len(seen), counts)
	}
}

func TestMadeUpValuesKeepTheOrderOfTheSmallest(t *testing.T) {
	raw, err := madeUp(json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"},"m":{"type":"integer"}}}`), 1)
	if err != nil {
		t.Fatal(err)
	}
	z, a, m := strings.Index(string(raw), `"z"`), strings.Index(string(raw), `"a"`), strings.Index(string(raw), `"m"`)
	if z < 0 || z > a || a > m {
		t.Errorf("without required members all are given, in their order: %s", raw)
	}
}

// Constraints that the livener reads, and some that it must leave alone.
func TestMadeUpValuesAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(drawSchema(t, 0))
		if err != nil {
			t.Fatal(err)
		}
		compiled, err := schema.Compile(text)
		if err != nil {
			t.Skip(err)
		}
		if _, err := compiled.Example(); err != nil {
			t.Skip(err)
		}
		value, err := madeUp(text, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		if faults := compiled.Check(value); len(faults) > 0 {
			t.Fatalf("%s is no instance of %s: %v", value, text, faults)
		}
		// The livener has to be right by itself; the check behind it is a net.
		smallest, err := compiled.Example()
		if err != nil {
			t.Fatal(err)
		}
		lively := (&livener{seed: 1, example: schema.Example}).value(text, smallest, []string{"result"})
		if !compiled.Valid(lively) {
			t.Fatalf("livened %s is no instance of %s", lively, text)
		}
	})
}

func drawSchema(t *rapid.T, depth int) map[string]any {
	kinds := []string{"string", "integer", "number", "boolean", "enum", "array", "object"}
	if depth > 2 {
		kinds = kinds[:5]
	}
	kind := rapid.SampledFrom(kinds).Draw(t, "kind")
	out := map[string]any{"type": kind}
	maybe := func(key string, value func() any) {
		if rapid.IntRange(0, 2).Draw(t, key+"?") == 0 {
			out[key] = value()
		}
	}
	small := func() any { return rapid.IntRange(0, 4).Draw(t, "n") }
	switch kind {
	case "string":
		maybe("minLength", small)
		maybe("maxLength", func() any { return rapid.IntRange(4, 60).Draw(t, "n") })
		maybe("pattern", func() any { return "^[a-z]+$" })
	case "integer", "number":
		maybe("minimum", func() any { return rapid.IntRange(-20, 20).Draw(t, "n") })
		maybe("maximum", func() any { return rapid.IntRange(20, 40).Draw(t, "n") })
		maybe("multipleOf", func() any { return 5 })
		maybe("exclusiveMinimum", func() any { return rapid.IntRange(-20, 10).Draw(t, "n") })
	case "enum":
		out = map[string]any{"enum": []string{"aaa", "b", "c"}}
		maybe("minLength", func() any { return 2 })
	case "array":
		out["items"] = drawSchema(t, depth+1)
		maybe("minItems", small)
		maybe("maxItems", func() any { return rapid.IntRange(4, 6).Draw(t, "n") })
		maybe("uniqueItems", func() any { return true })
	case "object":
		properties := map[string]any{}
		var names []string
		for i := range rapid.IntRange(0, 4).Draw(t, "members") {
			name := fmt.Sprintf("p%d", i)
			names = append(names, name)
			properties[name] = drawSchema(t, depth+1)
		}
		out["properties"] = properties
		maybe("required", func() any { return names[:len(names)/2] })
		maybe("additionalProperties", func() any { return false })
		maybe("maxProperties", func() any { return 4 })
	}
	return out
}

func FuzzMadeUp(f *testing.F) {
	for _, s := range []string{review, `{"type":["string","null"]}`, `{"$ref":"#/$defs/a","$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/a"}}}}`,
		`{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `true`, `{"type":"number","minimum":-1e300,"maximum":1e300}`, `{"type":"string","minLength":99999999}`, `{"properties":{"a":true}}`} {
		f.Add([]byte(s), uint64(1))
	}
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		compiled, err := schema.Compile(text)
		if err != nil {
			return
		}
		if value, err := madeUp(text, seed); err == nil && !compiled.Valid(value) {
			t.Fatalf("%s is no instance of %s", value, text)
		}
	})
}
