package schema

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// ErrNoExample is given when no instance of a schema was found. The schema may
// have none, or one that only a search could find.
var ErrNoExample = errors.New("no instance of the schema was found")

// Example gives a small valid instance of a schema, always the same one: only
// required members, as few items as allowed, the first value of an enum, the
// lowest number. Strings without constraints are a word, not empty. The result
// has been checked. The error is that of Compile, or ErrNoExample.
func Example(raw json.RawMessage) (json.RawMessage, error) {
	s, err := Compile(raw)
	if err != nil {
		return nil, err
	}
	return s.Example()
}

// Example is the function of that name for a compiled schema.
func (s *Schema) Example() (json.RawMessage, error) {
	g := &generator{schema: s, budget: 20000}
	for salt := range 3 {
		for _, candidate := range g.instances([]*node{s.root}, 0, salt) {
			if raw := json.RawMessage(candidate); s.Valid(raw) {
				return raw, nil
			}
		}
	}
	return nil, ErrNoExample
}

const (
	maxExampleDepth = 64
	maxInstances    = 4
)

// generator builds instances from the bottom up and checks each part against its
// own schema.
type generator struct {
	schema *Schema
	budget int // steps that are left
}

// goal is what one value must satisfy: schemas without $ref and allOf, and the
// choices that they leave open.
type goal struct {
	all     []*node
	choices [][]*node
}

// instances gives up to a few JSON texts that satisfy all schemas. Different
// salts give different values where the schemas leave room.
func (g *generator) instances(all []*node, depth, salt int) []string {
	if g.budget--; g.budget < 0 || depth > maxExampleDepth {
		return nil
	}
	var into goal
	if !g.expand(&into, all, map[*node]bool{}) {
		return nil
	}
	return g.choose(into, depth, salt)
}

// expand resolves references and allOf. It gives false when a schema allows
// nothing.
func (g *generator) expand(into *goal, all []*node, seen map[*node]bool) bool {
	for _, n := range all {
		if n.kind == 't' {
			if n.text == "false" {
				return false
			}
			continue
		}
		if seen[n] {
			continue
		}
		seen[n] = true
		into.all = append(into.all, n)
		for i, key := range n.keys {
			v := n.items[i]
			var more []*node
			switch key {
			case "$ref", "$dynamicRef", "$recursiveRef":
				if target := g.target(v.text); target != nil {
					more = []*node{target}
				}
			case "allOf":
				more = v.items
			case "anyOf", "oneOf":
				into.choices = append(into.choices, v.items)
			}
			if !g.expand(into, more, seen) {
				return false
			}
		}
		if condition := n.member("if"); condition != nil {
			into.choices = append(into.choices, conditional(n))
		}
	}
	return true
}

// conditional gives the branches of if, then, else; that the branch is the right
// one is found by checking.
func conditional(n *node) []*node {
	always := &node{kind: 't', text: "true"}
	branches := []*node{always}
	if v := n.member("else"); v != nil {
		branches = append(branches, v)
	}
	both := &node{kind: '{', keys: []string{"allOf"}, items: []*node{{kind: '[', items: []*node{n.member("if")}}}}
	if v := n.member("then"); v != nil {
		both.items[0].items = append(both.items[0].items, v)
	}
	return append(branches, both)
}

func (g *generator) target(text string) *node {
	n, anchor, ok := g.schema.lint.target(text)
	if ok {
		return n
	}
	if anchor {
		for s := range g.schema.where {
			for _, key := range []string{"$anchor", "$dynamicAnchor"} {
				if v := s.member(key); v != nil && v.text == text[1:] {
					return s
				}
			}
		}
	}
	return nil
}

// choose takes the branches of the first open choice in turn.
func (g *generator) choose(open goal, depth, salt int) []string {
	if g.budget--; g.budget < 0 {
		return nil
	}
	if len(open.choices) == 0 {
		return g.check(open.all, g.build(open.all, depth, salt))
	}
	var found []string
	branches := open.choices[0]
	for i := range branches {
		branch := branches[(i+salt)%len(branches)]
		next := goal{all: slices.Clone(open.all), choices: slices.Clone(open.choices[1:])}
		seen := map[*node]bool{}
		for _, n := range open.all {
			seen[n] = true
		}
		if !g.expand(&next, []*node{branch}, seen) {
			continue
		}
		found = append(found, g.choose(next, depth, salt)...)
		if len(found) >= maxInstances {
			break
		}
	}
	return found
}

// check keeps the values that satisfy every schema, as far as a schema can be
// checked on its own.
func (g *generator) check(all []*node, values []string) []string {
	var good []string
	for _, v := range values {
		n, err := parse([]byte(v))
		if err != nil || !n.allFinite() {
			continue
		}
		if !slices.ContainsFunc(all, func(s *node) bool { return !g.schema.fits(s, n) }) {
			good = append(good, v)
		}
		if len(good) >= maxInstances {
			break
		}
	}
	return good
}

// fits checks a value against one of the schemas inside the root.
func (s *Schema) fits(part, n *node) bool {
	pointer, ok := s.where[part]
	compiled := s.places[pointer]
	if !ok || compiled == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	valid := false
	err := s.guarded(n.size(), func() { valid = compiled.Validate(n.plain()) == nil })
	return err == nil && valid
}

// build gives candidates for schemas without open choices, the smallest first.
func (g *generator) build(all []*node, depth, salt int) []string {
	for _, n := range all {
		if v := n.member("const"); v != nil {
			return []string{g.raw(v)}
		}
	}
	for _, n := range all {
		if v := n.member("enum"); v != nil {
			var values []string
			for i := range v.items {
				values = append(values, g.raw(v.items[(i+salt)%len(v.items)]))
			}
			return values
		}
	}
	var values []string
	for _, t := range g.types(all) {
		switch t {
		case "object":
			values = append(values, g.object(all, depth, salt)...)
		case "array":
			values = append(values, g.array(all, depth, salt)...)
		case "string":
			values = append(values, g.strings(all, salt)...)
		case "number", "integer":
			values = append(values, numbers(all, t, salt)...)
		case "boolean":
			values = append(values, []string{"false", "true"}[salt%2], []string{"true", "false"}[salt%2])
		case "null":
			values = append(values, "null")
		}
	}
	return values
}

func (g *generator) raw(n *node) string { return string(g.schema.raw[n.start:n.end]) }

// types gives the types that all schemas allow; when none names any, the type
// that their other keywords speak of comes first.
func (g *generator) types(all []*node) []string {
	var allowed []string
	named := false
	for _, n := range all {
		v := n.member("type")
		if v == nil {
			continue
		}
		own := []string{v.text}
		if v.kind == '[' {
			own = nil
			for _, item := range v.items {
				own = append(own, item.text)
			}
		}
		if !named {
			allowed, named = own, true
			continue
		}
		allowed = common(allowed, own)
	}
	if named {
		return allowed
	}
	return append(hinted(all), "string", "null", "object", "array", "number", "boolean")
}

// common gives the types in both lists; an integer is a number.
func common(a, b []string) []string {
	var both []string
	for _, t := range a {
		switch {
		case slices.Contains(b, t):
			both = append(both, t)
		case t == "integer" && slices.Contains(b, "number"), t == "number" && slices.Contains(b, "integer"):
			both = append(both, "integer")
		}
	}
	return both
}

func hinted(all []*node) []string {
	for _, n := range all {
		for _, key := range n.keys {
			switch {
			case strings.Contains(key, "ropert"), key == "required", strings.HasPrefix(key, "dependent"):
				return []string{"object"}
			case strings.Contains(key, "tems"), strings.Contains(key, "ontains"):
				return []string{"array"}
			case strings.HasSuffix(key, "Length"), key == "pattern", key == "format":
				return []string{"string"}
			case strings.HasSuffix(key, "inimum"), strings.HasSuffix(key, "aximum"), key == "multipleOf":
				return []string{"number"}
			}
		}
	}
	return nil
}
