package workflow

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/lint"
)

// What the linter and the declarations for editors know are the options that
// calls are read with.
func TestOptionNames(t *testing.T) {
	sorted := func(names []string) []string { return slices.Sorted(slices.Values(names)) }
	if d := cmp.Diff(sorted(knownOptions), sorted(lint.OptionNames())); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(efforts, lint.Efforts()); d != "" {
		t.Error(d)
	}
}

// What agent.settled() gives is what the declarations say.
func TestSettledFields(t *testing.T) {
	raw, err := json.Marshal(settledValue{})
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(lint.Declarations(), "\ntype Settled<T> =")
	text, _, _ = strings.Cut(text, "\n\n")
	for name := range fields {
		if strings.Count(text, " "+name+": ") != 2 {
			t.Errorf("the declaration of Settled lacks %s:\n%s", name, text)
		}
	}
	if n := strings.Count(text, ";"); n != 2*len(fields) { // and one more field in the type of error
		t.Errorf("the declaration of Settled has other fields:\n%s", text)
	}
}
