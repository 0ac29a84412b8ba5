package regex

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

func units(s string) []uint16 { return utf16.Encode([]rune(s)) }

func compile(t testing.TB, pattern, flags string) *Regexp {
	t.Helper()
	f, ok := ParseFlags(flags)
	if !ok {
		t.Fatal("flags", flags)
	}
	re, err := Compile(units(pattern), f)
	if err != nil {
		t.Fatal(pattern, err)
	}
	return re
}

func find(t testing.TB, pattern, flags, text string) string {
	t.Helper()
	u := units(text)
	loc, err := compile(t, pattern, flags).Find(u, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for i := 0; i < len(loc); i += 2 {
		if loc[i] < 0 {
			parts = append(parts, "-")
			continue
		}
		parts = append(parts, string(utf16.Decode(u[loc[i]:loc[i+1]])))
	}
	return strings.Join(parts, "|")
}

func TestMatches(t *testing.T) {
	for _, c := range [][4]string{
		{`(z)((a+)?(b+)?(c))*`, "", "zaacbbbcac", "zaacbbbcac|z|ac|a|-|c"},
		{`(?=(a+))a*b\1`, "", "baaabac", "aba|a"},
		{`(?<=(\d+)(\d+))$`, "", "1053", "|1|053"},
		{`(a*)*`, "", "b", "|-"},
		{`(?:a*?)*?b`, "", "aab", "aab"},
		{`\p{Lu}\p{Ll}+`, "u", "éÉtude", "Étude"},
		{`[\p{L}--[a-z]]+`, "v", "abcÀÉz", "ÀÉ"},
		{`(?<a>.)\k<a>`, "u", "x😀😀", "😀😀|😀"},
		{`x{2,3}?y`, "", "xxxy", "xxxy"},
		{`^.$`, "su", "\n", "\n"},
		{`straße`, "iu", "STRAẞE", "STRAẞE"},
		{`[^x]`, "iu", "Xxy", "y"},
		{`(?!foo)...`, "", "foobar", "oob"},
		{`a.c`, "", "a\nc abc", "abc"},
		{`[\q{abc|d|}]e`, "v", "xabce", "abce"},
		{`(a|ab)(c|bcd)(d*)`, "", "abcd", "abcd|a|bcd|"},
		{`\bfoo\b`, "i", "a FOO b", "FOO"},
		{`(?:(?<y>\d{4})|(\d\d))-`, "", "12-", "12-|-|12"},
		{`a{0}b`, "", "ab", "b"},
		{`\cA\x41\u0042\0`, "", "\x01AB\x00", "\x01AB\x00"},
	} {
		if got := find(t, c[0], c[1], c[2]); got != c[3] {
			t.Errorf("/%s/%s in %q\n got %q\nwant %q", c[0], c[1], c[2], got, c[3])
		}
	}
}

func TestRefused(t *testing.T) {
	for pattern, want := range map[string]string{
		`(`: "Unterminated group", `a**`: "Nothing to repeat", `[b-a]`: "Range out of order in character class",
		strings.Repeat("(", 10_000): "Regular expression too large", `(?<a>x)(?<a>y)`: "Duplicate capture group name",
		`(?:` + strings.Repeat("(?:a{100}){100}", 200) + `){100}`: "",
	} {
		_, err := Compile(units(pattern), Flags{})
		var syntax *SyntaxError
		if want != "" && (!errors.As(err, &syntax) || syntax.Reason != want) {
			t.Errorf("%.40s: %v", pattern, err)
		}
	}
}

// A match that takes for ever is ended, and not taken for no match.
func TestStop(t *testing.T) {
	stopped := errors.New("stopped")
	for _, pattern := range []string{`(a*)*b`, `(?=(a+)+b)x`, `(\w+)+$`, `(a|a)*b`, `((a?){30})*b`} {
		asked := 0
		_, err := compile(t, pattern, "").Find(units(strings.Repeat("a", 60)+"!"), 0, func() error {
			if asked++; asked > 50 {
				return stopped
			}
			return nil
		})
		if !errors.Is(err, stopped) && !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v after %d questions", pattern, err, asked)
		}
	}
	_, err := compile(t, `(.)*x`, "s").Find(units(strings.Repeat("a", 6<<20)), 0, nil)
	if !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
}

func TestPlain(t *testing.T) {
	for pattern, want := range map[string]bool{
		`\d+-(\w+)`: true, `[^,]*`: true, `(?<n>x)`: true, `(a)+`: false, `(?=a)`: false, `\1(a)`: false, `(?:a?)*`: false, `é`: true, `\ud800`: false,
	} {
		if got := compile(t, pattern, "").Plain; got != want {
			t.Errorf("%s: %v", pattern, got)
		}
	}
	if compile(t, `é`, "i").Plain || compile(t, `a`, "u").Plain || compile(t, `a`, "d").Plain {
		t.Error("flags do not count")
	}
}

func TestProperties(t *testing.T) {
	for name := range categoryNames {
		compile(t, `\p{`+name+`}\P{gc=`+name+`}`, "u")
	}
	for short, long := range binaryNames {
		if a, _ := propertySet(short); len(a) == 0 {
			t.Error(short, long)
		}
	}
	for long, short := range scriptNames() {
		if s, ok := propertySet("Script=" + long); !ok || len(s) == 0 {
			t.Error("no script", long, short)
		}
		if s, ok := propertySet("scx=" + short); !ok || len(s) == 0 {
			t.Error("no extensions of", short)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{`(a*)*b|[^\d-x]{2,}?\k<n>(?<n>\u{1f600})`, `[\p{L}--[a-z&&[b]]\q{ab|c}]`, `(?<=\1(a))\b$^.`, `\c\x4\u12\07{,3}`} {
		f.Add(seed, "iu", "aab")
		f.Add(seed, "v", "ÀÉ😀")
		f.Add(seed, "ims", "x\ny")
	}
	f.Fuzz(func(t *testing.T, pattern, flags, text string) {
		fl, ok := ParseFlags(flags)
		if !ok || len(pattern) > 200 || len(text) > 200 {
			return
		}
		re, err := Compile(units(pattern), fl)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatal(err)
			}
			return
		}
		left := 200
		u := units(text)
		loc, err := re.Find(u, 0, func() error {
			if left--; left < 0 {
				return errors.New("long")
			}
			return nil
		})
		for i := 0; err == nil && i < len(loc); i += 2 {
			if loc[i] > loc[i+1] || loc[i+1] > len(u) {
				t.Fatal(fmt.Sprint(loc))
			}
		}
	})
}

func BenchmarkLines(b *testing.B) {
	text := units(strings.Repeat("some words of a line, and a number 1234\n", 1000))
	re := compile(b, `(?<=number )\d+`, "")
	for b.Loop() {
		for at := 0; ; {
			loc, err := re.Find(text, at, nil)
			if err != nil || loc == nil {
				break
			}
			at = loc[1]
		}
	}
}
