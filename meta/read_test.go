package meta_test

import (
	"testing"

	"github.com/dsh-go/dsh-workflow/meta"
)

func TestReadFindsTheStatement(t *testing.T) {
	s, err := meta.Read("// head\nexport const meta = {name: 'a', description: 'b'};\nreturn 1")
	if err != nil {
		t.Fatal(err)
	}
	if s.Meta.Name != "a" || s.Meta.Description != "b" {
		t.Errorf("meta = %+v", s.Meta)
	}
}
