package library_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dsh-go/dsh-workflow/library"
)

var badNames = []string{
	"../x", "a/b", `a\b`, "/abs", "", ".", "..", "x\x00y", strings.Repeat("n", 300), "a\nb", "a\x1b[2J",
	"a\u202eb", "a\u2028b", " a", "a ", "-", "--help", "\xff",
}

func TestCheckName(t *testing.T) {
	for _, name := range badNames {
		var e *library.Error
		if err := library.CheckName(name); !errors.As(err, &e) || e.Kind != library.InvalidName {
			t.Errorf("CheckName(%q) = %v", name, err)
		}
		if _, err := new(library.Listing).Lookup(name); !errors.As(err, &e) || e.Kind != library.InvalidName {
			t.Errorf("Lookup(%q) = %v", name, err)
		}
	}
	for _, name := range []string{"a", "Review a change", "überprüfen", "plugin:review", "...", "v1.2", strings.Repeat("ü", library.MaxName)} {
		if err := library.CheckName(name); err != nil {
			t.Errorf("CheckName(%q) = %v", name, err)
		}
	}
}

func FuzzCheckName(f *testing.F) {
	for _, name := range append(badNames, "review", "a b") {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		err := library.CheckName(name)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x00") || len(err.Error()) > 600 {
				t.Errorf("%q: error %q", name, err)
			}
			return
		}
		if !filepath.IsLocal(name) || filepath.Base(name) != name || !utf8.ValidString(name) || strings.ContainsAny(name, "\x00\\/\n") {
			t.Errorf("%q passes", name)
		}
	})
}
