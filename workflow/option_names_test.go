package workflow

import (
	"slices"
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
