package arch

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// room is a package's place in the house: its level, and the rooms that it may
// use beside internal/*. An edge goes to a lower level only.
type room struct {
	level int
	uses  []string
}

// rooms is the map. docs/architecture.md draws it.
var rooms = map[string]room{
	"meta":                  {0, nil},
	"schema":                {0, nil},
	"vm":                    {0, nil},
	"vm/process":            {1, []string{"vm"}},
	"llm":                   {0, nil},
	"worktree":              {0, nil},
	"control":               {0, nil},
	"trust":                 {0, nil},
	"session":               {1, []string{"llm"}},
	"tool":                  {1, []string{"llm", "schema"}},
	"config":                {1, nil},
	"library":               {1, []string{"meta", "trust"}},
	"lint":                  {1, []string{"meta", "vm"}},
	"llm/openai":            {1, []string{"llm"}},
	"llm/sim":               {1, []string{"llm", "schema"}},
	"llm/limit":             {1, []string{"llm"}},
	"llm/llmtest":           {2, []string{"llm", "llm/sim", "schema"}},
	"llm/llmtest/llmserver": {7, []string{"llm/llmtest"}},
	"subagent":              {2, []string{"llm", "schema", "session", "worktree"}},
	"prompt":                {2, []string{"llm", "tool"}},
	"tool/builtin":          {2, []string{"llm", "tool"}},
	"subagent/subagenttest": {3, []string{"llm", "subagent"}},
	"agent":                 {3, []string{"llm", "session", "tool", "prompt"}},
	"workflow":              {3, []string{"llm", "meta", "schema", "subagent", "vm", "worktree"}},
	"subagent/isolated":     {3, []string{"subagent", "worktree"}},
	"subagent/rehearsed":    {3, []string{"llm", "subagent"}},
	"subagent/inprocess":    {4, []string{"agent", "llm", "prompt", "schema", "session", "subagent", "tool"}},
	"journal":               {4, []string{"workflow"}},
	"journal/journaltest":   {5, []string{"journal", "llm", "meta", "subagent", "workflow"}},
	"observe":               {4, []string{"llm", "session", "subagent", "workflow"}},
	"observe/live":          {5, []string{"observe", "session", "workflow"}},
	".":                     {6, []string{"agent", "config", "journal", "llm", "llm/limit", "llm/openai", "llm/sim", "prompt", "subagent", "subagent/inprocess", "subagent/isolated", "subagent/rehearsed", "tool", "tool/builtin", "trust", "vm", "vm/process", "workflow"}},
	"cmd/dsh-workflow":      {7, []string{".", "config", "control", "journal", "library", "lint", "meta", "observe", "observe/live", "session", "subagent", "subagent/isolated", "subagent/rehearsed", "trust", "vm", "workflow", "worktree"}},
}

// foreign lists packages of other modules, and of the standard library, that
// only the named rooms may import.
var foreign = map[string][]string{
	"github.com/dop251/":              {"vm", "meta", "internal/language"},
	"github.com/evanw/esbuild/":       {"internal/lower"},
	"github.com/sashabaranov/":        {"llm/openai"},
	"github.com/santhosh-tekuri/":     {"schema"},
	"github.com/google/jsonschema-go": {"tool", "config"},
	"github.com/knadh/koanf":          {"config"},
	"go.yaml.in/":                     {"config", "library"},
	"github.com/spf13/cobra":          {"cmd/dsh-workflow"},
	"charm.land/":                     {"observe/live"},
	"github.com/charmbracelet/":       {"observe/live"},
	"os/exec":                         {"internal/proc", "tool/builtin", "internal/check"},
	"net/http":                        {"llm/openai", "llm/llmtest", "llm/llmtest/llmserver", "llm/sim"}, // sim: names of statuses
}

func TestRooms(t *testing.T) {
	files, _ := readModule(t)
	for _, f := range files {
		if f.Test {
			continue
		}
		from, ok := rooms[f.Room]
		if !ok && !strings.HasPrefix(f.Room, "internal/") && !strings.HasPrefix(f.Room, "examples") {
			t.Errorf("%s: the room %q is not on the map", f.Path, f.Room)
			continue
		}
		for _, spec := range f.AST.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			checkForeign(t, f, name)
			if to, inside := inModule(name); inside {
				checkEdge(t, f, from, to)
			}
		}
	}
}

func inModule(name string) (string, bool) {
	if name == module {
		return ".", true
	}
	return strings.CutPrefix(name, module+"/")
}

func checkForeign(t *testing.T, f sourceFile, name string) {
	t.Helper()
	for prefix, allowed := range foreign {
		if strings.HasPrefix(name, prefix) && !slices.Contains(allowed, f.Room) {
			t.Errorf("%s imports %s, which only %v may", f.Path, name, allowed)
		}
	}
}

func checkEdge(t *testing.T, f sourceFile, from room, to string) {
	t.Helper()
	switch {
	case strings.HasPrefix(to, "internal/"):
	case strings.HasPrefix(f.Room, "internal/"):
		t.Errorf("%s imports %s: a mechanism knows no room", f.Path, to)
	case strings.HasPrefix(f.Room, "examples"):
	case !slices.Contains(from.uses, to):
		t.Errorf("%s imports %s: the map of rooms has no such edge", f.Path, to)
	case rooms[to].level >= from.level:
		t.Errorf("%s (level %d) imports %s (level %d): an edge goes down only", f.Path, from.level, to, rooms[to].level)
	}
}

// TestProcessState holds the rule that only the command reads arguments and the
// environment, and writes to the standard streams.
func TestProcessState(t *testing.T) {
	files, fset := readModule(t)
	banned := map[string][]string{
		"os":  {"Args", "Environ", "Getenv", "LookupEnv", "Setenv", "Stdin", "Stdout", "Stderr", "Exit"},
		"fmt": {"Print", "Println", "Printf"},
	}
	for _, f := range files {
		// The process of a realm is a program of its own.
		if f.Test || f.Room == "vm/process" || strings.HasPrefix(f.Room, "cmd/") || strings.HasPrefix(f.Room, "examples") || f.AST.Name.Name == "main" {
			continue
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Obj == nil && slices.Contains(banned[pkg.Name], sel.Sel.Name) {
				t.Errorf("%s: %s.%s belongs to the command", fset.Position(sel.Pos()), pkg.Name, sel.Sel.Name)
			}
			return true
		})
	}
}
