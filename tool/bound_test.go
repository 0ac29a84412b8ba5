package tool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/dsh-go/dsh-workflow/llm"
)

func TestBound(t *testing.T) {
	raw := llm.Unknown{Type: "image", Raw: json.RawMessage(`"` + strings.Repeat("x", 100) + `"`)}
	for name, tc := range map[string]struct {
		content []llm.Block
		blocks  int
		notice  bool
	}{
		"empty":              {nil, 0, false},
		"exact":              {Text(strings.Repeat("a", 1024)), 1, false},
		"one over":           {Text(strings.Repeat("a", 1025)), 1, true},
		"far over":           {Text(strings.Repeat("a", 5<<20)), 1, true},
		"multibyte":          {Text(strings.Repeat("€", 400)), 1, true},
		"two blocks fit":     {[]llm.Block{llm.Text{Text: "a"}, llm.Text{Text: "b"}}, 2, false},
		"two blocks over":    {[]llm.Block{llm.Text{Text: strings.Repeat("a", 1000)}, llm.Text{Text: strings.Repeat("b", 1000)}}, 1, true},
		"unknown fits":       {[]llm.Block{llm.Text{Text: "a"}, raw}, 2, false},
		"unknown and over":   {[]llm.Block{llm.Text{Text: strings.Repeat("a", 2000)}, raw}, 1, true},
		"grows when cleaned": {Text(strings.Repeat("\x01", 1000)), 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := registry(t).Bounded(0)
			got := r.bound(tc.content)
			all := text(got)
			if len(got) != tc.blocks || len(all) > 1024 || strings.Contains(all, "bytes left out here") != tc.notice {
				t.Errorf("%d blocks, %d bytes: %.60q", len(got), len(all), all)
			}
			if !utf8.ValidString(all) || strings.ContainsRune(all, utf8.RuneError) {
				t.Error("a code point was split")
			}
			if tc.notice && len(all) < 900 {
				t.Errorf("only %d bytes kept", len(all))
			}
		})
	}
}

func TestErrorsAreBoundedWithTheirPrefix(t *testing.T) {
	r := registry(t, bodied(func(context.Context, Call) (Result, error) {
		return Result{}, &Error{Message: strings.Repeat("e", 4000) + "\x00"}
	})).Bounded(2000)
	got := r.Run(t.Context(), Call{Name: "t"}, fine)
	if n := len(text(got.Content)); n > 2000 || n < 1800 || !strings.HasPrefix(text(got.Content), "Error: eee") || len(got.Error.Message) > 2000 {
		t.Errorf("%d bytes", n)
	}
}

func TestDefaultLimit(t *testing.T) {
	r := registry(t, bodied(func(context.Context, Call) (Result, error) {
		return Result{Content: Text("head" + strings.Repeat("x", 1<<20) + "tail")}, nil
	}))
	got := text(r.Run(t.Context(), Call{Name: "t"}, fine).Content)
	if len(got) > DefaultLimit || !strings.HasPrefix(got, "head") || !strings.HasSuffix(got, "tail") {
		t.Errorf("%d bytes", len(got))
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\r\n": "plain\ttext\r\n",
		"a\x00b":          "a␀b",
		"\x1b[31mred":     "␛[31mred",
		"\x7f":            "␡",
		"\u0085":          "\ufffd",
		"\xff\xfeok":      "\ufffdok",
		"\ufffd€":         "\ufffd€",
	} {
		if got := printable(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzPrintableAndBound(f *testing.F) {
	f.Add("a\x00\xff€", 1024)
	f.Add(strings.Repeat("😀", 600), 1500)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		r := registry(t).Bounded(limit % 5000)
		got := text(r.bound(Text(s)))
		if !utf8.ValidString(got) || len(got) > r.limit {
			t.Fatalf("%d bytes of %d, valid %v", len(got), r.limit, utf8.ValidString(got))
		}
		for _, c := range got {
			if unicode.IsControl(c) && !strings.ContainsRune("\t\n\r", c) {
				t.Fatalf("control character %U", c)
			}
		}
		if again := text(r.bound(Text(got))); again != got {
			t.Fatal("bounding twice changes the text")
		}
	})
}

func FuzzRunArguments(f *testing.F) {
	for _, seed := range []string{``, fine, `{"path":"p","n":1`, `[[[`, `{"path":"\ud800","n":1e0}`, "\xff", `{"n":1,"n":"x","path":""}`, strings.Repeat("[", 20000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		r := registry(t, bodied(func(_ context.Context, c Call) (Result, error) {
			if !json.Valid(c.Arguments) {
				t.Error("the tool got what is no JSON")
			}
			return Result{Content: Text("ok")}, nil
		}))
		got := r.Run(t.Context(), Call{Name: "t"}, raw)
		if got.IsError != (got.Error != nil) || got.IsError && got.Error.Kind != KindInvalidArgs {
			t.Fatalf("%+v", got)
		}
	})
}
