package schema

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// report turns the error tree of the validator into violations.
type report struct {
	root   *node // the value that was checked
	schema *Schema
	bare   bool // the value is a schema: its places start at schema, without quotes
	found  []finding
}

type finding struct {
	place path
	text  string
}

// label names a place, in quotes.
func (r *report) label(p path) string {
	text := p.label(r.root)
	switch {
	case r.bare && (text == "" || text[0] == '['):
		return "schema" + text
	case r.bare:
		return "schema." + text
	case text == "":
		text = "value"
	}
	return `"` + text + `"`
}

func (r *report) say(p path, format string, args ...any) {
	r.found = append(r.found, finding{slices.Clone(p), fmt.Sprintf(format, args...)})
}

// must reports that a place must be something.
func (r *report) must(p path, format string, args ...any) {
	r.say(p, `%s must %s`, r.label(p), fmt.Sprintf(format, args...))
}

// sorted gives each violation once, ordered by place.
func (r *report) sorted() []Violation {
	slices.SortStableFunc(r.found, func(a, b finding) int {
		if c := slices.CompareFunc(a.place, b.place, byIndex); c != 0 {
			return c
		}
		return cmp.Compare(a.text, b.text)
	})
	var all []Violation
	for _, f := range r.found {
		v := Violation{Message: f.text}
		if len(f.place) > 0 {
			v.Path = f.place.label(r.root)
		}
		if !slices.Contains(all[max(0, len(all)-8):], v) {
			all = append(all, v)
		}
	}
	return all
}

func byIndex(a, b string) int {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}

// numbers reports numbers that are no finite JSON numbers.
func (r *report) numbers(n *node, p path) {
	if n.kind == '0' && !finite(n.text) {
		r.must(p, "be a finite JSON number")
	}
	for i, item := range n.items {
		if item.kind != '0' && len(item.items) == 0 {
			continue
		}
		token := itoa(i)
		if n.kind == '{' {
			token = n.keys[i]
		}
		r.numbers(item, append(p, token))
	}
}

// allFinite reports whether numbers would find nothing.
func (n *node) allFinite() bool {
	return (n.kind != '0' || finite(n.text)) && !slices.ContainsFunc(n.items, func(c *node) bool { return !c.allFinite() })
}

func (r *report) addAll(causes []*jsonschema.ValidationError) {
	for _, c := range causes {
		r.add(c)
	}
}

func (r *report) add(e *jsonschema.ValidationError) {
	p := path(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			at := append(slices.Clip(p), name)
			r.say(at, `missing required property %s`, r.label(at))
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			at := append(slices.Clip(p), name)
			r.say(at, `%s is not a declared property (additionalProperties: false)`, r.label(at))
		}
	case *kind.Dependency:
		r.needs(p, k.Prop, k.Missing)
	case *kind.DependentRequired:
		r.needs(p, k.Prop, k.Missing)
	case *kind.PropertyNames:
		// The place of this error is not reliable, the name is.
		inner := &report{root: &node{kind: '"', text: k.Property}, schema: r.schema}
		inner.addAll(e.Causes)
		r.say(nil, `property name %s is not allowed: %s`, compact(k.Property), Join(inner.sorted()))
	case *kind.OneOf:
		r.oneOf(e, p, k)
	case *kind.AnyOf:
		r.anyOf(e, p)
	case *kind.Contains:
		r.must(p, "contain an item that matches contains")
	case *kind.MinContains:
		r.must(p, "contain at least %d items that match contains (it has %d)", k.Want, len(k.Got))
	case *kind.MaxContains:
		r.must(p, "contain at most %d items that match contains (it has %d)", k.Want, len(k.Got))
	case *kind.Not:
		r.must(p, "not match the schema under not")
	case *kind.FalseSchema:
		r.say(p, `%s is not allowed here`, r.label(p))
	default:
		if !r.simple(e, p) {
			r.addAll(e.Causes) // Group, AllOf, Reference, Schema and the like
		}
	}
}

func (r *report) needs(p path, having string, missing []string) {
	for _, name := range missing {
		at := append(slices.Clip(p), name)
		r.say(at, `missing required property %s (required beside %s)`, r.label(at), compact(having))
	}
}

// simple reports the kinds that concern one value and have no causes.
func (r *report) simple(e *jsonschema.ValidationError, p path) bool {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		r.must(p, "be %s", wanted(k.Want))
	case *kind.Enum:
		r.must(p, "be one of %s", oneOfValues(k.Want))
	case *kind.Const:
		r.must(p, "be %s", compact(k.Want))
	case *kind.Format:
		r.must(p, "be a valid %s", k.Want)
	case *kind.Pattern:
		r.must(p, "match the pattern %s", k.Want)
	case *kind.MinLength:
		r.must(p, "have at least %s (it has %d)", amount(k.Want, "character"), k.Got)
	case *kind.MaxLength:
		r.must(p, "have at most %s (it has %d)", amount(k.Want, "character"), k.Got)
	case *kind.ContentEncoding:
		r.must(p, "be encoded as %s", k.Want)
	case *kind.ContentMediaType:
		r.must(p, "hold %s", k.Want)
	default:
		return r.sized(e, p)
	}
	return true
}

func (r *report) sized(e *jsonschema.ValidationError, p path) bool {
	switch k := e.ErrorKind.(type) {
	case *kind.MinItems:
		r.must(p, "have at least %s (it has %d)", amount(k.Want, "item"), k.Got)
	case *kind.MaxItems:
		r.must(p, "have at most %s (it has %d)", amount(k.Want, "item"), k.Got)
	case *kind.AdditionalItems:
		r.must(p, "have %s less", amount(k.Count, "item"))
	case *kind.UniqueItems:
		r.must(p, "have no equal items (items %d and %d are)", k.Duplicates[0], k.Duplicates[1])
	case *kind.MinProperties:
		r.must(p, "have at least %d properties (it has %d)", k.Want, k.Got)
	case *kind.MaxProperties:
		r.must(p, "have at most %d properties (it has %d)", k.Want, k.Got)
	case *kind.Minimum:
		r.must(p, "be >= %s", decimal(k.Want))
	case *kind.Maximum:
		r.must(p, "be <= %s", decimal(k.Want))
	case *kind.ExclusiveMinimum:
		r.must(p, "be > %s", decimal(k.Want))
	case *kind.ExclusiveMaximum:
		r.must(p, "be < %s", decimal(k.Want))
	case *kind.MultipleOf:
		r.must(p, "be a multiple of %s", decimal(k.Want))
	case *kind.RefCycle:
		r.say(p, `%s cannot be checked: the schema refers to itself without an end`, r.label(p))
	default:
		return false
	}
	return true
}

func amount(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return itoa(n) + " " + noun + "s"
}

// decimal writes a bound as the schema did, more or less.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	digits, _ := r.FloatPrec()
	return r.FloatString(digits)
}

// wanted names types as a phrase.
func wanted(types []string) string {
	phrases := make([]string, len(types))
	for i, t := range types {
		switch t {
		case "null":
			phrases[i] = t
		case "integer", "object", "array":
			phrases[i] = "an " + t
		default:
			phrases[i] = "a " + t
		}
	}
	if len(phrases) < 2 {
		return strings.Join(phrases, "")
	}
	last := len(phrases) - 1
	return strings.Join(phrases[:last], ", ") + " or " + phrases[last]
}

// maxChoices bounds how many values of an enum are listed.
const maxChoices = 100

func oneOfValues(want []any) string {
	if len(want) <= maxChoices {
		return compact(want)
	}
	list := compact(want[:maxChoices])
	return fmt.Sprintf("%s,… (%d values)]", strings.TrimSuffix(list, "]"), len(want))
}
