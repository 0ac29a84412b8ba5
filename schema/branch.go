package schema

import (
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

func (r *report) oneOf(e *jsonschema.ValidationError, p path, k *kind.OneOf) {
	matched := 0
	if len(k.Subschemas) > 0 {
		matched = r.countMatches(e, p, len(k.Subschemas))
	}
	r.must(p, "match exactly one oneOf branch (matched %d)", matched)
	if matched == 0 {
		r.closest(e, p)
	}
}

func (r *report) anyOf(e *jsonschema.ValidationError, p path) {
	if types := onlyTypes(e); types != nil {
		r.must(p, "be %s", wanted(types))
		return
	}
	r.must(p, "match at least one anyOf branch")
	r.closest(e, p)
}

// onlyTypes gives the types that the branches want, when that is all they want.
func onlyTypes(e *jsonschema.ValidationError) []string {
	var all []string
	for _, c := range e.Causes {
		k, ok := c.ErrorKind.(*kind.Type)
		if !ok || len(c.InstanceLocation) != len(e.InstanceLocation) {
			return nil
		}
		for _, t := range k.Want {
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	return all
}

// closest adds the violations of the branch that was meant, when one can be
// told: the only one whose type and constants fit.
func (r *report) closest(e *jsonschema.ValidationError, p path) {
	var meant *jsonschema.ValidationError
	for _, c := range e.Causes {
		if otherwise(c, len(p)) {
			continue
		}
		if meant != nil {
			return
		}
		meant = c
	}
	if meant != nil {
		r.add(meant)
	}
}

// otherwise reports whether a failed branch was plainly not the one meant: the
// value has another type, or a constant directly in it differs.
func otherwise(e *jsonschema.ValidationError, depth int) bool {
	below := len(e.InstanceLocation) - depth
	switch e.ErrorKind.(type) {
	case *kind.Type, *kind.FalseSchema:
		return below == 0
	case *kind.Const, *kind.Enum:
		return below <= 1
	case *kind.Group, *kind.AllOf, *kind.Reference:
		return slices.ContainsFunc(e.Causes, func(c *jsonschema.ValidationError) bool { return otherwise(c, depth) })
	}
	return false
}

// countMatches gives the number of branches that match; the validator stops at
// the second.
func (r *report) countMatches(e *jsonschema.ValidationError, p path, known int) int {
	if r.schema == nil {
		return known
	}
	s := r.schema.places[pointerOf(e.SchemaURL)]
	at := r.root.at(p)
	if s == nil || at == nil {
		return known
	}
	v := at.plain()
	n := 0
	for _, branch := range s.OneOf {
		if branch.Validate(v) == nil {
			n++
		}
	}
	return max(n, known)
}

// pointerOf gives the JSON pointer of a location.
func pointerOf(location string) string {
	_, fragment, _ := strings.Cut(location, "#")
	if pointer, err := url.PathUnescape(fragment); err == nil {
		return pointer
	}
	return fragment
}

// index lists all compiled schemas by their JSON pointer.
func index(root *jsonschema.Schema) map[string]*jsonschema.Schema {
	places := map[string]*jsonschema.Schema{}
	seen := map[*jsonschema.Schema]bool{}
	todo := []*jsonschema.Schema{root}
	push := func(all ...*jsonschema.Schema) {
		for _, s := range all {
			if s != nil && !seen[s] {
				seen[s] = true
				todo = append(todo, s)
			}
		}
	}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		places[pointerOf(s.Location)] = s
		push(s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.PropertyNames, s.UnevaluatedProperties,
			s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema)
		push(s.AllOf...)
		push(s.AnyOf...)
		push(s.OneOf...)
		push(s.PrefixItems...)
		for _, m := range []map[string]*jsonschema.Schema{s.Properties, s.DependentSchemas} {
			for _, c := range m {
				push(c)
			}
		}
		for _, c := range s.PatternProperties {
			push(c)
		}
		for _, v := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
			switch v := v.(type) {
			case *jsonschema.Schema:
				push(v)
			case []*jsonschema.Schema:
				push(v...)
			}
		}
	}
	return places
}
