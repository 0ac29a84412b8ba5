package schema

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

func itoa(i int) string { return strconv.Itoa(i) }

// maxSubschemas bounds the work of compiling one schema, whose time grows with the
// square of their number: this many take about two seconds.
const maxSubschemas = 6000

// linter walks a schema and names everything that could not be enforced.
type linter struct {
	root    *node
	draft   int
	faults  []string
	more    int            // faults that are not written out
	schemas map[*node]bool // every schema
	trail   []string       // labels of the schemas that are being walked
	anchors map[string]bool
	refs    []ref
	depth   int // most schemas inside one another
}

type ref struct {
	label  string
	target string
}

// maxFaults bounds how many faults are written out.
const maxFaults = 100

func (l *linter) fault(format string, args ...any) {
	if len(l.faults) >= maxFaults {
		l.more++
		return
	}
	l.faults = append(l.faults, fmt.Sprintf(format, args...))
}

// at reports a fault of a place below the schema that is being walked.
func (l *linter) at(below, format string, args ...any) {
	if len(l.faults) >= maxFaults { // spare the label
		l.more++
		return
	}
	l.fault("%s%s %s", l.label(), below, fmt.Sprintf(format, args...))
}

// label names the schema that is being walked.
func (l *linter) label() string {
	if n := len(l.trail); n > 2*maxLabel {
		return strings.Join(l.trail[:maxLabel], "") + "…" + strings.Join(l.trail[n-maxLabel:], "")
	}
	return strings.Join(l.trail, "")
}

// lint gives the walk of a schema; its faults are in source order.
func lint(root *node) *linter {
	l := &linter{root: root, draft: 2020, schemas: map[*node]bool{}, anchors: map[string]bool{}}
	if root.kind != '{' {
		l.fault("schema must be a schema object")
		return l
	}
	if v := root.member("$schema"); v != nil && v.kind == '"' {
		draft, ok := draftOf(v.text)
		if !ok {
			l.fault(`schema.$schema %q is not a supported draft (draft-07, 2019-09, 2020-12)`, v.text)
		} else {
			l.draft = draft
		}
	}
	l.schema(root, "schema", 0)
	for _, r := range l.refs {
		l.resolve(r)
	}
	if l.more > 0 {
		l.faults = append(l.faults, fmt.Sprintf("and %d more", l.more))
	}
	return l
}

func draftOf(id string) (int, bool) {
	id = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(id, "https://"), "http://"), "#")
	switch id {
	case "json-schema.org/draft-07/schema":
		return 7, true
	case "json-schema.org/draft/2019-09/schema":
		return 2019, true
	case "json-schema.org/draft/2020-12/schema", "json-schema.org/schema":
		return 2020, true
	}
	return 0, false
}

// schema walks one schema, which stands depth path tokens deep. Recursion is
// bounded by the depth of JSON text.
func (l *linter) schema(n *node, label string, depth int) {
	l.trail = append(l.trail, label)
	defer func() { l.trail = l.trail[:len(l.trail)-1] }()
	l.schemas[n] = true
	l.depth = max(l.depth, depth)
	if n.kind == 't' && depth > 0 {
		return
	}
	if n.kind != '{' {
		l.at("", "must be a schema object")
		return
	}
	if len(l.schemas) > maxSubschemas {
		if len(l.schemas) == maxSubschemas+1 {
			l.fault("schema has more than %d sub-schemas", maxSubschemas)
		}
		return
	}
	for i, name := range n.keys {
		l.keyword(n, name, n.items[i])
	}
	for _, c := range children(n, l.draft) {
		l.schema(c.node, childLabel(n, c), depth+len(c.tokens))
	}
}

// childLabel is the label of a child below that of its parent.
func childLabel(n *node, c child) string {
	label := "." + c.keyword
	if len(c.tokens) == 1 {
		return label
	}
	if n.member(c.keyword).kind == '[' {
		return label + "[" + c.tokens[1] + "]"
	}
	return label + joint(c.tokens[1], false)
}

func (l *linter) keyword(n *node, name string, v *node) {
	k, ok := keywordOf(name, l.draft)
	at := "." + name
	switch {
	case !ok:
		l.unknown(name)
		return
	case name == "$id" && n != l.root, name == "$schema" && n != l.root:
		l.at(at, "is supported at the root only")
		return
	case l.draft == 7 && !k.annotation && name != "$ref" && n.member("$ref") != nil:
		l.at(at, "has no effect beside $ref in draft-07")
		return
	}
	if k.shape >= one {
		l.container(k.shape, v, at)
		return
	}
	l.plain(k.shape, v, at)
	switch name {
	case "$anchor", "$dynamicAnchor":
		l.anchors[v.text] = true
	}
}

func (l *linter) unknown(name string) {
	at := joint(name, false)
	if _, elsewhere := keywordTable(name); elsewhere {
		l.at(at, "is not a keyword of this draft%s", draftHint(name))
		return
	}
	if near := nearest(name, keywordNames()); near != "" {
		l.at(at, "is not a supported keyword (did you mean %q?)", near)
		return
	}
	l.at(at, "is not a supported keyword")
}

func draftHint(name string) string {
	switch name {
	case "additionalItems":
		return " (use prefixItems and items)"
	case "dependencies":
		return " (use dependentRequired or dependentSchemas)"
	case "$recursiveRef", "$recursiveAnchor":
		return " (use $dynamicRef and $dynamicAnchor)"
	}
	return ""
}

// plain checks a keyword that holds no schemas.
func (l *linter) plain(s shape, v *node, at string) {
	var want string
	switch s {
	case text:
		want = unless(v.kind == '"', "a string")
	case boolean:
		want = unless(v.kind == 't', "a boolean")
	case count:
		want = unless(isCount(v), "a non-negative integer")
	case number:
		want = unless(v.kind == '0' && finite(v.text), "a finite number")
	case positive:
		want = unless(v.kind == '0' && finite(v.text) && v.text[0] != '-' && strings.Trim(mantissa(v.text), "0.") != "",
			"a number greater than 0")
	case names:
		want = unless(areNames(v), "an array of strings")
	case values:
		want = unless(v.kind == '[' && len(v.items) > 0, "a non-empty array of values")
	case types:
		l.types(v, at)
	case reference:
		l.reference(v, at)
	case expression:
		l.expression(v, at)
	case format:
		l.oneOfNames(v, at, "format", formatNames())
	case encoding:
		l.oneOfNames(v, at, "encoding", []string{"base64"})
	case media:
		l.oneOfNames(v, at, "media type", []string{"application/json"})
	case draftURL:
		want = unless(v.kind == '"', "a string")
	}
	if want != "" {
		l.at(at, "must be %s", want)
	}
	if s == anything || s == values {
		l.numbers(v, at)
	}
}

// unless gives want when the condition does not hold.
func unless(ok bool, want string) string {
	if ok {
		return ""
	}
	return want
}

func mantissa(literal string) string {
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		return literal[:i]
	}
	return literal
}

func isCount(v *node) bool {
	if v.kind != '0' {
		return false
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(v.text, ".0"), 10, 32)
	return err == nil && n >= 0 && v.text[0] != '-'
}

func areNames(v *node) bool {
	return v.kind == '[' && !slices.ContainsFunc(v.items, func(n *node) bool { return n.kind != '"' })
}

// numbers refuses numbers inside plain data that no value could equal.
func (l *linter) numbers(v *node, at string) {
	if v.kind == '0' && !finite(v.text) {
		l.at(at, "must hold finite JSON numbers only")
		return
	}
	for _, item := range v.items {
		l.numbers(item, at)
	}
}

func (l *linter) types(v *node, at string) {
	list := []*node{v}
	if v.kind == '[' {
		list = v.items
	}
	seen := map[string]bool{}
	for _, t := range list {
		if t.kind != '"' || !isType(t.text) {
			hint := ""
			if near := nearest(t.text, typeNames()); near != "" {
				hint = fmt.Sprintf(" (did you mean %q?)", near)
			}
			l.at(at, "must be one of %s%s", strings.Join(typeNames(), "/"), hint)
			return
		}
		if seen[t.text] {
			l.at(at, "names %q twice", t.text)
		}
		seen[t.text] = true
	}
	if len(list) == 0 {
		l.at(at, "must name at least one type")
	}
}

func (l *linter) oneOfNames(v *node, at, what string, known []string) {
	if v.kind == '"' && slices.Contains(known, v.text) {
		return
	}
	if v.kind != '"' {
		l.at(at, "must be a string")
		return
	}
	l.at(at, "%q is not a supported %s (%s)", v.text, what, strings.Join(known, "/"))
}

func (l *linter) expression(v *node, at string) {
	if v.kind != '"' {
		l.at(at, "must be a string")
		return
	}
	if _, err := compileExpression(v.text, nil); err != nil {
		l.at(at, "is not a regular expression: %v", err)
	}
}

func (l *linter) reference(v *node, at string) {
	switch {
	case v.kind != '"':
		l.at(at, "must be a string")
	case !strings.HasPrefix(v.text, "#"):
		l.at(at, `must point into the schema itself ("#/$defs/…"): nothing is loaded`)
	default:
		l.refs = append(l.refs, ref{l.label() + at, v.text})
	}
}

// resolve checks that a reference leads to a schema.
func (l *linter) resolve(r ref) {
	n, anchor, ok := l.target(r.target)
	if anchor && l.anchors[r.target[1:]] {
		return
	}
	if ok {
		if l.schemas[n] {
			return
		}
	}
	l.fault("%s points to %q, where there is no schema", r.label, r.target)
}

// target follows a JSON pointer; anchor is set when the reference is a name.
func (l *linter) target(text string) (n *node, anchor, ok bool) {
	pointer, err := url.PathUnescape(text[1:])
	if err != nil {
		return nil, false, false
	}
	if pointer == "" {
		return l.root, false, true
	}
	if pointer[0] != '/' {
		return nil, true, false
	}
	n = l.root
	for _, token := range strings.Split(pointer[1:], "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		if n.kind == '[' {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n.items) {
				return nil, false, false
			}
			n = n.items[i]
			continue
		}
		if n = n.member(token); n == nil {
			return nil, false, false
		}
	}
	return n, false, true
}

// container checks a keyword that holds schemas; the schemas themselves are
// walked later.
func (l *linter) container(s shape, v *node, at string) {
	switch s {
	case one:
		if strings.HasSuffix(at, ".additionalProperties") && v.kind != '{' && v.kind != 't' {
			l.at(at, "must be a boolean or a schema")
		}
	case some:
		if v.kind != '[' || len(v.items) == 0 {
			l.at(at, "must be a non-empty array of schemas")
		}
	case union:
		if v.kind != '[' || len(v.items) < 2 {
			l.at(at, "must be an array of at least two schemas")
		}
	case each, dependents:
		if v.kind != '{' {
			l.at(at, "must be an object of schemas")
		}
	case patterns:
		if v.kind != '{' {
			l.at(at, "must be an object of schemas")
			return
		}
		for _, key := range v.keys {
			if _, err := compileExpression(key, nil); err != nil {
				l.at(at+joint(key, false), "is not a regular expression: %v", err)
			}
		}
	case itemsOf:
		if v.kind == '[' && l.draft == 2020 {
			l.at(at, "must be one schema (use prefixItems for a list of them)")
		}
	case nameLists:
		if v.kind != '{' || slices.ContainsFunc(v.items, func(n *node) bool { return !areNames(n) }) {
			l.at(at, "must be an object of arrays of strings")
		}
	}
}
