package config

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is the JSON Schema of [File], as it is published.
func Schema() ([]byte, error) {
	s, err := jsonschema.For[File](nil)
	if err != nil {
		return nil, fmt.Errorf("schema of the configuration: %w", err)
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "Configuration of dsh-workflow"
	describe(s, reflect.TypeFor[File](), rules())
	raw, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("schema of the configuration: %w", err)
	}
	return append(raw, '\n'), nil
}

// describe gives the members of an object the rules that the loader has for them.
func describe(s *jsonschema.Schema, t reflect.Type, known map[string]rule) {
	for i := range t.NumField() {
		f := t.Field(i)
		p := s.Properties[nameOf(f)]
		if kind := f.Tag.Get("name"); kind != "" && kind != "model" {
			p.PropertyNames = &jsonschema.Schema{Pattern: plainName.String(), MaxLength: jsonschema.Ptr(maxPlainName)}
		}
		switch in := indirect(f.Type); {
		case f.Tag.Get("each") != "":
			section(p)
			*p.AdditionalProperties = known[f.Tag.Get("each")].schema
		case in.Kind() == reflect.Map:
			section(p)
			section(p.AdditionalProperties)
			describe(p.AdditionalProperties, in.Elem(), known)
		case in.Kind() == reflect.Struct:
			section(p)
			describe(p, in, known)
		default:
			said := p.Description
			*p = known[f.Tag.Get("is")].schema
			p.Description = said
		}
	}
}

// section lets an object be written down without a member, which YAML reads as
// null.
func section(s *jsonschema.Schema) { s.Type, s.Types = "", []string{"object", "null"} }

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}
