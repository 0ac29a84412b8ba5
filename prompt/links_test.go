//go:build unix

package prompt_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/prompt"
	"golang.org/x/sys/unix"
)

// wantIgnored checks that a load warned about exactly one file.
func wantIgnored(t *testing.T, b prompt.Baseline, path, why string) {
	t.Helper()
	if want := "instruction file " + path + " is ignored: " + why; len(b.Warnings) != 1 || b.Warnings[0] != want {
		t.Errorf("got  %q\nwant %q", b.Warnings, want)
	}
}

// Links part of C30.
func TestLinksOutOfTheProject(t *testing.T) {
	const outside = "it links to a file outside the project"
	tests := []struct {
		name, target, why string
		told              int
	}{
		{"passwd", "/etc/passwd", outside, 0},
		{"secret of an ancestor", "../../.netrc", outside, 0},
		{"sibling project", "../other/AGENTS.md", outside, 0},
		{"through a folder", "out/AGENTS.md", outside, 0},
		{"dangling", "nothing.md", "", 0},
		{"ancestor", "../../AGENTS.md", "", 1},
		{"inside", "docs/agents.txt", "", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x := newTree(t)
			x.write("AGENTS.md", "of the ancestor")
			x.write(".netrc", "secret")
			x.write("work/other/AGENTS.md", "secret")
			x.write("work/app/docs/agents.txt", "inside")
			x.link("../other", "work/app/out")
			x.link(test.target, "work/app/AGENTS.md")
			b := x.load(x.config(), "work/app")
			if len(b.Changes) != test.told || strings.Contains(b.Text, "secret") || strings.Contains(b.Text, "root:") {
				t.Errorf("told %q", b.Text)
			}
			if test.why != "" {
				wantIgnored(t, b, x.path("work/app/AGENTS.md"), test.why)
			}
		})
	}
}

// A folder on the way may be a link as well.
func TestFolderLinkedOutOfTheProject(t *testing.T) {
	x := newTree(t)
	x.write("elsewhere/AGENTS.md", "secret")
	x.link("../../elsewhere", "work/app/sub")
	b := x.load(x.config(), "work/app/sub")
	if b.Text != "" {
		t.Errorf("told %q", b.Text)
	}
	wantIgnored(t, b, x.path("work/app/sub/AGENTS.md"), "it links to a file outside the project")
}

// A project that is itself reached by a link is inside itself.
func TestProjectBehindALink(t *testing.T) {
	x := newTree(t)
	x.write("work/app/AGENTS.md", "x")
	x.link("work/app", "short")
	x.wantTold(x.load(x.config(), "short"), "AGENTS.md")
}

// The homes are the user's own: their files may be kept elsewhere.
// proves: A270
func TestHomeLinksAreFollowed(t *testing.T) {
	x := newTree(t)
	x.write("dotfiles/agents.txt", "mine")
	x.link("../../dotfiles/agents.txt", "home/.dsh/AGENTS.md")
	x.wantTold(x.load(x.config(), "work/app"), "~/.dsh/AGENTS.md")
}

// proves: A270
func TestOddFilesAreIgnored(t *testing.T) {
	x := newTree(t)
	x.mkdir("work/app/AGENTS.md")
	b := x.load(x.config(), "work/app")
	wantIgnored(t, b, x.path("work/app/AGENTS.md"), "it is not a regular file")

	x = newTree(t)
	if err := unix.Mkfifo(x.path("work/app/AGENTS.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	b = x.load(x.config(), "work/app")
	wantIgnored(t, b, x.path("work/app/AGENTS.md"), "it is not a regular file")

	x = newTree(t)
	x.write("work/app/AGENTS.md", "")
	if err := os.Truncate(x.path("work/app/AGENTS.md"), 100<<20); err != nil {
		t.Fatal(err)
	}
	x.write("work/app/CLAUDE.md", "fine")
	b = x.load(x.config(), "work/app")
	wantIgnored(t, b, x.path("work/app/AGENTS.md"), "it is larger than 1048576 bytes")
	x.wantTold(b, "CLAUDE.md")
}

// proves: A267
func TestRootThatCannotBeTold(t *testing.T) {
	if os.Geteuid() == 0 {
		// Permissions do not bind this user, but a name that is too long fails too.
		c := newTree(t).config()
		c.RootMarkers = []string{strings.Repeat("x", 300)}
		_, err := prompt.NewInstructions(c).Load(t.TempDir())
		var root *prompt.RootError
		if !errors.As(err, &root) || root.Code() != "INSTRUCTIONS_ROOT" || !errors.Is(err, unix.ENAMETOOLONG) {
			t.Errorf("got %v", err)
		}
		return
	}
	x := newTree(t)
	x.write("work/app/closed/in/AGENTS.md", "x")
	if err := os.Chmod(x.path("work/app/closed"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(x.path("work/app/closed"), 0o755) })
	_, err := prompt.NewInstructions(x.config()).Load(x.path("work/app/closed/in"))
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}
