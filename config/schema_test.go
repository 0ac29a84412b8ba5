package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write docs/config.schema.json")

// The published schema is the one of this version: go test ./config -update
// writes it.
func TestPublishedSchema(t *testing.T) {
	const path = "../docs/config.schema.json"
	want, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not up to date: go test ./config -run TestPublishedSchema -update", path)
	}
}

// Schema and loader agree about the shape of a file. What only the loader can
// know (references, pairs, secrets) is not a matter of the schema.
func TestSchemaAgreesWithTheLoader(t *testing.T) {
	raw, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		corp: true, "models: {m: {price: {input: 1, output: 9}}}": true, "{}": true, "providers:\nlimits:": true, "models: {m:}": true,
		"limits: {source: 64KiB}": true, "limits: {source: 64 KiB}": true, "limits: {source: 64}": true, "limits: {deadline: 1h30m}": true,
		"aliases: {haiku: inherit}": true, "providers: {a: {baseUrl: 'http://h/v1', profile: generic}}": true,
		"provider: {}": false, "limits: {agents: 0}": false, "limits: {agents: x}": false, "limits: {agents: 3000000000}": false,
		"limits: {source: 0}": false, "limits: {source: 64 kb}": false, "limits: {deadline: 90}": false, "limits: {deadline: soon}": false,
		"limits: []": false, "defaults: {realm: cloud}": false, "defaults: {model: ''}": false, "defaults: {sandbox: x}": false,
		"providers: {a: {baseUrl: ftp://h, keyEnv: A}}": false, "providers: {a: {baseUrl: 'http://h/v1', keyEnv: A-B}}": false,
		"providers: {a/b: {baseUrl: 'http://h/v1'}}": false, "models: {m: {price: {input: -1, output: 1}}}": false,
		"models: {m: {context: 1.5}}": false, "providers: {a: {baseUrl: 'http://h/v1', retry: {max: -1}}}": false, "aliases: {haiku: 1}": false,
	} {
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if got := resolved.Validate(v) == nil; got != want {
			t.Errorf("schema takes %q: %v", text, got)
		}
		if got := len(faultsOf(t, text)) == 0; got != want {
			t.Errorf("loader takes %q: %v", text, got)
		}
	}
}
