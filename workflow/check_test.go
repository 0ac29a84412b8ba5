package workflow

import (
	"os"
	"testing"

	"github.com/dsh-go/dsh-workflow/vm"
)

func TestCheckCountsSchemas(t *testing.T) {
	source, err := os.ReadFile("../examples/review.js")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Check(Request{Source: string(source), Root: t.TempDir()})
	if err != nil || r.Schemas != 3 || r.Dynamic != 0 || len(r.Faults) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestCheckFindsFaultySchemas(t *testing.T) {
	source := `export const meta = {name: 'n', description: 'd'}
const S = {type: 'object', propertys: {}}
agent('a', {schema: S}); agent('b', {schema: S}); agent('c', {schema: args})`
	r, err := Check(Request{Source: source, Root: t.TempDir()})
	if err != nil || r.Schemas != 2 || r.Dynamic != 1 || len(r.Faults) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	want := `agent() schema is outside the supported subset — unsupported JSON schema: schema.propertys is not a supported keyword (did you mean "properties"?)`
	f := r.Faults[1]
	if f.Kind != UnsupportedSchema || f.Message != want || f.Pos != (vm.Position{Line: 3, Column: 46}) {
		t.Errorf("%+v", f)
	}
}
