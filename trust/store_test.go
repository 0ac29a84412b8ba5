package trust_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/trust"
)

// world is a folder with a user's home, the home of the harness, and projects.
type world struct {
	t     *testing.T
	dir   string
	store *trust.Store
}

func newWorld(t *testing.T, folders ...string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir}
	for _, folder := range append(folders, "home") {
		w.mkdir(folder)
	}
	w.store = trust.New(trust.Config{
		Home: w.path("home/.dsh"), UserHome: w.path("home"),
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC) },
	})
	return w
}

func (w *world) path(rel string) string { return filepath.Join(w.dir, rel) }

func (w *world) mkdir(rel string) {
	w.t.Helper()
	if err := os.MkdirAll(w.path(rel), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(rel, text string) {
	w.t.Helper()
	w.mkdir(filepath.Dir(rel))
	if err := os.WriteFile(w.path(rel), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) add(rel string, trusted bool) {
	w.t.Helper()
	_, err := w.store.Add(w.path(rel), trusted)
	w.must(err)
}

// look expects an answer about rel, and the entry that gives it.
func (w *world) look(rel string, want trust.Answer, by string) {
	w.t.Helper()
	v, err := w.store.Look(w.path(rel))
	if err != nil {
		w.t.Errorf("%s: %v", rel, err)
		return
	}
	if by != "" {
		by = w.path(by)
	}
	if v.Answer != want || v.By != by || v.Trusted() != (want == trust.Trusted) {
		w.t.Errorf("%s: %s by %q, want %s by %q", rel, v.Answer, v.By, want, by)
	}
}

func TestNobodySaidAnything(t *testing.T) {
	w := newWorld(t, "repo/.git", "repo/sub", "plain/sub")
	for _, rel := range []string{"repo", "repo/sub", "plain", "plain/sub", "home"} {
		w.look(rel, trust.Unasked, "")
	}
	if _, err := os.Stat(w.path("home/.dsh")); err == nil {
		t.Error("looking made the home of the harness")
	}
}

func TestOneProject(t *testing.T) {
	w := newWorld(t, "repo/.git", "repo/sub/deep", "other/.git", "repository")
	w.add("repo/sub/deep", true)
	for _, rel := range []string{"repo", "repo/sub", "repo/sub/deep"} {
		w.look(rel, trust.Trusted, "repo")
	}
	w.look("other", trust.Unasked, "")
	w.look("repository", trust.Unasked, "") // its name begins like the trusted one's
	w.add("repo", false)
	w.look("repo/sub", trust.Refused, "repo")
	removed, err := w.store.Remove(w.path("repo/sub"))
	if err != nil || removed != w.path("repo") {
		t.Errorf("removed %q, %v", removed, err)
	}
	w.look("repo", trust.Unasked, "")
	if removed, err := w.store.Remove(w.path("repo")); err != nil || removed != "" {
		t.Errorf("removed %q, %v", removed, err)
	}
}

// A folder covers what is below it, the nearest answer first, but no repository of
// its own: whoever trusts the folder of all downloads has not read them.
func TestCoverage(t *testing.T) {
	w := newWorld(t, "src/a/b", "src/cloned/.git", "src/cloned/sub", "src/mod", "src/linked")
	w.write("src/mod/.git", "gitdir: ../elsewhere\n")
	w.must(os.Symlink("nothing", w.path("src/linked/.git")))
	w.add("src", true)
	w.look("src", trust.Trusted, "src")
	w.look("src/a/b", trust.Trusted, "src")
	w.look("src/cloned", trust.Unasked, "")
	w.look("src/cloned/sub", trust.Unasked, "")
	w.look("src/mod", trust.Unasked, "")    // a submodule or a worktree
	w.look("src/linked", trust.Unasked, "") // a link is a marker too
	w.add("src/a", false)
	w.look("src/a/b", trust.Refused, "src/a")
	w.add("src/a/b", true)
	w.look("src/a/b", trust.Trusted, "src/a/b")
	w.look("src/a", trust.Refused, "src/a")
	w.add("src/cloned/sub", true)
	w.look("src/cloned", trust.Trusted, "src/cloned")

	// A folder that becomes a repository has to be trusted as one.
	w.mkdir("src/late")
	w.look("src/late", trust.Trusted, "src")
	w.mkdir("src/late/.git")
	w.look("src/late", trust.Unasked, "")
}

// Everything that a user ever downloads is below the home.
func TestBroadFoldersSpeakForThemselves(t *testing.T) {
	w := newWorld(t, "home/downloads/thing")
	w.add("home", true)
	w.look("home", trust.Trusted, "home")
	w.look("home/downloads/thing", trust.Unasked, "")
	if _, err := w.store.Add("/", true); err != nil {
		t.Fatal(err)
	}
	w.look("home/downloads/thing", trust.Unasked, "")
}

func TestMovedAndReplaced(t *testing.T) {
	w := newWorld(t, "mine", "evil/sub", "parent/child")
	w.add("mine", true)
	w.must(os.Symlink(w.path("mine"), w.path("alias")))
	v, err := w.store.Look(w.path("alias"))
	if err != nil || !v.Trusted() || v.Project != w.path("mine") {
		t.Errorf("a link to a trusted folder: %+v, %v", v, err)
	}
	w.must(os.Rename(w.path("mine"), w.path("moved")))
	w.look("moved", trust.Unasked, "")
	w.must(os.Symlink(w.path("evil"), w.path("mine")))
	w.look("mine", trust.Unasked, "")
	w.look("mine/sub", trust.Unasked, "")
	w.look("evil", trust.Unasked, "")

	// A link inside of a trusted folder leads out of it.
	w.add("parent", true)
	w.look("parent/child", trust.Trusted, "parent")
	w.must(os.Remove(w.path("parent/child")))
	w.must(os.Symlink(w.path("evil"), w.path("parent/child")))
	w.look("parent/child", trust.Unasked, "")

	entries, err := w.store.List()
	if err != nil || len(entries) != 2 || entries[0].Stale() != "it is a link now" || entries[1].Stale() != "" {
		t.Errorf("%+v, %v", entries, err)
	}
	// The answer about a path that is a link now can be taken back by that path.
	if removed, err := w.store.Remove(w.path("mine")); err != nil || removed != w.path("mine") {
		t.Errorf("removed %q, %v", removed, err)
	}
	w.must(os.RemoveAll(w.path("parent")))
	if entries, err = w.store.List(); err != nil || len(entries) != 1 || entries[0].Stale() != "the folder is gone" {
		t.Errorf("%+v, %v", entries, err)
	}
	if removed, err := w.store.Remove(w.path("parent")); err != nil || removed != w.path("parent") {
		t.Errorf("removed %q, %v", removed, err)
	}
}

// A folder that another user put in the place of a trusted one is that user's.
func TestAnotherOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives folders away")
	}
	w := newWorld(t, "shared", "shared/theirs")
	w.add("shared", true)
	w.must(os.Chown(w.path("shared/theirs"), 12345, -1))
	w.look("shared/theirs", trust.Unasked, "")
	w.must(os.Chown(w.path("shared"), 12345, -1))
	w.look("shared", trust.Unasked, "")
	entries, err := w.store.List()
	if err != nil || len(entries) != 1 || entries[0].Stale() != "it belongs to another user now" {
		t.Errorf("%+v, %v", entries, err)
	}
	w.add("shared", true)
	w.look("shared", trust.Trusted, "shared")
	w.look("shared/theirs", trust.Trusted, "shared")
}

func TestProjectThatCannotBeTold(t *testing.T) {
	w := newWorld(t, "loop")
	w.must(os.Symlink(".git", w.path("loop/.git")))
	w.look("loop", trust.Unasked, "") // a link is there, whatever it leads to
	for _, dir := range []string{"", "relative", w.path("absent")} {
		if v, err := w.store.Look(dir); err == nil || v.Trusted() {
			t.Errorf("%q: %+v", dir, v)
		}
		if _, err := w.store.Add(dir, true); err == nil {
			t.Errorf("%q was added", dir)
		}
	}
	w.write("file", "")
	if _, err := w.store.Add(w.path("file"), true); err == nil || !strings.Contains(err.Error(), "not an accessible folder") {
		t.Errorf("a file was added: %v", err)
	}
}

func TestFileOfTheStore(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.add("b", false)
	w.add("a", true)
	raw, err := os.ReadFile(w.store.Path())
	if err != nil {
		t.Fatal(err)
	}
	owner := fmt.Sprint(os.Getuid())
	want := fmt.Sprintf(`{
  "version": 1,
  "folders": [
    {
      "path": %q,
      "trusted": true,
      "owner": %q,
      "since": "2026-01-02T03:04:05Z"
    },
    {
      "path": %q,
      "trusted": false,
      "owner": %q,
      "since": "2026-01-02T03:04:05Z"
    }
  ]
}
`, w.path("a"), owner, w.path("b"), owner)
	if diff := cmp.Diff(want, string(raw)); diff != "" {
		t.Error(diff)
	}
	for path, mode := range map[string]os.FileMode{w.store.Path(): 0o600, w.path("home/.dsh"): os.ModeDir | 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	entries, err := os.ReadDir(w.path("home/.dsh"))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the file: %v, %v", entries, err)
	}
}

// A store that cannot be read trusts nothing, says so, and is not written over.
func TestDamagedStore(t *testing.T) {
	w := newWorld(t, "a")
	good := fmt.Sprintf(`{"version":1,"folders":[{"path":%q,"trusted":true,"since":"2026-01-02T03:04:05Z"}]}`, w.path("a"))
	w.write("home/.dsh/trust.json", good)
	w.look("a", trust.Trusted, "a")
	for name, text := range map[string]string{
		"empty":     "",
		"torn":      good[:len(good)-3],
		"more":      good + "{}",
		"later":     strings.Replace(good, `"version":1`, `"version":2`, 1),
		"unknown":   strings.Replace(good, `"trusted"`, `"depth":3,"trusted"`, 1),
		"relative":  strings.Replace(good, w.path("a"), "a", 1),
		"unclean":   strings.Replace(good, w.path("a"), w.path("a")+"/", 1),
		"another":   `[]`,
		"twice":     strings.Replace(good, "[{", `[{"path":"`+w.path("a")+`"},{`, 1),
		"no answer": `null`,
	} {
		w.write("home/.dsh/trust.json", text)
		v, err := w.store.Look(w.path("a"))
		var damaged *trust.DamagedError
		if !errors.As(err, &damaged) || v.Trusted() || damaged.Code() != "TRUST_DAMAGED" || !strings.Contains(err.Error(), "mend or remove it") {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
		if _, err := w.store.Add(w.path("a"), true); !errors.As(err, &damaged) {
			t.Errorf("%s: added: %v", name, err)
		}
		if _, err := w.store.Remove(w.path("a")); !errors.As(err, &damaged) {
			t.Errorf("%s: removed: %v", name, err)
		}
		if raw, err := os.ReadFile(w.store.Path()); err != nil || string(raw) != text {
			t.Errorf("%s: the file was changed: %q, %v", name, raw, err)
		}
	}
	w.must(os.Remove(w.store.Path()))
	w.mkdir("home/.dsh/trust.json")
	if v, err := w.store.Look(w.path("a")); err == nil || v.Trusted() {
		t.Errorf("a folder in its place: %+v, %v", v, err)
	}
}

// No answer is lost when many are given at once.
func TestWritersWaitForEachOther(t *testing.T) {
	const many = 24
	w := newWorld(t)
	var group sync.WaitGroup
	for i := range many {
		rel := fmt.Sprintf("p%d", i)
		w.mkdir(rel)
		group.Go(func() {
			store := trust.New(trust.Config{Home: w.path("home/.dsh")})
			if _, err := store.Add(w.path(rel), true); err != nil {
				t.Error(err)
			}
			if _, err := store.Look(w.path(rel)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for i := range many {
		rel := fmt.Sprintf("p%d", i)
		w.look(rel, trust.Trusted, rel)
	}
}

func TestOffers(t *testing.T) {
	w := newWorld(t, "repo/.git", "repo/sub/deep", "repo/.claude/agents", "home/.claude/workflows", "home/.dsh/workflows", "home/.agents/skills")
	w.write("repo/AGENTS.md", "")
	w.write("repo/.mcp.json", "")
	w.must(os.Symlink("nothing", w.path("repo/sub/CLAUDE.local.md")))
	w.write("repo/sub/deep/.dsh/config.yaml", "")
	w.write("repo/sub/deep/README.md", "")
	for rel, want := range map[string][]string{
		"repo":          {"AGENTS.md", ".claude/agents", ".mcp.json"},
		"repo/sub/deep": {"AGENTS.md", ".claude/agents", ".mcp.json", "sub/CLAUDE.local.md", "sub/deep/.dsh/config.yaml"},
		"home":          nil,
	} {
		project := strings.SplitN(rel, "/", 2)[0]
		if diff := cmp.Diff(want, w.store.Offers(w.path(project), w.path(rel))); diff != "" {
			t.Errorf("%s: %s", rel, diff)
		}
	}
	w.write("home/AGENTS.md", "")
	if diff := cmp.Diff([]string{"AGENTS.md"}, w.store.Offers(w.path("home"), w.path("home"))); diff != "" {
		t.Error(diff)
	}
	if all := w.store.Offers(w.path("repo"), w.path("home")); all != nil {
		t.Errorf("a folder outside: %v", all)
	}
}
