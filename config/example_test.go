package config

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The example loads, has every key there is, stands in the documentation as it
// is, and its remarks name the true defaults.
func TestExampleFile(t *testing.T) {
	s := load(t, place(t, Example, ""))
	if _, err := s.Default(); err == nil || !strings.Contains(err.Error(), "CORP_API_KEY") {
		t.Error(err)
	}
	page, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```yaml\n"+Example+"```\n") {
		t.Error("docs/configuration.md does not hold config/example.yaml as it is")
	}
	for _, v := range []string{varModel, varBaseURL, varKey, "DSH_HOME", "DSH_AGENTS_HOME", "DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"} {
		if !strings.Contains(string(page), "| `"+v+"` |") {
			t.Errorf("docs/configuration.md has no row for %s", v)
		}
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(Example), &doc); err != nil {
		t.Fatal(err)
	}
	complete(t, "", reflect.TypeFor[File](), doc.Content[0])
}

// complete holds every member of a type against an object of the example.
func complete(t *testing.T, at string, typ reflect.Type, n *yaml.Node) {
	t.Helper()
	typ = indirect(typ)
	if typ.Kind() == reflect.Map {
		if typ.Elem().Kind() == reflect.Struct {
			complete(t, at+".*", typ.Elem(), n.Content[1])
		}
		return
	}
	for i := range typ.NumField() {
		name, found := nameOf(typ.Field(i)), false
		for j := 0; j < len(n.Content); j += 2 {
			if n.Content[j].Value != name {
				continue
			}
			found = true
			if k := indirect(typ.Field(i).Type).Kind(); k == reflect.Struct || k == reflect.Map {
				complete(t, at+"."+name, typ.Field(i).Type, n.Content[j+1])
			}
		}
		if !found {
			t.Errorf("the example has no %s.%s", at, name)
		}
	}
}
