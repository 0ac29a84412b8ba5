package trust

import (
	"os"
	"path"
	"path/filepath"
	"slices"
)

// offers are the paths by which a folder of a project contributes something.
var offers = [...]string{
	"AGENTS.md", "CLAUDE.md", "AGENTS.local.md", "CLAUDE.local.md",
	".dsh/config.yaml", ".dsh/workflows", ".dsh/agents", ".dsh/skills", ".dsh/hooks.json",
	".claude/workflows", ".claude/agents", ".claude/skills", ".claude/settings.json", ".claude/settings.local.json",
	".agents/skills", ".mcp.json",
}

// Offers names what a project would contribute to work in dir, which is the project
// or below it: paths relative to the project, with slashes, from the top down. It
// sees that something is there and opens nothing. What lies in a folder of the
// user counts as the user's.
func (s *Store) Offers(project, dir string) []string {
	below, err := filepath.Rel(project, real(dir))
	if err != nil || !filepath.IsLocal(below) {
		return nil
	}
	var all []string
	for at := filepath.ToSlash(below); ; at = path.Dir(at) {
		var here []string
		for _, name := range offers {
			rel := path.Join(at, name)
			full := filepath.Join(project, filepath.FromSlash(rel))
			if _, err := os.Lstat(full); err == nil && !s.owned(full) {
				here = append(here, rel)
			}
		}
		all = slices.Concat(here, all)
		if at == "." {
			return all
		}
	}
}
