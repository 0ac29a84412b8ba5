package builtin

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// alternatives is how many plain patterns one with braces may stand for: to
// match takes as long as they are many.
const alternatives = 1024

// pathGlob is a glob for paths below the place of a search.
type pathGlob struct {
	pattern string
	// base is the directory in which all matches lie; empty is the whole place.
	base string
}

// compileGlob reads a glob as ignore files do: without a slash it is for names in
// any directory, with one it starts at root, whose absolute path may stand first.
func compileGlob(pattern, root string) (pathGlob, error) {
	p := pattern
	if below, ok := strings.CutPrefix(p, strings.TrimSuffix(root, "/")+"/"); ok && path.IsAbs(root) {
		p = "/" + below
	}
	p = strings.TrimPrefix(p, "./")
	if !strings.Contains(p, "/") {
		p = "**/" + p
	}
	p = strings.TrimPrefix(p, "/")
	if p == "" || !doublestar.ValidatePattern(p) {
		return pathGlob{}, searchFault(InvalidPattern, "invalid glob %q", pattern)
	}
	if _, n := commas(p); n > alternatives {
		return pathGlob{}, searchFault(InvalidPattern, "invalid glob %q: its braces stand for more than %d patterns", pattern, alternatives)
	}
	g := pathGlob{pattern: p}
	if base, _ := doublestar.SplitPattern(p); base != "." {
		g.base = base
	}
	return g, nil
}

func (g pathGlob) matches(rel string) bool { return doublestar.MatchUnvalidated(g.pattern, rel) }

// under says whether a directory is above a possible match.
func (g pathGlob) under(dir string) bool {
	return g.base == "" || g.base == dir || strings.HasPrefix(g.base, dir+"/") || strings.HasPrefix(dir, g.base+"/")
}

// commas reads the commas of a glob that are no part of a class: whether one is
// outside all braces, and for at most how many patterns those inside stand.
func commas(p string) (outside bool, patterns int) {
	patterns = 1
	var open []int // the alternatives of each open brace
	class := false
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '{':
			open = append(open, 1)
		case c == ',' && len(open) == 0:
			outside = true
		case c == ',':
			open[len(open)-1]++
		case c == '}' && len(open) > 0:
			patterns = min(patterns*open[len(open)-1], alternatives+1)
			open = open[:len(open)-1]
		}
	}
	return outside, patterns
}
