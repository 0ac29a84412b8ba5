package builtin

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoreBytes is how much of an ignore file is read.
const ignoreBytes = 1 << 20

// ignoring is the ignore rules of a directory and, above it, of its parents. Nil
// ignores nothing.
type ignoring struct {
	base  string // absolute
	rules []ignoreRule
	above *ignoring
}

// ignoreRule is a line of an ignore file.
type ignoreRule struct {
	glob    string // of the path below the base
	keep    bool   // the line began with an exclamation mark
	dirOnly bool
}

// ignoringAbove reads the rules of the directories above dir, up to the top of
// its repository. Outside a repository there are none.
func ignoringAbove(dir string) *ignoring {
	var parents []string // from the top down, without dir
	for top := dir; ; top = filepath.Dir(top) {
		if top != dir {
			parents = append([]string{top}, parents...)
		}
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			break
		}
		if top == filepath.Dir(top) {
			return nil
		}
	}
	var rules *ignoring
	for i, p := range append(parents, dir) {
		if i == 0 {
			rules = rules.with(p, filepath.Join(p, ".git", "info", "exclude"))
		}
		if p != dir {
			rules = rules.with(p, filepath.Join(p, ".gitignore"), filepath.Join(p, ".ignore"))
		}
	}
	return rules
}

// within adds the rules of a directory with these entries, sorted by name.
func (g *ignoring) within(dir string, entries []fs.DirEntry) *ignoring {
	var files []string
	for _, name := range []string{".gitignore", ".ignore"} {
		at, has := slices.BinarySearchFunc(entries, name, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
		if has && !entries[at].IsDir() {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return g.with(dir, files...)
}

// with adds the rules of files, the later ones stronger.
func (g *ignoring) with(base string, files ...string) *ignoring {
	var rules []ignoreRule
	for _, name := range files {
		f, err := openRegular(name)
		if err != nil {
			continue // a file that cannot be read ignores nothing
		}
		text, _ := io.ReadAll(io.LimitReader(f, ignoreBytes))
		_ = f.Close()
		rules = append(rules, ignoreRules(string(text))...)
	}
	if len(rules) == 0 {
		return g
	}
	return &ignoring{base: base, rules: rules, above: g}
}

// ignores says whether the last rule that fits, the nearest file first, ignores
// a path. That of a parent was asked before the parent was entered.
func (g *ignoring) ignores(abs string, dir bool) bool {
	for ; g != nil; g = g.above {
		rel := filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(abs, g.base), string(filepath.Separator)))
		for _, r := range slices.Backward(g.rules) {
			if (dir || !r.dirOnly) && doublestar.MatchUnvalidated(r.glob, rel) {
				return !r.keep
			}
		}
	}
	return false
}

// ignoreRules reads an ignore file. Lines that are no pattern are left out.
func ignoreRules(text string) []ignoreRule {
	var rules []ignoreRule
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if r, ok := ignoreRuleOf(strings.TrimRight(line, "\r\n")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func ignoreRuleOf(line string) (ignoreRule, bool) {
	if strings.HasPrefix(line, "#") {
		return ignoreRule{}, false
	}
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	var r ignoreRule
	line, r.keep = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return ignoreRule{}, false
	}
	line = strings.NewReplacer("{", `\{`, "}", `\}`, `\\`, `\\`, `\{`, `\{`, `\}`, `\}`).Replace(line) // braces are no alternatives here
	if !anchored {
		line = "**/" + line
	}
	if strings.HasSuffix(line, "/**") {
		line += "/*" // what is inside, not the directory itself
	}
	r.glob = line
	return r, doublestar.ValidatePattern(line)
}
