//go:build unix

package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/tool"
)

// tree writes files, each a minute younger than the one before.
func (a agent) tree(names ...string) {
	a.t.Helper()
	at := time.Now().Add(-time.Duration(len(names)) * time.Minute)
	for i, name := range names {
		if err := os.MkdirAll(filepath.Dir(a.path(name)), 0o755); err != nil {
			a.t.Fatal(err)
		}
		a.put(name, "content of "+name+"\n")
		if err := os.Chtimes(a.path(name), at, at.Add(time.Duration(i)*time.Minute)); err != nil {
			a.t.Fatal(err)
		}
	}
}

// proves: A216
func TestGlob(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	a.tree("z.go", "src/b/x.go", "src/a.go", ".hidden/h.go", "src/a.ts", "out/o.go", ".git/g.go", "src/.svn/s.go", "sub/.git", "[x].txt")
	a.put(".gitignore", "out/\n")
	abs := a.call.Cwd
	for _, tc := range []struct {
		name, pattern, path, text string
	}{
		{"names in any directory, hidden and ignored ones too", "*.go", "", "z.go\nsrc/b/x.go\nsrc/a.go\n.hidden/h.go\nout/o.go"},
		{"a slash begins at the place", "src/*.go", "", "src/a.go"},
		{"as does one that stands first", "/*.go", "", "z.go"},
		{"two stars", "src/**/*.go", "", "src/b/x.go\nsrc/a.go"},
		{"braces", "src/**/*.{go,ts}", "", "src/b/x.go\nsrc/a.go\nsrc/a.ts"},
		{"below a path", "*.go", "src", "src/b/x.go\nsrc/a.go"},
		{"the pattern begins at the path", "b/*", "./src/", "src/b/x.go"},
		{"an absolute path", "a.*", abs + "/src", "src/a.go\nsrc/a.ts"},
		{"an absolute pattern", abs + "/src/*.ts", "", "src/a.ts"},
		{"an escape", `\[x].txt`, "", "[x].txt"},
		{"dot slash", "./z.go", "", "z.go"},
		{"nothing", "*.rs", "", "No files found"},
		{"in version control", "*.go", ".git", "No files found"},
		{"a directory is no file", "src", "", "No files found"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a.t = t
			in := args{"pattern": tc.pattern}
			if tc.path != "" {
				in["path"] = tc.path
			}
			a.want("glob", in, tc.text)
		})
	}
}

func TestGlobElsewhere(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	b := newAgent(t, t.TempDir(), Options{})
	b.tree("d/f.go", "g.go")
	a.want("glob", args{"pattern": "*.go", "path": b.call.Cwd}, b.path("d/f.go")+"\n"+b.path("g.go"))
	a.want("glob", args{"pattern": "*", "path": "gone"}, `Error: cannot search "gone": not found`, NotFound)
	b.want("glob", args{"pattern": "*", "path": "g.go"}, `Error: cannot search "g.go": not a directory`, NotDirectory)
	b.want("glob", args{"pattern": ""}, "Error: pattern must be a non-empty string", "INVALID_ARGS")
	b.want("glob", args{"pattern": "*", "path": " "}, "Error: path must be a non-empty string", "INVALID_ARGS")
	b.want("glob", args{"pattern": "a["}, `Error: invalid glob "a["`, InvalidPattern)
	many := strings.Repeat("{a,b}", 11)
	b.want("glob", args{"pattern": many}, fmt.Sprintf("Error: invalid glob %q: its braces stand for more than 1024 patterns", many), InvalidPattern)
}

// proves: A216
func TestGlobShowsHundred(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	var names []string
	for i := range 101 {
		names = append(names, fmt.Sprintf("f%03d", (i*37)%101))
	}
	a.tree(names...)
	text, kind := a.do("glob", args{"pattern": "f*"})
	body, footer, _ := strings.Cut(text, "\n\n")
	if d := cmp.Diff(names[:100], strings.Split(body, "\n")); d != "" || kind != "" {
		t.Error(kind, d)
	}
	stored, ok := strings.CutPrefix(footer, "(Showing 100 of 101 paths. Full sorted result stored at: ")
	stored, ok2 := strings.CutSuffix(stored, ". "+tool.SpillHint+")")
	if !ok || !ok2 || filepath.Dir(stored) != a.outputs() {
		t.Fatal(footer)
	}
	all, err := os.ReadFile(stored)
	if err != nil || string(all) != strings.Join(names, "\n")+"\n" {
		t.Error(err, string(all))
	}
	if info, err := os.Stat(stored); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	a.put("file", "")
	a.call.Outputs = a.path("file/none")
	if text, _ := a.do("glob", args{"pattern": "f*"}); !strings.HasSuffix(text, "\n\n(Showing 100 of 102 paths. The complete result could not be saved; narrow pattern or path to see more.)") {
		t.Error(text)
	}
	if err := os.Remove(a.path("f000")); err != nil {
		t.Fatal(err)
	}
	if text, _ := a.do("glob", args{"pattern": "f[0-9]*"}); strings.Contains(text, "(") || strings.Count(text, "\n") != 99 {
		t.Error("a hundred is not cut:", text)
	}
}

func TestSearchMeetsOddFiles(t *testing.T) { engines(t, testSearchMeetsOddFiles) }

func testSearchMeetsOddFiles(t *testing.T, o Options) {
	a := newAgent(t, t.TempDir(), o)
	a.tree("d/real.txt")
	for link, to := range map[string]string{"d/loop": "..", "self": "self", "link.txt": "d/real.txt", "dirlink": "d", "gone": "nowhere"} {
		if err := os.Symlink(to, a.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(a.path("pipe.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.want("glob", args{"pattern": "*.txt"}, "d/real.txt")
	a.want("grep", args{"pattern": "content"}, "Found 1 match\n\nd/real.txt\nLine 1: content of d/real.txt")
	a.want("grep", args{"pattern": "content", "path": "dirlink"}, "Found 1 match\n\ndirlink/real.txt\nLine 1: content of d/real.txt")
	a.want("grep", args{"pattern": "a", "path": "pipe.txt"}, `Error: cannot search "pipe.txt": not a regular file or a directory`, NotRegular)
	a.want("grep", args{"pattern": "a", "path": "/dev/zero"}, `Error: cannot search "/dev/zero": not a regular file or a directory`, NotRegular)
	if _, kind := a.do("grep", args{"pattern": "a", "path": "self"}); kind == "" {
		t.Error("a link to itself was searched")
	}
}

func TestSearchSaysWhatItCouldNotRead(t *testing.T) { engines(t, testSearchSaysWhatItCouldNotRead) }

func testSearchSaysWhatItCouldNotRead(t *testing.T, o Options) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	a := newAgent(t, t.TempDir(), o)
	a.tree("a/f", "b/f", "c")
	for _, name := range []string{"a", "c"} {
		if err := os.Chmod(a.path(name), 0); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.Chmod(a.path(name), 0o700) }()
	}
	a.want("glob", args{"pattern": "f"}, "b/f\n\n(1 path could not be read.)")
	a.want("grep", args{"pattern": "nothing"}, "No matches found\n\n(2 paths could not be read.)")
}

func TestSortedIsASort(t *testing.T) {
	var s []found
	for i := range 20000 {
		s = append(s, found{rel: fmt.Sprint(i), at: int64(i * 7919 % 101)})
	}
	order := func(a, b found) int { return int(a.at - b.at) }
	want := slices.Clone(s)
	slices.SortStableFunc(want, order)
	got, err := sorted(t.Context(), s, order)
	if err != nil || !slices.Equal(got, want) {
		t.Error("not sorted", err)
	}
}
