package schema

import (
	"slices"
	"strings"
)

// shape says what the value of a keyword must be.
type shape uint8

const (
	anything shape = iota
	text
	boolean
	count  // an integer that is not negative
	number // a finite number
	positive
	types
	names      // an array of strings
	values     // a non-empty array of anything
	reference  // into the schema itself
	expression // a regular expression
	format
	encoding
	media
	draftURL
	one      // a schema
	some     // a non-empty array of schemas
	union    // an array of at least two schemas
	each     // an object of schemas
	patterns // an object of schemas, keys are regular expressions
	itemsOf  // a schema, or before 2020-12 an array of them
	nameLists
	dependents // an object of schemas or name lists
)

// keyword is what is known of a keyword. Drafts are 7, 2019 and 2020; zero is
// no bound.
type keyword struct {
	shape      shape
	since      int
	until      int
	annotation bool // constrains nothing
}

func keywordOf(name string, draft int) (keyword, bool) {
	k, ok := keywordTable(name)
	if !ok || k.since > draft || k.until > 0 && k.until < draft {
		return keyword{}, false
	}
	return k, true
}

func keywordTable(name string) (keyword, bool) {
	switch name {
	case "title", "description", "$comment":
		return keyword{shape: text, annotation: true}, true
	case "default", "examples":
		return keyword{annotation: true}, true
	case "readOnly", "writeOnly":
		return keyword{shape: boolean, annotation: true}, true
	case "deprecated":
		return keyword{shape: boolean, since: 2019, annotation: true}, true
	case "$schema":
		return keyword{shape: draftURL, annotation: true}, true
	case "$id":
		return keyword{shape: text, annotation: true}, true
	case "$anchor":
		return keyword{shape: text, since: 2019, annotation: true}, true
	case "$dynamicAnchor":
		return keyword{shape: text, since: 2020, annotation: true}, true
	case "$recursiveAnchor":
		return keyword{shape: boolean, since: 2019, until: 2019, annotation: true}, true
	case "$defs", "definitions":
		return keyword{shape: each, annotation: true}, true
	case "$ref":
		return keyword{shape: reference}, true
	case "$dynamicRef":
		return keyword{shape: reference, since: 2020}, true
	case "$recursiveRef":
		return keyword{shape: reference, since: 2019, until: 2019}, true
	}
	return constraint(name)
}

func constraint(name string) (keyword, bool) {
	switch name {
	case "type":
		return keyword{shape: types}, true
	case "enum":
		return keyword{shape: values}, true
	case "const":
		return keyword{}, true
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return keyword{shape: count}, true
	case "minContains", "maxContains":
		return keyword{shape: count, since: 2019}, true
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return keyword{shape: number}, true
	case "multipleOf":
		return keyword{shape: positive}, true
	case "uniqueItems":
		return keyword{shape: boolean}, true
	case "required":
		return keyword{shape: names}, true
	case "pattern":
		return keyword{shape: expression}, true
	case "format":
		return keyword{shape: format}, true
	case "contentEncoding":
		return keyword{shape: encoding}, true
	case "contentMediaType":
		return keyword{shape: media}, true
	case "dependentRequired":
		return keyword{shape: nameLists, since: 2019}, true
	}
	return applicator(name)
}

func applicator(name string) (keyword, bool) {
	switch name {
	case "properties":
		return keyword{shape: each}, true
	case "patternProperties":
		return keyword{shape: patterns}, true
	case "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else":
		return keyword{shape: one}, true
	case "items":
		return keyword{shape: itemsOf}, true
	case "additionalItems":
		return keyword{shape: one, until: 2019}, true
	case "prefixItems":
		return keyword{shape: some, since: 2020}, true
	case "unevaluatedItems", "unevaluatedProperties", "contentSchema":
		return keyword{shape: one, since: 2019}, true
	case "oneOf":
		return keyword{shape: union}, true
	case "anyOf", "allOf":
		return keyword{shape: some}, true
	case "dependentSchemas":
		return keyword{shape: each, since: 2019}, true
	case "dependencies":
		return keyword{shape: dependents, until: 7}, true
	}
	return keyword{}, false
}

func keywordNames() []string {
	return []string{
		"title", "description", "$comment", "default", "examples", "readOnly", "writeOnly", "deprecated",
		"$schema", "$id", "$anchor", "$dynamicAnchor", "$defs", "definitions", "$ref", "$dynamicRef",
		"type", "enum", "const", "minLength", "maxLength", "minItems", "maxItems", "minProperties",
		"maxProperties", "minContains", "maxContains", "minimum", "maximum", "exclusiveMinimum",
		"exclusiveMaximum", "multipleOf", "uniqueItems", "required", "pattern", "format",
		"contentEncoding", "contentMediaType", "dependentRequired", "properties", "patternProperties",
		"additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "items",
		"prefixItems", "unevaluatedItems", "unevaluatedProperties", "contentSchema", "oneOf", "anyOf",
		"allOf", "dependentSchemas",
	}
}

func typeNames() []string {
	return []string{"object", "array", "string", "number", "integer", "boolean", "null"}
}

// formatNames are the formats that are enforced.
func formatNames() []string {
	return []string{
		"date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "iri", "iri-reference",
		"json-pointer", "regex", "relative-json-pointer", "time", "uri", "uri-reference", "uri-template", "uuid",
	}
}

// child is a schema inside a schema.
type child struct {
	keyword string
	tokens  path // place in the parent, keyword first
	node    *node
}

// children lists the schemas directly inside a schema object, in source order.
func children(n *node, draft int) []child {
	var all []child
	for i, name := range n.keys {
		k, ok := keywordOf(name, draft)
		if !ok {
			continue
		}
		value := n.items[i]
		add := func(c *node, token ...string) {
			all = append(all, child{name, append(path{name}, token...), c})
		}
		switch k.shape {
		case one:
			add(value)
		case itemsOf:
			if value.kind == '[' {
				inEach(value, add)
			} else {
				add(value)
			}
		case some, union, each, patterns:
			inEach(value, add)
		case dependents:
			inEach(value, func(c *node, token ...string) {
				if c.kind != '[' {
					add(c, token...)
				}
			})
		}
	}
	return all
}

func inEach(n *node, add func(*node, ...string)) {
	for i, item := range n.items {
		if n.kind == '{' {
			add(item, n.keys[i])
			continue
		}
		add(item, itoa(i))
	}
}

// nearest gives the known name within two edits of name, or "".
func nearest(name string, known []string) string {
	best, at := "", 3
	for _, k := range known {
		if d := edits(strings.ToLower(name), strings.ToLower(k)); d < at && d < len(k) {
			best, at = k, d
		}
	}
	return best
}

// edits is the number of insertions, deletions, replacements and swaps of
// neighbours between two words. Words much longer than any keyword are far from
// all of them.
func edits(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	x, y := []rune(a), []rune(b)
	before, last := []int(nil), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}

func isType(name string) bool { return slices.Contains(typeNames(), name) }
