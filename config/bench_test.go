package config

import (
	"testing"
)

// BenchmarkLoad is what every command pays at its start.
func BenchmarkLoad(b *testing.B) {
	s := Sources{Lookup: func(string) string { return "" }, Choice: Choice{Model: "sim"}}
	for b.Loop() {
		if _, err := Load(s); err != nil {
			b.Fatal(err)
		}
	}
}
