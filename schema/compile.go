package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a compiled JSON Schema. Nothing of it changes after Compile.
//
// Concurrency: all methods may be called from any goroutine. Checks of one
// Schema run one after the other, because the guard that bounds them belongs to
// the compiled form; most take microseconds, the worst a few seconds.
type Schema struct {
	raw  json.RawMessage
	root *node
	lint *linter

	mu       sync.Mutex // held during a check
	compiled *jsonschema.Schema
	places   map[string]*jsonschema.Schema // by JSON pointer
	where    map[*node]string              // JSON pointers of the schemas below root
	guard    *guard
}

// Error says why a schema is refused.
type Error struct {
	// Violations are all reasons, each with its place, which starts at "schema".
	Violations []string
}

// Error joins all violations in one line.
func (e *Error) Error() string {
	return "unsupported JSON schema: " + strings.Join(e.Violations, "; ")
}

// Code is UNSUPPORTED_SCHEMA.
func (e *Error) Code() string { return "UNSUPPORTED_SCHEMA" }

// Raw gives the schema as it was compiled. The caller must not change it.
func (s *Schema) Raw() json.RawMessage { return s.raw }

// Compile prepares a schema for checking. It refuses, with an *Error that lists
// everything, what it could not enforce.
func Compile(raw json.RawMessage) (*Schema, error) {
	return compile(raw, false)
}

// CompileResult is Compile for the schema of an agent's result, whose root must
// be of type object.
func CompileResult(raw json.RawMessage) (*Schema, error) {
	return compile(raw, true)
}

func compile(raw json.RawMessage, object bool) (*Schema, error) {
	root, err := parse(raw)
	if err != nil {
		return nil, &Error{[]string{fmt.Sprintf("schema is not JSON: %v", err)}}
	}
	l := lint(root)
	if t := root.member("type"); object && root.kind == '{' && (t == nil || t.text != "object") {
		l.fault(`schema.type must be "object" (structured output is object-rooted)`)
	}
	if len(l.faults) > 0 {
		return nil, &Error{l.faults}
	}
	s := &Schema{raw: slices.Clone(raw), root: root, lint: l, guard: &guard{}}
	if err := s.build(l); err != nil {
		return nil, err
	}
	return s, nil
}

// location is where the compiler knows the schema by.
const location = "schema:///root.json"

func (s *Schema) build(l *linter) error {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nothing{})
	c.AssertFormat()
	c.AssertContent()
	c.AssertVocabs()
	c.RegisterVocabulary(s.guard.vocabulary())
	c.UseRegexpEngine(func(p string) (jsonschema.Regexp, error) { return compileExpression(p, s.guard) })
	doc, where := flatten(l)
	s.where = where
	err := c.AddResource(location, doc)
	if err != nil {
		return &Error{[]string{"schema: " + err.Error()}}
	}
	if over := s.guarded(len(s.raw), func() { s.compiled, err = c.Compile(location) }); over != nil {
		return &Error{[]string{"schema is too costly: " + over.Error()}}
	}
	if err != nil {
		return refusal(err, s.root)
	}
	s.places = index(s.compiled)
	return nil
}

// nothing is a loader that loads nothing.
type nothing struct{}

// Load refuses.
func (nothing) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is not part of the schema, and nothing is loaded", url)
}

// refusal turns an error of the compiler into ours.
func refusal(err error, root *node) error {
	var wrong *jsonschema.SchemaValidationError
	var invalid *jsonschema.ValidationError
	if errors.As(err, &wrong) && errors.As(wrong.Err, &invalid) {
		r := &report{root: root, bare: true}
		r.add(invalid)
		var texts []string
		for _, v := range r.sorted() {
			texts = append(texts, v.Message)
		}
		return &Error{texts}
	}
	return &Error{[]string{"schema: " + strings.ReplaceAll(err.Error(), location, "schema")}}
}
