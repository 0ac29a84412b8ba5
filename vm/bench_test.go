package vm

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// quietHost answers every call from another goroutine with the same small value.
type quietHost struct{ value json.RawMessage }

func (h quietHost) Agent(_ AgentCall, settle Settle) error {
	go settle(h.value, nil)
	return nil
}
func (quietHost) Phase(string) error { return nil }
func (quietHost) Note(Note)          {}
func (quietHost) Spent(int) float64  { return 0 }
func (quietHost) After(d time.Duration, fire func()) func() {
	t := time.AfterFunc(d, fire)
	return func() { t.Stop() }
}

func benchmark(b *testing.B, s Script) {
	b.Helper()
	host := quietHost{json.RawMessage(`{"ok":true}`)}
	b.ReportAllocs()
	if _, err := (InProcess{}).Run(b.Context(), s, host); err != nil {
		b.Fatal(err)
	}
}

// One no-op agent() call: script, boundary, host, queue, promise, script.
func BenchmarkRoundTrip(b *testing.B) {
	benchmark(b, Script{Name: "b", Body: fmt.Sprintf(
		`for (let i = 0; i < %d; i++) await agent('do it', {label: 'l', phase: 'p'})`, b.N)})
}

// A realm from nothing to the result of an empty script.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		benchmark(b, Script{Name: "b", Body: `return 1`})
	}
}

func BenchmarkThousandPending(b *testing.B) {
	for b.Loop() {
		benchmark(b, Script{Name: "b", Body: `return (await parallel(Array.from({length: 1000}, (_, i) => () => agent('a' + i)))).length`})
	}
}

func BenchmarkValueOut(b *testing.B) {
	items := make([]map[string]any, 10_000)
	for i := range items {
		items[i] = map[string]any{"id": i, "name": "item", "tags": []string{"a", "b"}}
	}
	args, err := json.Marshal(items)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		benchmark(b, Script{Name: "b", Args: args, Body: `return args`})
	}
}

func BenchmarkCheck50KB(b *testing.B) {
	body := strings.Repeat("const f = async (a, b) => { const c = [a + 1, {b: b * 2}]; return await agent(`x ${c}`) }\n{\n", 10)
	body = "{" + strings.Repeat("{ const f = async (a, b) => { const c = [a + 1, {b: b * 2}]; return await agent(`x ${c}`) } }\n", 540) + "}" + body[:0]
	for b.Loop() {
		if err := Check(Script{Name: "b", Body: body}); err != nil {
			b.Fatal(err)
		}
	}
}
