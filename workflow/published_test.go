package workflow

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	strict "github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write the published schemas")

// publisher makes JSON Schemas of Go types, with the comments of their fields.
type publisher struct {
	t    *testing.T
	docs map[string]string // by "Type" and "Type.Field"
}

func newPublisher(t *testing.T) publisher {
	t.Helper()
	p := publisher{t, map[string]string{}}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				p.declared(g)
			}
		}
	}
	return p
}

func (p publisher) declared(g *ast.GenDecl) {
	for _, s := range g.Specs {
		spec, ok := s.(*ast.TypeSpec)
		if !ok {
			continue
		}
		p.docs[spec.Name.Name] = said(spec.Doc, g.Doc)
		fields, ok := spec.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range fields.Fields.List {
			for _, n := range f.Names {
				p.docs[spec.Name.Name+"."+n.Name] = said(f.Doc, f.Comment)
			}
		}
	}
}

// said is the first comment that there is, on one line.
func said(groups ...*ast.CommentGroup) string {
	for _, g := range groups {
		if text := strings.Join(strings.Fields(g.Text()), " "); text != "" {
			return text
		}
	}
	return ""
}

// schema describes the JSON form of a type. A closed one allows no members that
// are not named in it.
func (p publisher) schema(t reflect.Type, closed bool) *jsonschema.Schema {
	p.t.Helper()
	raw := func() *jsonschema.Schema { return &jsonschema.Schema{} }
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): raw(),
	}})
	if err != nil {
		p.t.Fatal(err)
	}
	p.finish(s, t, closed)
	return s
}

func (p publisher) finish(s *jsonschema.Schema, t reflect.Type, closed bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice:
		if s.Items != nil {
			s.Types, s.Type = nil, "array" // the lists of a record are never null
			p.finish(s.Items, t.Elem(), closed)
		}
	case reflect.Struct:
		if !closed {
			s.AdditionalProperties = nil // members may be added
		}
		s.Description = p.docs[t.Name()]
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			member := s.Properties[name]
			if member == nil || f.Anonymous {
				continue
			}
			p.finish(member, f.Type, closed)
			owner := t
			for _, i := range f.Index[:len(f.Index)-1] {
				owner = owner.Field(i).Type
			}
			if doc := p.docs[owner.Name()+"."+f.Name]; doc != "" {
				member.Description = doc
			}
			if f.Type == reflect.TypeFor[Status]() {
				member.Enum = statuses()
			}
		}
	}
}

func statuses() []any {
	return []any{
		string(StatusRunning), string(StatusCompleted), string(StatusWithFailed), string(StatusFailed), string(StatusCancelled),
		string(StatusLimit), string(StatusInvalid), string(StatusInterrupted),
	}
}

const draft = "https://json-schema.org/draft/2020-12/schema"

// envelope describes the result of a run.
func (p publisher) envelope(closed bool) *jsonschema.Schema {
	s := p.schema(reflect.TypeFor[Result](), closed)
	s.Schema, s.Title = draft, "The envelope of a run: result.json, --output json, and the last line of --output stream-json"
	return s
}

// stream describes one line of a stream.
func (p publisher) stream(closed bool) *jsonschema.Schema {
	envelope := p.envelope(closed)
	envelope.Schema = ""
	out := &jsonschema.Schema{
		Schema: draft, Title: "One line of --output stream-json, of journal.jsonl and of logs --output json: a record, or at last the envelope",
		Defs: map[string]*jsonschema.Schema{"envelope": envelope},
	}
	tags := slices.Sorted(maps.Keys(decoders))
	for _, tag := range tags {
		fact, err := decoders[tag]([]byte("{}"))
		if err != nil {
			p.t.Fatal(err)
		}
		out.Defs[tag] = p.schema(reflect.TypeOf(fact), closed)
		name := any(tag)
		out.AnyOf = append(out.AnyOf, record(&jsonschema.Schema{Const: &name}, &jsonschema.Schema{Ref: "#/$defs/" + tag}))
	}
	known := make([]any, len(tags))
	for i, tag := range tags {
		known[i] = tag
	}
	later := &jsonschema.Schema{Type: "string", Not: &jsonschema.Schema{Enum: known}, Description: "a type of a later version: skip it"}
	out.AnyOf = append(out.AnyOf, record(later, &jsonschema.Schema{}), &jsonschema.Schema{Ref: "#/$defs/envelope"})
	return out
}

func record(tag, data *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Required: []string{"n", "time", "type", "data"},
		Properties: map[string]*jsonschema.Schema{
			"n":    {Type: "integer", Minimum: new(1.0), Description: "counts the records of a run"},
			"time": {Type: "integer", Description: "milliseconds since the epoch"},
			"type": tag,
			"data": data,
		},
	}
}

// TestPublishedSchemas holds docs/*.schema.json against the types of records and
// of the result. After a change of those: go test ./workflow -run Published -update
func TestPublishedSchemas(t *testing.T) {
	p := newPublisher(t)
	for name, s := range map[string]*jsonschema.Schema{"stream-json": p.stream(false), "envelope": p.envelope(false)} {
		text, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, '\n')
		path := filepath.Join("..", "docs", name+".schema.json")
		if *update {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, text) {
			t.Errorf("%s does not say what the types say (%v): go test ./workflow -run Published -update", path, err)
		}
	}
}

// TestSchemaIsComplete validates one record of each type, with every member set,
// and an envelope, against a schema that allows nothing that is not named.
func TestSchemaIsComplete(t *testing.T) {
	p := newPublisher(t)
	text, err := json.Marshal(p.stream(true))
	if err != nil {
		t.Fatal(err)
	}
	c := strict.NewCompiler()
	doc, err := strict.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.AddResource("stream", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("stream")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(v any) error {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		instance, err := strict.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(instance)
	}
	for i, c := range everyFact {
		if err := valid(Record{N: i + 1, Time: time.UnixMilli(5), Fact: c.fact}); err != nil {
			t.Errorf("%s: %v", c.tag, err)
		}
	}
	for _, r := range []Result{
		Invalid("n", newError(ScriptParse, "no")),
		Result{
			SchemaVersion: 1, RunID: new(RunID("wf_1")), Status: StatusWithFailed, Value: json.RawMessage(`{"a":1}`), Error: &Fault{Code: "X", Position: nil},
			Failures: []AgentFailure{{Seq: 1, SessionID: "s"}}, Warnings: []Warning{{Code: "C", Message: "m", Line: 1}}, Usage: Bill{CostUSD: new(1.5)},
		}.normal(),
	} {
		if err := valid(r); err != nil {
			t.Errorf("%s: %v", r.Status, err)
		}
	}
	for _, wrong := range []string{
		`{"n":0,"time":1,"type":"TimerFired","data":{"timer":1}}`, `{"n":1,"time":1,"type":"TimerFired","data":{"timer":"x"}}`,
		`{"n":1,"time":1,"type":"TimerFired","data":{"timer":1,"more":2}}`, `{"n":1,"type":"TimerFired"}`, `[]`,
	} {
		if valid(json.RawMessage(wrong)) == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}
