//go:build unix

package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// withoutRipgrep is an environment in which there is none.
var withoutRipgrep = []string{"PATH=/var/empty"}

// withRipgrep makes options that search any tree with ripgrep. Without one the test
// is skipped, which internal/check says.
func withRipgrep(t testing.TB) Options {
	t.Helper()
	if _, err := exec.LookPath("rg"); err != nil {
		t.Skip("ripgrep is not installed: nothing to compare with")
	}
	return Options{sieveFrom: 1}
}

// engines runs a test of searches with our own engine alone and with ripgrep.
func engines(t *testing.T, f func(t *testing.T, o Options)) {
	t.Run("own", func(t *testing.T) { f(t, Options{Env: withoutRipgrep}) })
	t.Run("ripgrep", func(t *testing.T) { f(t, withRipgrep(t)) })
}

// pieces of lines that two engines could read differently.
var pieces = []string{
	"a", "b", "foo", "Foo", "k", "K", "\u212a", "s", "ſ", "é", "€", "😀", "\ufffd", "\xff", "\xe2\x82", "\r", "\t", " ", "_", "1", "9", "\x01", "\u2028", "\u0085", "\ufeff",
	"\x00", "ab", "İ", "ß",
}

// patterns are made of these.
var atoms = []string{
	"a", "b", "foo", ".", "[a-c]", "[^a]", `\w`, `\W`, `\s`, `\S`, `\d`, `\D`, "k", "(?i:k)", "(?i)s", "€", "\ufffd", `\x{FFFD}`, `[^\x{FFFD}]`, `\r`, `\t`, `\x00`, `\n`, "[\\n]", "[\\na]",
	"^", "$", `\b`, `\B`, `\A`, `\z`, "(?m:^)", "(?m:$)", "(?s:.)", `\pL`, `\PL`, `\p{Greek}`, "[[:alpha:]]", `\Qa.b\E`, "é", "[é-€]", `[\x{D000}-\x{F000}]`, "😀", "(?-s:.)", `\x{7F}`, `\C`, "(?U:a+)",
}

func pattern() *rapid.Generator[string] {
	atom := rapid.SampledFrom(atoms)
	return rapid.Custom(func(t *rapid.T) string {
		var sb strings.Builder
		for range rapid.IntRange(1, 4).Draw(t, "terms") {
			term := atom.Draw(t, "atom")
			switch rapid.IntRange(0, 5).Draw(t, "form") {
			case 0:
				term = "(" + term + "|" + atom.Draw(t, "or") + ")"
			case 1:
				term = "(?:" + term + ")" + rapid.SampledFrom([]string{"*", "+", "?", "{2}", "{0,2}", "{1,}", "+?"}).Draw(t, "times")
			}
			sb.WriteString(term)
		}
		return sb.String()
	})
}

func content() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var sb strings.Builder
		if rapid.IntRange(0, 4).Draw(t, "mark") == 0 {
			sb.WriteString("\ufeff")
		}
		for range rapid.IntRange(0, 4).Draw(t, "lines") {
			for range rapid.IntRange(0, 5).Draw(t, "pieces") {
				p := rapid.SampledFrom(pieces).Draw(t, "piece")
				if p == "\x00" && rapid.IntRange(0, 3).Draw(t, "binary") > 0 {
					continue
				}
				sb.WriteString(p)
			}
			if rapid.IntRange(0, 60).Draw(t, "long") == 0 {
				sb.WriteString(strings.Repeat("é", 40_000) + "end")
			}
			sb.WriteString(rapid.SampledFrom([]string{"\n", "\r\n", "\n\n", ""}).Draw(t, "end"))
		}
		return sb.String()
	})
}

// Both engines give the same bytes for any tree and any pattern.
// proves: A217
func TestEnginesAgree(t *testing.T) {
	both := [2]Options{{Env: withoutRipgrep}, withRipgrep(t)}
	agree := func(t *rapid.T) {
		dir := tempDir(t)
		names := []string{"a", "b.go", "c.txt", ".hidden", "sub/d.go", "sub/-e", "sub/.env", "ign/f", "é\xff", "-g", "sub/h i"}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 8, rapid.ID[string]).Draw(t, "files") {
			write(t, filepath.Join(dir, name), content().Draw(t, "content"))
		}
		write(t, filepath.Join(dir, ".gitignore"), rapid.SampledFrom([]string{"", "ign/\n", "*.go\n!b.go\n"}).Draw(t, "ignore"))
		write(t, filepath.Join(dir, ".git", "config"), "")
		in := args{"pattern": pattern().Draw(t, "pattern")}
		if include := rapid.SampledFrom([]string{"", "", "*.go", ".*", "sub/*", "-g"}).Draw(t, "include"); include != "" {
			in["include"] = include
		}
		var texts [2]string
		for i, o := range both {
			a := agentIn(t, dir, o)
			texts[i], _ = a.do("grep", in)
		}
		if d := cmp.Diff(texts[0], texts[1]); d != "" {
			t.Fatalf("%q with ripgrep: %s", in, d)
		}
	}
	rapid.Check(t, agree)
}

// A loosened pattern matches, in ripgrep, every line that the pattern matches.
func TestLoosenedIsLooser(t *testing.T) {
	withRipgrep(t)
	rapid.Check(t, func(t *rapid.T) {
		p := pattern().Draw(t, "pattern")
		re, err := regexp.Compile(p)
		loose, ok := loosened(p)
		if err != nil || !ok {
			t.Skip()
		}
		var in bytes.Buffer
		var want []string
		for range 30 {
			line := strings.NewReplacer("\n", "", "\x00", "").Replace(content().Draw(t, "line"))
			fmt.Fprintf(&in, "%s\n", line)
			if re.MatchString(strings.TrimSuffix(strings.TrimPrefix(line, "\ufeff"), "\r")) {
				want = append(want, line)
			}
		}
		cmd := exec.Command("rg", "--no-config", "-a", "-E", "none", "--no-line-number", "--regexp="+loose, "-")
		cmd.Stdin, cmd.Env = &in, []string{}
		out, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
			t.Fatalf("%s: %v: %s", loose, err, exit.Stderr)
		}
		got := map[string]bool{}
		for line := range strings.SplitSeq(string(out), "\n") {
			got[line] = true
		}
		for _, line := range want {
			if !got[line] {
				t.Fatalf("%q as %q overlooks %q", p, loose, line)
			}
		}
	})
}

// FuzzLoosened holds the two forms of an expression against each other where Go's
// engine reads both: for it a byte that is no UTF-8 is U+FFFD.
func FuzzLoosened(f *testing.F) {
	for _, atom := range atoms {
		f.Add(atom, "foo\u212a\xff\r")
		f.Add("(a|"+atom+"+)x{1,3}", "ax\ufeff")
	}
	f.Fuzz(func(t *testing.T, p, line string) {
		if len(p) > 200 || strings.ContainsAny(line, "\n\x00") {
			return
		}
		loose, ok := loosened(p)
		re, err := regexp.Compile(p)
		if !ok || err != nil || !re.MatchString(strings.TrimSuffix(strings.TrimPrefix(line, "\ufeff"), "\r")) {
			return
		}
		twin, err := regexp.Compile(strings.ReplaceAll(loose, `(?-u:[\x80-\xFF])`, `\x{FFFD}`))
		if err != nil {
			return // too large when it is written out
		}
		if !twin.MatchString(line) {
			t.Errorf("%q as %q overlooks %q", p, loose, line)
		}
	})
}

func write(t interface{ Fatal(...any) }, path, content string) {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
