package dsh

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/subagent"
)

// BenchmarkChild is one child of two steps, a read and a structured result.
func BenchmarkChild(b *testing.B) {
	b.Run("memory", func(b *testing.B) { benchChild(b, "") })
	b.Run("file", func(b *testing.B) { benchChild(b, filepath.Join(b.TempDir(), "sessions")) })
}

func benchChild(b *testing.B, sessions string) {
	c := Config{Home: b.TempDir(), Endpoint: config.Endpoint{Provider: config.Sim, Model: config.Sim}}
	e, err := endpointsOf(c)
	if err != nil {
		b.Fatal(err)
	}
	provider, err := children(c, e, newGate(c))
	if err != nil {
		b.Fatal(err)
	}
	root := b.TempDir()
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		child, err := provider.Start(b.Context(), subagent.Request{
			Prompt:  fmt.Sprintf(`say %d @@sim [{"tool":"read","args":{"file_path":"nothing"}},{"capture":{"n":%d}}]`, n, n),
			Schema:  json.RawMessage(`{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`),
			Lineage: subagent.Lineage{Run: "r", Root: root, Cwd: root, Sessions: sessions, Trusted: true, Guided: true},
		})
		if err != nil {
			b.Fatal(err)
		}
		result, err := child.Wait(b.Context())
		if err != nil || result.Outcome != subagent.Completed {
			b.Fatalf("%+v %v", result, err)
		}
		if err := child.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
