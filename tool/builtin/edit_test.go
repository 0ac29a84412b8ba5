//go:build unix

package builtin

import (
	"os"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/tool"
)

// proves: A208
func TestEdit(t *testing.T) {
	for _, tc := range []struct {
		name, before, old, new string
		all                    bool
		after, text, kind      string
	}{
		{"unique", "a b c\n", "b", "X", false, "a X c\n", "The file f has been updated successfully.", ""},
		{"deletes", "a b c\n", "b ", "", false, "a c\n", "The file f has been updated successfully.", ""},
		{"ambiguous", "b b b", "b", "X", false, "b b b", `Error: old_string matched 3 times in "f"; provide a more specific old_string or set replace_all to true`, AmbiguousEdit},
		{"all", "b b b", "b", "bb", true, "bb bb bb", "The file f has been updated. All occurrences were successfully replaced.", ""},
		{"missing", "abc", "B", "X", false, "abc", `Error: old_string was not found in "f"`, EditNotFound},
		{"missing, all", "abc", "B", "X", true, "abc", `Error: old_string was not found in "f"`, EditNotFound},
		{"overlapping", "aaa", "aa", "b", false, "ba", "The file f has been updated successfully.", ""},
		{"no pattern", "a.c abc $1", "a.c", "$1", false, "$1 abc $1", "The file f has been updated successfully.", ""},
		{"CRLF stays", "a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", false, "x\r\ny\r\nz\r\nc\r\n", "The file f has been updated successfully.", ""},
		{"CRLF sent", "a\r\nb\r\n", "a\r\nb", "x\r\ny", false, "x\r\ny\r\n", "The file f has been updated successfully.", ""},
		{"LF stays", "a\nb\n", "a\r\n", "x\r\ny\r\n", false, "x\ny\nb\n", "The file f has been updated successfully.", ""},
		{"mixed keeps the rest", "a\r\nb\nc\r\nd\r\n", "c", "x\ny", false, "a\r\nb\nx\r\ny\r\nd\r\n", "The file f has been updated successfully.", ""},
		{"mark stays", "\ufeffa\n", "a", "b", false, "\ufeffb\n", "The file f has been updated successfully.", ""},
		{"empty old", "a", "", "b", false, "a", "Error: old_string must be a non-empty string", tool.KindInvalidArgs},
		{"no change", "a", "a", "a", false, "a", "Error: old_string and new_string must differ", tool.KindInvalidArgs},
		{"no change but line ends", "a\n", "a\n", "a\r\n", false, "a\n", "Error: old_string and new_string must differ", tool.KindInvalidArgs},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := newAgent(t, t.TempDir(), Options{})
			a.put("f", tc.before)
			a.do("read", args{"file_path": "f"})
			a.want("edit", args{"file_path": "f", "old_string": tc.old, "new_string": tc.new, "replace_all": tc.all}, tc.text, tc.kind)
			a.has("f", tc.after)
			noLeftovers(t, a.call.Cwd)
		})
	}
}

// proves: A209, A210
func TestEditFollowsWhatWasSeen(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	a.put("f", lines(50))
	a.want("edit", args{"file_path": "f", "old_string": "line 40\n", "new_string": "x\n"}, `Error: edit requires reading "f" first — read the file, then retry`, NotObserved)
	a.do("read", args{"file_path": "f", "limit": 1})
	a.want("edit", args{"file_path": "f", "old_string": "line 40\n", "new_string": "x\n"}, "The file f has been updated successfully.")
	a.put("f", "theirs")
	a.want("edit", args{"file_path": "f", "old_string": "not in it", "new_string": "x"}, staleText, StaleVersion)
	a.has("f", "theirs")

	a.want("read", args{"file_path": "gone"}, `Error: cannot read "gone": not found`, NotFound)
	a.want("edit", args{"file_path": "gone", "old_string": "a", "new_string": "b"}, `Error: cannot edit "gone": not found`, NotFound)
	a.do("read", args{"file_path": "f"})
	if err := os.Remove(a.path("f")); err != nil {
		t.Fatal(err)
	}
	a.want("edit", args{"file_path": "f", "old_string": "t", "new_string": "b"}, staleText, StaleVersion)

	a.want("write", args{"file_path": "new", "content": "one"}, shown("new", "Created file"))
	a.want("edit", args{"file_path": "new", "old_string": "one", "new_string": "two"}, "The file new has been updated successfully.")
	a.want("edit", args{"file_path": "new", "old_string": "two", "new_string": "three"}, "The file new has been updated successfully.")
	a.has("new", "three")
}

func TestEditRefusesWhatIsNoText(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	a.put("f", strings.Repeat("line\n", 20000)+"\xff")
	a.do("read", args{"file_path": "f", "limit": 1})
	// The page ends before the bad byte only where the file is not read to its end.
	o := NewObserved()
	b := newAgent(t, a.call.Cwd, Options{Observed: o})
	info, err := os.Stat(a.path("f"))
	if err != nil {
		t.Fatal(err)
	}
	o.note(b.call.Session, b.path("f"), versionOf(info))
	b.want("edit", args{"file_path": "f", "old_string": "line", "new_string": "x", "replace_all": true}, `Error: cannot edit "f": not a text file in UTF-8`, NotText)
	if err := os.Truncate(b.path("f"), editBytes+1); err != nil {
		t.Fatal(err)
	}
	info, _ = os.Stat(b.path("f"))
	o.note(b.call.Session, b.path("f"), versionOf(info))
	b.want("edit", args{"file_path": "f", "old_string": "line", "new_string": "x"}, `Error: cannot edit "f": the file is larger than 33554432 bytes`, TooLarge)
}

// FuzzReplacement checks the matcher against plain replacing, and that it
// touches nothing else where line ends are mixed.
func FuzzReplacement(f *testing.F) {
	f.Add("a\r\nb\nc\r\n", "b\n", "x\ny")
	f.Add("\r\r\n\n\r", "\r\n", "")
	f.Add("aaaa", "aa", "a")
	f.Add("é\r\né", "é\n", "\xff")
	f.Fuzz(func(t *testing.T, text, old, new string) {
		r, err := replacementOf(editArgs{OldString: old, NewString: new, ReplaceAll: true})
		if err != nil {
			return
		}
		got, n := r.in(text)
		if want := strings.Count(lineFeeds(text), r.old); n != want {
			t.Fatalf("%d matches, want %d", n, want)
		}
		if n == 0 && got != text {
			t.Fatal("changed without a match")
		}
		if !strings.Contains(text, "\r") && !strings.Contains(r.old+r.new, "\r") {
			if want := strings.ReplaceAll(text, r.old, r.new); got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
		}
		if strings.Contains(r.old+r.new, "\r") || strings.Contains(lineFeeds(text), "\r") {
			return // pieces that meet may then make a new line end
		}
		if want := strings.ReplaceAll(lineFeeds(text), r.old, r.new); lineFeeds(got) != want {
			t.Fatalf("got %q, want %q", lineFeeds(got), want)
		}
		if lone := strings.Count(text, "\n") - strings.Count(text, "\r\n"); n == 0 && lone != strings.Count(got, "\n")-strings.Count(got, "\r\n") {
			t.Fatal("a line end was changed")
		}
	})
}
