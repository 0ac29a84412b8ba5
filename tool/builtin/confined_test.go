package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/tool"
)

// A confined call sees the root and its own outputs, by whatever path, and nothing
// else: not even whether it is there.
func TestConfined(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	a.call.Confined = true
	outside := t.TempDir()
	if err := os.MkdirAll(a.path("sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	a.put("in.txt", "hello inside\n")
	a.put("sub/deep.txt", "hello deep\n")
	if err := os.WriteFile(filepath.Join(outside, "secret.md"), []byte("hello secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"file": filepath.Join(outside, "secret.md"), "folder": outside, "dangling": filepath.Join(outside, "absent"), "within": "sub"} {
		if err := os.Symlink(to, a.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"in.txt", a.path("in.txt"), "within/deep.txt", "../" + filepath.Base(a.call.Root) + "/in.txt"} {
		if text, kind := a.do("read", args{"file_path": path}); kind != "" {
			t.Errorf("read %s: %s", path, text)
		}
	}
	if text, kind := a.do("read", args{"file_path": "absent"}); kind != NotFound {
		t.Errorf("a file that is not there: %s", text)
	}
	refused := func(name string, in args) {
		t.Helper()
		text, kind := a.do(name, in)
		if kind != SandboxDenied || strings.Contains(text, "hello") || !strings.Contains(text, "not trusted") {
			t.Errorf("%s %v: %s", name, in, text)
		}
	}
	for _, path := range []string{"file", "folder/secret.md", "dangling", "..", "../absent", outside + "/secret.md", outside + "/absent", "/etc/passwd", "/"} {
		refused("read", args{"file_path": path})
	}
	for _, path := range []string{"folder", "..", outside, "/", a.path("sub") + "/../.."} {
		refused("glob", args{"pattern": "**", "path": path})
		refused("grep", args{"pattern": "hell", "path": path})
	}
	// What a search meets on its way is not followed.
	if text, kind := a.do("grep", args{"pattern": "hello"}); kind != "" || strings.Contains(text, "secret") || !strings.Contains(text, "Found 2 matches") {
		t.Errorf("grep: %s", text)
	}
	if text, kind := a.do("glob", args{"pattern": "**/*.md"}); kind != "" || text != "No files found" {
		t.Errorf("glob: %s", text)
	}
}

// What was too long to show can be read, or is not stored.
func TestConfinedOutputs(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	a.call.Confined = true
	for i := range globShown + 1 {
		a.put("f"+strings.Repeat("x", i), "")
	}
	shown, _ := a.do("glob", args{"pattern": "*"})
	_, rest, ok := strings.Cut(shown, "stored at: ")
	stored, _, ok2 := strings.Cut(rest, ". ")
	if !ok || !ok2 {
		t.Fatalf("nothing is stored: %s", shown)
	}
	if text, kind := a.do("read", args{"file_path": stored}); kind != "" {
		t.Errorf("what was stored cannot be read: %s", text)
	}
	stranger := a
	stranger.call.Session = "another"
	if text, kind := stranger.do("read", args{"file_path": stored}); kind != SandboxDenied {
		t.Errorf("another agent read what was stored: %s", text)
	}
	a.call.Outputs = ""
	if text, _ := a.do("glob", args{"pattern": "*"}); !strings.Contains(text, "The complete result could not be saved; narrow pattern or path") {
		t.Errorf("without a folder: %s", text)
	}
}

func TestHarmlessTools(t *testing.T) {
	r, err := tool.NewRegistry(New(Options{})...)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.Harmless().Names(), " "); got != "glob grep read" {
		t.Errorf("harmless are %s", got)
	}
}
