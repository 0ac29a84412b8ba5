package tool

import (
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/schema"
)

func TestContractStandsForItsInput(t *testing.T) {
	made := named("made")
	contract, err := schema.Compile([]byte(`{"type":"object","required":["path"]}`))
	if err != nil {
		t.Fatal(err)
	}
	made.Contract, made.Input = contract, contract.Raw()
	r := registry(t, made)
	if r.tools["made"].check != contract {
		t.Error("the schema was compiled again")
	}
	checkFailure(t, r.Run(t.Context(), Call{Name: "made"}, `{}`), KindInvalidArgs, `invalid arguments: missing required property "path"`)
	if got := r.Run(t.Context(), Call{Name: "made"}, `{"path":1}`); got.IsError {
		t.Errorf("got %+v", got)
	}

	other := named("other")
	other.Contract = contract
	if _, err := NewRegistry(other); err == nil || !strings.Contains(err.Error(), "compiled from another") {
		t.Errorf("got %v", err)
	}
	if made.Contract, err = schema.Compile([]byte(`{"type":"array"}`)); err != nil {
		t.Fatal(err)
	}
	made.Input = made.Contract.Raw()
	if _, err := NewRegistry(made); err == nil {
		t.Error("arguments that are no object were taken")
	}
}
