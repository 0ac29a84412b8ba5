package tool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type sample struct {
	Zeta  string             `json:"zeta" jsonschema:"The last letter comes first."`
	List  []string           `json:"list,omitempty"`
	Count *int               `json:"count,omitempty"`
	Inner *struct{ A []int } `json:"inner,omitempty"`
	Map   map[string]bool    `json:"map,omitempty"`
	Alpha float64            `json:"alpha"`
}

func sampleTool(got *sample) Tool {
	return Of("sample", "doc", func(_ context.Context, _ Call, in sample) (Result, error) {
		*got = in
		return Result{Content: Text("ok")}, nil
	})
}

func TestOfDerivesOpenSchemaInFieldOrder(t *testing.T) {
	const want = `{"type":"object","properties":{` +
		`"zeta":{"type":"string","description":"The last letter comes first."},` +
		`"list":{"type":"array","items":{"type":"string"}},` +
		`"count":{"type":"integer"},` +
		`"inner":{"type":"object","properties":{"A":{"type":"array","items":{"type":"integer"}}},"required":["A"]},` +
		`"map":{"type":"object","additionalProperties":{"type":"boolean"}},` +
		`"alpha":{"type":"number"}},"required":["zeta","alpha"]}`
	for range 20 {
		if d := cmp.Diff(want, string(sampleTool(new(sample)).Input)); d != "" {
			t.Fatal(d)
		}
	}
}

func TestOfDecodes(t *testing.T) {
	var got sample
	r := registry(t, sampleTool(&got))
	result := r.Run(t.Context(), Call{Name: "sample"},
		`{"zeta":"z","ZETA":"intruder","INNER":{"A":[1]},"alpha":1,"count":3.0,"extra":{"x":[]},"map":{"k":true},"list":["a"]}`)
	if result.IsError {
		t.Fatal(result.Error)
	}
	three := 3
	want := sample{Zeta: "z", Alpha: 1, Count: &three, Map: map[string]bool{"k": true}, List: []string{"a"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestOfRefusesNullAndWhatDoesNotFit(t *testing.T) {
	r := registry(t, sampleTool(new(sample)))
	for args, want := range map[string]string{
		`{"zeta":"z","alpha":1,"list":null}`:                  `invalid arguments: "list" must be an array`,
		`{"zeta":"z","alpha":1,"count":1.5}`:                  `invalid arguments: "count" must be an integer`,
		`{"zeta":"z","alpha":1,"count":99999999999999999999}`: `invalid arguments: "count" is a number 99999999999999999999 that does not fit`,
		`{"zeta":"z","alpha":1,"count":1e30}`:                 `invalid arguments: "count" is a number 1e30 that does not fit`,
		`{"zeta":"z","alpha":1,"count":1e-999999999}`:         ``,
	} {
		result := r.Run(t.Context(), Call{Name: "sample"}, args)
		if !result.IsError || result.Error.Kind != KindInvalidArgs || want != "" && result.Error.Message != want {
			t.Errorf("%s: %v", args, result.Error)
		}
	}
}

func TestOfEmptyStruct(t *testing.T) {
	tl := Of("none", "", func(_ context.Context, c Call, _ struct{}) (Result, error) {
		return Result{Content: Text(string(c.Arguments))}, nil
	})
	if got := string(tl.Input); got != `{"type":"object","properties":{}}` {
		t.Errorf("schema %s", got)
	}
	for _, raw := range []string{"", " \n", "{}", `{"extra":1}`} {
		if r := registry(t, tl).Run(t.Context(), Call{Name: "none"}, raw); r.IsError {
			t.Errorf("%q: %v", raw, r.Error)
		}
	}
}

func TestOfPanicsOnWhatIsNoStruct(t *testing.T) {
	defer func() {
		if v := recover(); v == nil || !strings.Contains(v.(string), "odd") {
			t.Errorf("got %v", v)
		}
	}()
	Of("odd", "", func(context.Context, Call, map[string]int) (Result, error) { return Result{}, nil })
}

func TestWholeNumbers(t *testing.T) {
	for in, want := range map[string]string{
		"3.0": "3", "1e3": "1000", "-2.50e1": "-25", "1.5": "1.5", `"3.0"`: `"3.0"`, "12": "12", "1e19": "1e19",
		"-0.0": "0", "1e99999": "1e99999", "{}": "{}", "": "",
	} {
		if got := string(wholeNumbers(json.RawMessage(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
