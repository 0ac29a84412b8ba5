package lower

import (
	"errors"
	"strings"
	"testing"
)

func TestOrigins(t *testing.T) {
	body := "const a = '日本😀'; async function* g() { yield alpha }\nfor await (const x of g()) {\n  second(x) }\r\nthird()\u2028fourth()"
	out, err := Body(body)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"alpha", "second", "third", "fourth"} {
		at := strings.Index(out.Code, word)
		if got := out.Origin(at); !strings.HasPrefix(body[got:], word) {
			t.Errorf("%s comes from %q", word, body[got:])
		}
	}
}

func TestFaults(t *testing.T) {
	for body, want := range map[string]int{"const = 5": 6, "a\n  b c": 6, "f(": 2} {
		_, err := Body(body)
		var fault *Error
		if !errors.As(err, &fault) || fault.Offset != want {
			t.Errorf("%q: %v at %v", body, err, fault)
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	var c Cache
	for i := range 40 {
		body := "x = `" + strings.Repeat(string(rune('a'+i%26)), 200_000+i) + "`; for await (const x of y) {}"
		out, err := c.Body(body)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := c.Body(body); err != nil || again != out {
			t.Error("it was rewritten twice")
		}
	}
	if c.present > maxCached || len(c.kept) != len(c.order) || len(c.kept) == 40 {
		t.Error(c.present, len(c.kept), len(c.order))
	}
}
