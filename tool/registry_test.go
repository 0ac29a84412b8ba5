package tool

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func registry(t testing.TB, tools ...Tool) *Registry {
	t.Helper()
	r, err := NewRegistry(tools...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// named is a tool that answers with its name.
func named(name string) Tool {
	return Tool{
		Name: name, Description: "about " + name, Input: json.RawMessage(`{ "type": "object" }`),
		Run: func(context.Context, Call) (Result, error) { return Result{Content: Text(name)}, nil },
	}
}

// proves: A124
func TestOrder(t *testing.T) {
	r := registry(t, named("b"), named("c"), named("a"))
	more, err := r.With(named("z"), named("aa"))
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := more.Narrow([]string{"z", "b", "aa"})
	if err != nil {
		t.Fatal(err)
	}
	none, err := more.Narrow(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"a", "b", "c"}, {"a", "b", "c", "z", "aa"}, {"b", "z", "aa"}, nil}
	got := [][]string{r.Names(), more.Names(), narrow.Names(), none.Names()}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// proves: A176
func TestSpecsShowNameDescriptionParameters(t *testing.T) {
	r := registry(t, named("a"))
	specs := r.Specs()
	if s := specs[0]; s.Name != "a" || s.Description != "about a" || string(s.Parameters) != `{"type":"object"}` {
		t.Errorf("got %+v", s)
	}
	specs[0].Parameters[0] = 'X'
	if r.Specs()[0].Parameters[0] != '{' {
		t.Error("a caller can change the schema")
	}
}

func TestRefusedTools(t *testing.T) {
	spoilt := func(change func(*Tool)) Tool {
		tl := named("a")
		change(&tl)
		return tl
	}
	for want, tools := range map[string][]Tool{
		"registered twice":  {named("a"), named("a")},
		"is not 1 to 64":    {named("a b")},
		"has no Run":        {spoilt(func(x *Tool) { x.Run = nil })},
		"input schema":      {spoilt(func(x *Tool) { x.Input = nil })},
		`must be "object"`:  {spoilt(func(x *Tool) { x.Input = json.RawMessage(`{"type":"array"}`) })},
		`schema.frobnicate`: {spoilt(func(x *Tool) { x.Input = json.RawMessage(`{"type":"object","frobnicate":1}`) })},
	} {
		if _, err := NewRegistry(tools...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := registry(t, named("a")).With(named("a")); err == nil {
		t.Error("With took a name twice")
	}
}

func TestNarrowNamesWhatIsKnown(t *testing.T) {
	r := registry(t, named("a"), named("b"))
	_, err := r.Narrow([]string{"a", "x", "y"})
	if err == nil || err.Error() != `unknown tool "x", "y" (known: a, b)` {
		t.Errorf("got %v", err)
	}
	only, err := r.Narrow([]string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	if got := only.Run(t.Context(), Call{Name: "b"}, ""); got.Error == nil || got.Error.Kind != KindUnknown {
		t.Errorf("a hidden tool ran: %+v", got)
	}
	if got := r.Run(t.Context(), Call{Name: "b"}, ""); got.IsError {
		t.Error("narrowing changed the registry it came from")
	}
}

// proves: A195
func TestNarrowingOfANarrowedRegistry(t *testing.T) {
	all := registry(t, named("a"), named("b"), named("c"))
	narrow := func(r *Registry, names ...string) *Registry {
		t.Helper()
		next, err := r.Narrow(names)
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	first := narrow(all, "a", "b")
	second := narrow(first, "b")
	if got := second.Names(); !slices.Equal(got, []string{"b"}) {
		t.Errorf("both restrictions leave %q", got)
	}
	for _, name := range []string{"c", "nothing"} { // c was taken away above
		if _, err := first.Narrow([]string{"b", name}); err == nil || !strings.Contains(err.Error(), `unknown tool "`+name+`"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	own, err := second.With(named("own"))
	if err != nil {
		t.Fatal(err)
	}
	if got := own.Names(); !slices.Equal(got, []string{"b", "own"}) {
		t.Errorf("with a tool of its own it has %q", got)
	}
	if got := own.Run(t.Context(), Call{Name: "a"}, ""); got.Error == nil || got.Error.Kind != KindUnknown {
		t.Errorf("a tool that was taken away gives %+v", got)
	}
}

// proves: A196
func TestParallel(t *testing.T) {
	yes, no, bad := named("yes"), named("no"), named("bad")
	yes.Input = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
	yes.Parallel = func(args json.RawMessage) bool { return !strings.Contains(string(args), "13") }
	bad.Parallel = func(json.RawMessage) bool { panic("bug") }
	r := registry(t, yes, no, bad)
	for _, tc := range []struct {
		name, args string
		want       bool
	}{
		{"yes", `{"n":1}`, true}, {"yes", ``, true}, {"yes", `{"n":13}`, false}, {"yes", `{"n":"1"}`, false},
		{"yes", `{"n":`, false}, {"no", `{}`, false}, {"bad", `{}`, false}, {"missing", `{}`, false},
	} {
		if got := r.Parallel(tc.name, json.RawMessage(tc.args)); got != tc.want {
			t.Errorf("%s %s: %v", tc.name, tc.args, got)
		}
	}
}
