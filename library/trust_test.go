package library_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/library"
)

// The folders of a project that nobody trusts are named and not opened: they shadow
// nothing, and no file of them gives so much as a reason.
func TestUntrustedProject(t *testing.T) {
	dir := lay(t, map[string]string{
		"repo/.git/HEAD":                     "ref",
		"repo/.claude/workflows/endless.js":  "export const meta = { name: f() }",
		"repo/.claude/workflows/mine.js":     script("mine"),
		"repo/sub/.dsh/workflows/project.js": script("project"),
		"home/.dsh/workflows/mine.js":        script("mine"),
	})
	home := filepath.Join(dir, "home")
	places := library.Places{Dir: filepath.Join(dir, "repo/sub"), Home: filepath.Join(home, ".dsh"), UserHome: home}
	l := library.List(places)
	want := []string{
		"mine [user] home/.dsh/workflows/mine.js",
		"skipped repo/sub/.dsh/workflows: WORKFLOW_UNTRUSTED",
		"skipped repo/.claude/workflows: WORKFLOW_UNTRUSTED",
	}
	if diff := cmp.Diff(want, summary(dir, l)); diff != "" {
		t.Error(diff)
	}
	_, err := l.Lookup("project")
	if err == nil || !strings.Contains(err.Error(), "sub/.dsh/workflows was skipped: the project is not trusted; `dsh-workflow trust add` trusts it") {
		t.Errorf("Lookup: %v", err)
	}
	places.Trusted = true
	if _, err := library.List(places).Lookup("project"); err != nil {
		t.Error(err)
	}
	// The user's own folders count there too, and a project in the home is the user's.
	places = library.Places{Dir: home, Home: filepath.Join(home, ".dsh"), UserHome: home}
	if diff := cmp.Diff(want[:1], summary(dir, library.List(places))); diff != "" {
		t.Error(diff)
	}
}

// Where the project cannot be told it has no folders, and that is said.
func TestProjectThatCannotBeTold(t *testing.T) {
	dir := lay(t, map[string]string{"home/.dsh/workflows/mine.js": script("mine")})
	l := library.List(library.Places{Trusted: true, Dir: filepath.Join(dir, "gone"), Home: filepath.Join(dir, "home/.dsh")})
	want := []string{"mine [user] home/.dsh/workflows/mine.js", "skipped gone: WORKFLOW_UNREADABLE"}
	if diff := cmp.Diff(want, summary(dir, l)); diff != "" {
		t.Error(diff)
	}
}
