package prompt_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/prompt"
	"github.com/google/go-cmp/cmp"
)

// tree is a folder with a user's homes and a project in it.
type tree struct {
	t   *testing.T
	dir string
}

func newTree(t *testing.T) tree {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	x := tree{t, dir}
	x.mkdir("work/app/.git")
	return x
}

func (x tree) path(name string) string { return filepath.Join(x.dir, filepath.FromSlash(name)) }

func (x tree) mkdir(name string) {
	x.t.Helper()
	if err := os.MkdirAll(x.path(name), 0o755); err != nil {
		x.t.Fatal(err)
	}
}

// write makes a file that is old enough to be remembered.
func (x tree) write(name, content string) {
	x.t.Helper()
	x.mkdir(filepath.Dir(name))
	if err := os.WriteFile(x.path(name), []byte(content), 0o644); err != nil {
		x.t.Fatal(err)
	}
	x.age(name, time.Hour)
}

func (x tree) age(name string, by time.Duration) {
	x.t.Helper()
	then := time.Now().Add(-by)
	if err := os.Chtimes(x.path(name), then, then); err != nil {
		x.t.Fatal(err)
	}
}

func (x tree) link(target, name string) {
	x.t.Helper()
	x.mkdir(filepath.Dir(name))
	if err := os.Symlink(target, x.path(name)); err != nil {
		x.t.Fatal(err)
	}
}

func (x tree) config() prompt.InstructionsConfig {
	return prompt.InstructionsConfig{
		Dsh:      prompt.Home{Path: x.path("home/.dsh"), Usual: true},
		Agents:   prompt.Home{Path: x.path("home/.agents"), Usual: true},
		MaxBytes: prompt.DefaultMaxBytes,
	}
}

func (x tree) load(c prompt.InstructionsConfig, cwd string) prompt.Baseline {
	x.t.Helper()
	b, err := prompt.NewInstructions(c).Load(x.path(cwd))
	if err != nil {
		x.t.Fatal(err)
	}
	return b
}

// told lists the files of a baseline as the model sees them.
func told(b prompt.Baseline) []string {
	var out []string
	for _, c := range b.Changes {
		out = append(out, c.Path)
	}
	return out
}

func (x tree) wantTold(b prompt.Baseline, want ...string) {
	x.t.Helper()
	if diff := cmp.Diff(want, told(b)); diff != "" {
		x.t.Error(diff)
	}
}

// proves: A264, A271
func TestBaselineIsTheTemplate(t *testing.T) {
	x := newTree(t)
	x.write("home/.dsh/AGENTS.md", "one\n")
	x.write("home/.agents/AGENTS.md", "two\n")
	x.write("work/app/CLAUDE.local.md", "six")
	x.write("work/app/AGENTS.local.md", "five")
	x.write("work/app/CLAUDE.md", "four")
	x.write("work/app/AGENTS.md", "three")
	x.write("work/app/pkg/a/AGENTS.md", "seven")
	x.write("work/app/pkg/b/AGENTS.md", "not on the way")
	x.write("work/AGENTS.md", "above the root")
	b := x.load(x.config(), "work/app/pkg/a")
	want := `<system-reminder>
The following workspace instructions may be relevant to your work. Use them as guidance when applicable. More specific instructions take precedence over broader ones. They do not override system, developer, or direct user instructions.

Instructions from: ~/.dsh/AGENTS.md

one


Instructions from: ~/.agents/AGENTS.md

two


Instructions from: AGENTS.md

three

Instructions from: CLAUDE.md

four

Instructions from: AGENTS.local.md

five

Instructions from: CLAUDE.local.md

six

Instructions from: pkg/a/AGENTS.md

seven
</system-reminder>`
	if diff := cmp.Diff(want, b.Text); diff != "" {
		t.Error(diff)
	}
	if len(b.Warnings) != 0 {
		t.Errorf("warnings %q", b.Warnings)
	}
}

func TestBaselineMessage(t *testing.T) {
	x := newTree(t)
	x.write("home/.dsh/AGENTS.md", "one")
	x.write("work/app/pkg/AGENTS.md", "two")
	m, ok := x.load(x.config(), "work/app/pkg").Message("id-1")
	if !ok {
		t.Fatal("no message")
	}
	if m.ID != "id-1" || m.Role != llm.RoleUser || m.Source.Kind != "agent-instructions" || m.Source.Form != "instructions" {
		t.Errorf("got %+v", m)
	}
	got := map[string]string{}
	for k, v := range m.Source.Extra {
		got[k] = string(v)
	}
	var identity string
	if err := json.Unmarshal(m.Source.Extra["baselineIdentity"], &identity); err != nil {
		t.Fatal(err)
	}
	delete(got, "baselineIdentity")
	want := map[string]string{
		"baseline": "true",
		"changes": `[{"action":"set","scope":"user-global\u0000AGENTS.md","path":"~/.dsh/AGENTS.md","digest":"fe05bcdcdc4928012781a5f1a2a77cbb5398e106"},` +
			`{"action":"set","scope":"pkg\u0000AGENTS.md","path":"pkg/AGENTS.md","digest":"ad782ecdac770fc6eb9a62e44f90873fb97fb26b"}]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantIdentity := `{"projectRoot":"..","projectRootMarkers":[".git"],"maxBytes":65536,"maxSourceBytes":1048576,` +
		`"instructionFileCandidates":["AGENTS.md","CLAUDE.md"],"localInstructionFileCandidates":["AGENTS.local.md","CLAUDE.local.md"]}`
	if diff := cmp.Diff(wantIdentity, identity); diff != "" {
		t.Error(diff)
	}
	if _, ok := (prompt.Baseline{}).Message("x"); ok {
		t.Error("an empty baseline is a message")
	}
}

// proves: A265
func TestEqualHomesCollapse(t *testing.T) {
	x := newTree(t)
	x.write("home/.dsh/AGENTS.md", "same\n")
	x.write("home/.agents/AGENTS.md", "\n  same")
	x.write("work/app/AGENTS.md", "same")
	b := x.load(x.config(), "work/app")
	x.wantTold(b, "~/.dsh/AGENTS.md", "AGENTS.md")
	if !strings.Contains(b.Text, "Instructions from: ~/.dsh/AGENTS.md\n\nsame\n\n\n") {
		t.Errorf("not the bytes of the first file: %s", b.Text)
	}
	x.write("home/.agents/AGENTS.md", "drifted")
	x.wantTold(x.load(x.config(), "work/app"), "~/.dsh/AGENTS.md", "~/.agents/AGENTS.md", "AGENTS.md")
}

// proves: A266, A268
func TestRootMarkers(t *testing.T) {
	x := newTree(t)
	x.write("work/AGENTS.md", "above")
	x.write("plain/AGENTS.md", "above")
	x.write("plain/deep/AGENTS.md", "here")
	x.wantTold(x.load(x.config(), "plain/deep"), "AGENTS.md")

	x.write("plain/.git", "gitdir: elsewhere\n")
	x.wantTold(x.load(x.config(), "plain/deep"), "AGENTS.md", "deep/AGENTS.md")

	// A file on the way makes its "members" not-a-directory, which is an absence.
	c := x.config()
	c.RootMarkers = []string{".hg", "..", ""}
	x.write("hg/.hg/x", "")
	x.write("hg/AGENTS.md", "hg")
	x.write("hg/file", "x")
	x.wantTold(x.load(c, "hg/file/below"), "AGENTS.md")
}

// proves: A269
func TestHomeThatIsTheProject(t *testing.T) {
	x := newTree(t)
	x.write("work/app/AGENTS.md", "once")
	c := x.config()
	c.Dsh = prompt.Home{Path: x.path("work/app")}
	b := x.load(c, "work/app")
	x.wantTold(b, "$DSH_HOME/AGENTS.md")
	c.Dsh, c.Agents = prompt.Home{}, prompt.Home{Path: x.path("work/app")}
	x.wantTold(x.load(c, "work/app"), "$DSH_AGENTS_HOME/AGENTS.md")
}

// proves: A273
func TestInstructionsTurnedOff(t *testing.T) {
	x := newTree(t)
	x.write("work/app/AGENTS.md", "x")
	c := x.config()
	c.MaxBytes = 0
	if b := x.load(c, "work/app"); b.Text != "" || b.Changes != nil {
		t.Errorf("got %+v", b)
	}
}

// proves: A283
func TestFolderNamedLikeAHome(t *testing.T) {
	x := newTree(t)
	x.write("work/app/user-global/AGENTS.md", "folder")
	x.write("home/.dsh/AGENTS.md", "home")
	b := x.load(x.config(), "work/app/user-global")
	x.wantTold(b, "~/.dsh/AGENTS.md", "./user-global/AGENTS.md")
	if b.Changes[0].Scope == b.Changes[1].Scope {
		t.Errorf("one scope %q for both", b.Changes[0].Scope)
	}
}

func TestCandidatesCanBeChosen(t *testing.T) {
	x := newTree(t)
	x.write("work/app/RULES.md", "rules")
	x.write("work/app/AGENTS.md", "agents")
	x.write("work/app/AGENTS.local.md", "local")
	c := x.config()
	c.Candidates = []string{"", ".", "..", "a/b", `a\b`, "RULES.md"}
	c.LocalCandidates = []string{}
	x.wantTold(x.load(c, "work/app"), "RULES.md")
	c.UserOnly, c.RootMarkers = true, []string{strings.Repeat("x", 300)} // which cannot be looked for
	x.write("home/.agents/AGENTS.md", "mine")
	x.wantTold(x.load(c, "work/app"), "~/.agents/AGENTS.md")
}

func TestInvalidUTF8IsMended(t *testing.T) {
	x := newTree(t)
	x.write("work/app/AGENTS.md", "a\xffb")
	if b := x.load(x.config(), "work/app"); !strings.Contains(b.Text, "a\uFFFDb") {
		t.Errorf("got %q", b.Text)
	}
}

func TestRelativeFolderIsRefused(t *testing.T) {
	if _, err := prompt.NewInstructions(prompt.InstructionsConfig{MaxBytes: 1}).Load("x"); err == nil {
		t.Error("no error")
	}
}

func TestFilesAreReadOnce(t *testing.T) {
	x := newTree(t)
	x.write("work/app/AGENTS.md", "first")
	i := prompt.NewInstructions(x.config())
	load := func() prompt.Baseline {
		t.Helper()
		b, err := i.Load(x.path("work/app"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if b := load(); !b.Fresh {
		t.Error("the first load reads")
	}
	first := load()
	if first.Fresh {
		t.Error("nothing has changed, but files were read")
	}
	x.write("work/app/AGENTS.md", "other") // of the same size
	x.age("work/app/AGENTS.md", time.Minute)
	if b := load(); !b.Fresh || !strings.Contains(b.Text, "other") {
		t.Errorf("a changed file is not seen: %+v", b)
	}
	x.write("work/app/CLAUDE.md", "new")
	x.wantTold(load(), "AGENTS.md", "CLAUDE.md")
	if err := os.Remove(x.path("work/app/AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	x.wantTold(load(), "CLAUDE.md")
}

// A file written just now may be written again within the resolution of its
// time, so it is not remembered yet.
func TestYoungFileIsReadAgain(t *testing.T) {
	x := newTree(t)
	x.write("work/app/AGENTS.md", "first")
	x.age("work/app/AGENTS.md", 0)
	i := prompt.NewInstructions(x.config())
	for range 2 {
		b, err := i.Load(x.path("work/app"))
		if err != nil || !b.Fresh {
			t.Errorf("got %+v, %v", b, err)
		}
	}
}

func TestManyFoldersAtOnce(t *testing.T) {
	x := newTree(t)
	x.write("work/app/AGENTS.md", "root")
	i := prompt.NewInstructions(x.config())
	done := make(chan error)
	const n = 100
	for k := range n {
		dir := filepath.Join(x.path("work/app"), strings.Repeat("d", k%50+1))
		go func() {
			b, err := i.Load(dir)
			if err == nil && len(b.Changes) != 1 {
				err = os.ErrInvalid
			}
			done <- err
		}()
	}
	for range n {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
