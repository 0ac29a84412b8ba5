package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Build renders the system text: the sections in their order, with their
// variables put in, joined by blank lines. Sections that are empty are left
// out; without any the text is empty and a request carries no system message.
//
// The error says which section or variable is at fault: a name that occurs
// twice, an order that is not finite, a reference that is malformed, unknown or
// without a value. Neither list is changed.
func Build(sections []Section, vars []Variable) (string, error) {
	if err := check(sections); err != nil {
		return "", err
	}
	table, err := newTable(vars)
	if err != nil {
		return "", err
	}
	sorted := slices.Clone(sections)
	slices.SortStableFunc(sorted, func(a, b Section) int { return cmp.Compare(a.Order, b.Order) })
	parts := make([]string, 0, len(sorted))
	for _, s := range sorted {
		text, err := render(s, vars, table)
		if err != nil {
			return "", err
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n"), nil
}

func render(s Section, vars []Variable, table *table) (string, error) {
	text := s.Text
	if s.Func != nil {
		made, err := s.Func(slices.Clone(vars))
		if err != nil {
			return "", fmt.Errorf("prompt section %q: %w", s.Name, err)
		}
		text = made
	}
	return table.interpolate(s.Name, text)
}
