package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dsh-go/dsh-workflow/internal/similar"
	"go.yaml.in/yaml/v3"
)

// reader turns one layer into a tree of checked values. It notes where each
// value stands and everything that is wrong; what is wrong is not in the tree.
// It is what koanf calls a parser.
type reader struct {
	rules  map[string]rule
	origin func(k key, line int) Origin
	places map[key]Origin // of values and sections, the wrong ones too
	faults Faults
	broken bool // the document is none
}

// Unmarshal reads a document. It returns no error: see faults.
func (r *reader) Unmarshal(raw []byte) (map[string]any, error) {
	n, problem, line := parse(raw)
	if problem != "" {
		r.broken = true
		r.fault("", line, "%s", problem)
	}
	if n == nil || null(n) {
		return map[string]any{}, nil
	}
	return r.object(n, reflect.TypeFor[File](), "", ""), nil
}

// Marshal is not needed to read.
func (r *reader) Marshal(map[string]any) ([]byte, error) {
	return nil, fmt.Errorf("a layer is read only")
}

// maxFaults bounds the faults of one layer that are spelled out.
const maxFaults = 100

func (r *reader) fault(k key, line int, format string, args ...any) {
	switch n := len(r.faults); {
	case n == maxFaults:
		k, format, args = "", "has more faults; mend these first", nil
	case n > maxFaults:
		return
	}
	r.faults = append(r.faults, Fault{Origin: r.origin(k, line), Key: k.String(), Text: fmt.Sprintf(format, args...)})
}

func null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// plain refuses what makes a file mean something else than it shows.
func (r *reader) plain(n *yaml.Node, k key) bool {
	switch {
	case n.Kind == yaml.AliasNode:
		r.fault(k, n.Line, "refers to an anchor (*); write the value out")
	case n.Anchor != "":
		r.fault(k, n.Line, "has an anchor (&); write each value out where it is used")
	case n.Style&yaml.TaggedStyle != 0:
		r.fault(k, n.Line, "has a tag (!); leave it out")
	default:
		return true
	}
	return false
}

// object reads the members of a struct or a map; each is the tag of the values of
// a map that are no structs, name that of its keys.
func (r *reader) object(n *yaml.Node, t reflect.Type, k key, tag reflect.StructTag) map[string]any {
	out := map[string]any{}
	if !r.plain(n, k) {
		return out
	}
	if n.Kind != yaml.MappingNode {
		if k == "" {
			r.fault(k, n.Line, "must be an object with the keys %s, not %s", strings.Join(fieldNames(t), ", "), what(n))
		} else {
			r.fault(k, n.Line, "must be an object, not %s", what(n))
		}
		return out
	}
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content) && len(r.faults) <= maxFaults; i += 2 {
		name, ok := r.name(n.Content[i], k)
		if !ok {
			continue
		}
		if line, twice := first[name]; twice {
			r.fault(k, n.Content[i].Line, "%s stands there twice; the first one is in line %d", shown(name), line)
			continue
		}
		first[name] = n.Content[i].Line
		m := member{name: name, line: n.Content[i].Line, at: k}
		if t.Kind() == reflect.Map {
			r.entry(out, m, n.Content[i+1], t.Elem(), tag)
		} else {
			r.field(out, m, n.Content[i+1], t)
		}
	}
	return out
}

// member is one key of an object and where it stands.
type member struct {
	name string
	line int
	at   key // of the object
}

func (r *reader) name(n *yaml.Node, at key) (string, bool) {
	if !r.plain(n, at) {
		return "", false
	}
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
		r.fault(at, n.Line, "the key of a member must be a text, not %s; put it in quotes", what(n))
		return "", false
	}
	return n.Value, true
}

// entry reads one value of a map.
func (r *reader) entry(out map[string]any, m member, n *yaml.Node, t reflect.Type, tag reflect.StructTag) {
	kind := tag.Get("name")
	if problem := nameProblem(kind, m.name); problem != "" {
		r.fault(m.at, m.line, "%s is no name for a %s: %s", shown(m.name), kind, problem)
		return
	}
	k := m.at.with(m.name)
	if kind == "provider" && r.origin(k, m.line).file() && (m.name == Sim || m.name == Custom) {
		r.fault(k, m.line, "the name is taken by the simulated model (sim) or the endpoint of --base-url (custom): choose another one")
		return
	}
	r.places[k] = r.origin(k, m.line)
	if v, ok := r.value(n, t, k, tag.Get("each")); ok {
		out[m.name] = v
	}
}

// field reads one member of a struct.
func (r *reader) field(out map[string]any, m member, n *yaml.Node, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		if nameOf(f) != m.name {
			continue
		}
		k := m.at.with(m.name)
		r.places[k] = r.origin(k, m.line)
		if f.Type.Kind() == reflect.Map {
			if v, ok := r.section(n, f.Type, k, f.Tag); ok {
				out[m.name] = v
			}
			return
		}
		if v, ok := r.value(n, f.Type, k, f.Tag.Get("is")); ok {
			out[m.name] = v
		}
		return
	}
	r.unknown(m, t)
}

// value reads a value of any type.
func (r *reader) value(n *yaml.Node, t reflect.Type, k key, is string) (any, bool) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		return r.section(n, t, k, "")
	}
	switch {
	case !r.plain(n, k):
		return nil, false
	case null(n):
		r.fault(k, n.Line, "has no value: write one, or remove the line")
		return nil, false
	}
	v, problem := r.rules[is].read(n)
	if problem != "" {
		r.fault(k, n.Line, "%s", problem)
		return nil, false
	}
	return v, true
}

// section reads an object that may be there without a member.
func (r *reader) section(n *yaml.Node, t reflect.Type, k key, tag reflect.StructTag) (any, bool) {
	if null(n) {
		return map[string]any{}, true
	}
	return r.object(n, t, k, tag), true
}

// later gives the keys that a version to come will have.
func later(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[Provider]():
		return []string{"rpm", "tpm"}
	case reflect.TypeFor[Defaults]():
		return []string{"permissionMode", "sandbox"}
	case reflect.TypeFor[Limits]():
		return []string{"memory", "budgetTokens", "budgetUsd"}
	}
	return nil
}

// unknown says which key was probably meant.
func (r *reader) unknown(m member, t reflect.Type) {
	known := fieldNames(t)
	list := strings.Join(known, ", ")
	switch {
	case slices.Contains(later(t), m.name):
		r.fault(m.at, m.line, "%s is not supported by this version: remove it (known here: %s)", m.name, list)
	case namesSecret(m.name):
		hint := "write the name of a variable that holds it, after keyEnv of its provider"
		if t == reflect.TypeFor[Provider]() {
			hint = "put it into a variable and write the variable's name after keyEnv"
		}
		r.fault(m.at, m.line, "%s is not a known key, and a secret does not belong into this file: %s", shown(m.name), hint)
	default:
		near := ""
		if meant, ok := closest(m.name, known); ok {
			near = fmt.Sprintf("; did you mean %s?", meant)
		}
		r.fault(m.at, m.line, "%s is not a known key%s (known here: %s)", shown(m.name), near, list)
	}
}

// closest finds the known key that is nearest to a word, without regard to case
// and separators.
func closest(word string, known []string) (string, bool) {
	flat := make([]string, len(known))
	for i, k := range known {
		flat[i] = flatten(k)
	}
	word = flatten(word)
	meant, ok := similar.Closest(word[:min(len(word), 64)], flat, max(2, len(word)/3))
	if !ok {
		return "", false
	}
	return known[slices.Index(flat, meant)], true
}

func flatten(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s))
}

func fieldNames(t reflect.Type) []string {
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = nameOf(t.Field(i))
	}
	return names
}

func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
