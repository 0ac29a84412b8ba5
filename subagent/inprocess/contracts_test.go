package inprocess

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
)

func TestContractsAreCompiledOnce(t *testing.T) {
	var c contracts
	text := func(i int) json.RawMessage { return fmt.Appendf(nil, `{"type":"object","maxProperties":%d}`, i) }
	first, err := c.compile(text(0))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 * maxContracts {
		again, err := c.compile(text(0))
		if err != nil || again != first {
			t.Fatalf("compiled again after %d others: %v", i, err)
		}
		if s, err := c.compile(text(i + 1)); err != nil || string(s.Raw()) != string(text(i+1)) || len(c.kept) > maxContracts {
			t.Fatalf("%s, %v, %d kept", s.Raw(), err, len(c.kept))
		}
	}
	for range 2 {
		if _, err := c.compile(json.RawMessage(`{"type":"array"}`)); err == nil {
			t.Error("an array was taken")
		}
	}
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			if s, err := c.compile(text(1000 + i%3)); err != nil || s == nil {
				t.Errorf("%v, %v", s, err)
			}
		})
	}
	all.Wait()
}
