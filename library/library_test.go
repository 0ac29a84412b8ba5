package library_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/library"
)

// lay writes files below dir and gives the real path of dir.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			mkdir(t, path)
			continue
		}
		mkdir(t, filepath.Dir(path))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

func script(name string) string {
	return fmt.Sprintf("export const meta = { name: %q, description: 'about %s' }\nreturn 1\n", name, name)
}

// summary gives a listing with paths below dir.
func summary(dir string, l *library.Listing) (out []string) {
	rel := func(path string) string {
		r, err := filepath.Rel(dir, path)
		if err != nil {
			return path
		}
		return filepath.ToSlash(r)
	}
	for _, w := range l.Workflows {
		out = append(out, fmt.Sprintf("%s [%s] %s", w.Name, w.Origin, rel(w.Path)))
	}
	for _, s := range l.Shadowed {
		out = append(out, fmt.Sprintf("shadowed %s: %s by %s", s.Name, rel(s.Path), rel(s.By)))
	}
	for _, s := range l.Skipped {
		out = append(out, fmt.Sprintf("skipped %s: %s", rel(s.Path), s.Code))
	}
	return out
}

func TestNearestWins(t *testing.T) {
	dir := lay(t, map[string]string{
		".dsh/workflows/above.js":                  script("above the repository"),
		"repo/.git/HEAD":                           "ref",
		"repo/.claude/workflows/a.js":              script("review"),
		"repo/.claude/workflows/outer.mjs":         script("outer"),
		"repo/pkg/.claude/workflows/a.js":          script("review"),
		"repo/pkg/.dsh/workflows/z.js":             script("review"),
		"repo/pkg/.dsh/workflows/bare.js":          "return 1",
		"repo/pkg/.dsh/workflows/z2.js":            script("review"),
		"repo/pkg/deep/":                           "",
		"home/.dsh/workflows/mine.js":              script("mine"),
		"home/.claude/workflows/mine.js":           script("mine"),
		"home/.claude/workflows/review changes.js": script("Review changes"),
	})
	home := filepath.Join(dir, "home")
	l := library.List(library.Places{Trusted: true, Dir: filepath.Join(dir, "repo/pkg/deep"), Home: filepath.Join(home, ".dsh"), UserHome: home})
	want := []string{
		"bare [project] repo/pkg/.dsh/workflows/bare.js",
		"review [project] repo/pkg/.dsh/workflows/z.js",
		"outer [project] repo/.claude/workflows/outer.mjs",
		"mine [user] home/.dsh/workflows/mine.js",
		"Review changes [user] home/.claude/workflows/review changes.js",
		"shadowed review: repo/pkg/.dsh/workflows/z2.js by repo/pkg/.dsh/workflows/z.js",
		"shadowed review: repo/pkg/.claude/workflows/a.js by repo/pkg/.dsh/workflows/z.js",
		"shadowed review: repo/.claude/workflows/a.js by repo/pkg/.dsh/workflows/z.js",
		"shadowed mine: home/.claude/workflows/mine.js by home/.dsh/workflows/mine.js",
	}
	if diff := cmp.Diff(want, summary(dir, l)); diff != "" {
		t.Error(diff)
	}
	w, err := l.Lookup("review")
	if err != nil || w.Description != "about review" {
		t.Fatalf("Lookup: %+v, %v", w, err)
	}
	if source, err := w.Source(); err != nil || source != script("review") {
		t.Errorf("Source: %q, %v", source, err)
	}
}

// A working directory that is the home directory, or has no repository, is seen
// once and not left.
func TestPlacesMeet(t *testing.T) {
	dir := lay(t, map[string]string{
		".claude/workflows/up.js":       script("up"),
		"home/.dsh/workflows/a.js":      script("a"),
		"home/.claude/workflows/b.js":   script("b"),
		"home/.claude/workflows/c.yaml": "",
	})
	home := filepath.Join(dir, "home")
	l := library.List(library.Places{Trusted: true, Dir: home, Home: filepath.Join(home, ".dsh"), UserHome: home})
	want := []string{
		"a [user] home/.dsh/workflows/a.js",
		"b [user] home/.claude/workflows/b.js",
		"skipped home/.claude/workflows/c.yaml: WORKFLOW_ENDING",
	}
	if diff := cmp.Diff(want, summary(dir, l)); diff != "" {
		t.Error(diff)
	}
	if l := library.List(library.Places{}); len(l.Folders)+len(l.Workflows) != 0 {
		t.Errorf("no places gave %+v", l)
	}
}

func TestSkipped(t *testing.T) {
	dir := lay(t, map[string]string{
		".dsh/workflows/bytes.js":      "\xff\xfe",
		".dsh/workflows/folder.js/":    "",
		".dsh/workflows/huge.js":       strings.Repeat(" ", library.MaxFile+1),
		".dsh/workflows/largest.js":    strings.Repeat(" ", library.MaxFile),
		".dsh/workflows/notes.md":      "",
		".dsh/workflows/separators.js": script("a/b"),
		".dsh/workflows/steers.js":     "export const meta = { name: 'a\\u001b[2J', description: 'd' }",
		".dsh/workflows/two.js":        "export const meta = { name: '', description: 7 }",
		".dsh/workflows/typed.ts":      script("typed"),
	})
	l := library.List(library.Places{Trusted: true, Dir: dir})
	want := []string{
		"largest [project] .dsh/workflows/largest.js",
		"skipped .dsh/workflows/bytes.js: WORKFLOW_NOT_TEXT",
		"skipped .dsh/workflows/folder.js: WORKFLOW_NOT_REGULAR",
		"skipped .dsh/workflows/huge.js: WORKFLOW_TOO_LARGE",
		"skipped .dsh/workflows/notes.md: WORKFLOW_ENDING",
		"skipped .dsh/workflows/separators.js: WORKFLOW_NAME",
		"skipped .dsh/workflows/steers.js: WORKFLOW_NAME",
		"skipped .dsh/workflows/two.js: META_INVALID",
		"skipped .dsh/workflows/typed.ts: WORKFLOW_ENDING",
	}
	if diff := cmp.Diff(want, summary(dir, l)); diff != "" {
		t.Error(diff)
	}
	_, err := l.Lookup("two")
	if err == nil || !strings.Contains(err.Error(), "two.js was skipped: 1:29: ") || !strings.Contains(err.Error(), "(and 1 more)") {
		t.Errorf("Lookup of a faulty file: %v", err)
	}
}

func TestManyFiles(t *testing.T) {
	files := map[string]string{}
	for i := range library.MaxFiles + 5 {
		files[fmt.Sprintf(".dsh/workflows/w%d.js", i)] = "return 1"
	}
	l := library.List(library.Places{Trusted: true, Dir: lay(t, files)})
	if len(l.Workflows) != library.MaxFiles || len(l.Skipped) != 1 || l.Skipped[0].Code != string(library.TooLarge) {
		t.Errorf("%d workflows, skipped %+v", len(l.Workflows), l.Skipped)
	}
}

func TestNearest(t *testing.T) {
	dir := lay(t, map[string]string{
		".dsh/workflows/a.js": script("review"), ".dsh/workflows/b.js": script("review-deep"), ".dsh/workflows/c.js": script("migrate"),
	})
	_, err := library.List(library.Places{Trusted: true, Dir: dir}).Lookup("Reveiw")
	var e *library.Error
	if !errors.As(err, &e) || e.Kind != library.NotFound || e.Code() != "WORKFLOW_NOT_FOUND" {
		t.Fatalf("Lookup: %v", err)
	}
	if want := `there is no file and no saved workflow of this name; did you mean "review"?`; e.Reason != want {
		t.Errorf("got %q, want %q", e.Reason, want)
	}
	_, err = library.List(library.Places{Trusted: true, Dir: dir}).Lookup("review-dee")
	if err == nil || !strings.HasSuffix(err.Error(), `did you mean "review-deep", "review"?`) {
		t.Errorf("the nearest does not come first: %v", err)
	}
	_, err = library.List(library.Places{Trusted: true, Dir: dir}).Lookup("deep")
	if err == nil || !strings.HasSuffix(err.Error(), `did you mean "review-deep"?`) {
		t.Errorf("Lookup of a part: %v", err)
	}
}

// Listing reads meta and runs nothing: a meta that would never end, or would need
// a stack of its own, is refused at once.
//
// proves: C03
func TestListingRunsNothing(t *testing.T) {
	const open = "export const meta = { name: 'x', description: "
	bad := map[string]string{
		"call":     open + "danger() }",
		"computed": open + "'d', [danger()]: 1 }",
		"deep":     open + "'d', x: " + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + " }",
		"endless":  open + "(() => { for (;;) {} })() }",
		"getter":   "export const meta = { name: 'x', get description() { for (;;) {} } }",
		"spread":   open + "'d', ...danger() }",
		"template": open + "`${danger()}` }",
	}
	files := map[string]string{
		".dsh/workflows/good.js": "\uFEFF#!/usr/bin/env dsh-workflow\n// comment\n/* more */\n" + script("good") + "for (;;) {}\n",
	}
	for name, text := range bad {
		files[".dsh/workflows/"+name+".js"] = text + "\nreturn 1\n"
	}
	places := library.Places{Trusted: true, Dir: lay(t, files)}
	start := time.Now()
	l := library.List(places)
	if took := time.Since(start); took > time.Duration(len(files))*50*time.Millisecond {
		t.Errorf("listing %d files took %v", len(files), took)
	}
	if len(l.Workflows) != 1 || l.Workflows[0].Name != "good" {
		t.Errorf("workflows: %+v", l.Workflows)
	}
	if len(l.Skipped) != len(bad) {
		t.Errorf("skipped %d files, want %d", len(l.Skipped), len(bad))
	}
	for _, s := range l.Skipped {
		if s.Code != "META_INVALID" && s.Code != "SCRIPT_PARSE" || s.Reason == "" || strings.Contains(s.Reason, "\n") {
			t.Errorf("%s: code %s, reason %q", filepath.Base(s.Path), s.Code, s.Reason)
		}
	}
}
