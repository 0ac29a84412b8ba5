package similar

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "ab", 2}, {"schema", "schema", 0}, {"shema", "schema", 1},
		{"scehma", "schema", 2}, {"model", "label", 3}, {"größe", "grosse", 3},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := Distance(c.b, c.a); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestClosest(t *testing.T) {
	known := []string{"label", "phase", "schema", "model"}
	if got, ok := Closest("shcema", known, 2); !ok || got != "schema" {
		t.Errorf("Closest(shcema) = %q, %v", got, ok)
	}
	if got, ok := Closest("temperature", known, 2); ok {
		t.Errorf("Closest(temperature) = %q, want none", got)
	}
}
