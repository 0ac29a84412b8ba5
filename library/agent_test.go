package library_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dsh-go/dsh-workflow/library"
)

// define lays one definition and reads it.
func define(t *testing.T, text string) (*library.AgentListing, library.Agent) {
	t.Helper()
	l := library.ListAgents(library.Places{Trusted: true, Dir: lay(t, map[string]string{".dsh/agents/file.md": text})})
	if len(l.Agents) == 0 {
		return l, library.Agent{}
	}
	return l, l.Agents[0]
}

func TestDefinitions(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want library.Agent
	}{
		"all of it": {
			"---\nname: Reviewer\ndescription: Reviews.\ntools: Read, Grep, Bash\nmodel: sonnet\neffort: HIGH\nmaxTurns: 7\nrerun: never\ncolor: red\n---\n\nYou review.\n---\nTwice.\n",
			library.Agent{Name: "Reviewer", Description: "Reviews.", Persona: "You review.\n---\nTwice.", Tools: []string{"read", "grep", "bash"}, Model: "sonnet", Effort: "high", MaxTurns: 7, Once: true},
		},
		"nothing but a body":    {"You help.", library.Agent{Name: "file", Persona: "You help."}},
		"an empty front matter": {"---\n---\nYou help.", library.Agent{Name: "file", Persona: "You help."}},
		"no body":               {"---\nname: x\n---", library.Agent{Name: "x"}},
		"windows":               {"\ufeff---\r\nname: x\r\n---\r\nHi\r\n", library.Agent{Name: "x", Persona: "Hi"}},
		"no YAML, as people write it": {
			"---\nname: x\ndescription: Use it when: a) \"this\", b) that: <example>\\nuser: hi</example>\nmodel: inherit\n---\nHi",
			library.Agent{Name: "x", Description: `Use it when: a) "this", b) that: <example>\nuser: hi</example>`, Persona: "Hi"},
		},
		"a list of tools":       {"---\ntools:\n  - Read\n  - MultiEdit\n  - Edit\n---", library.Agent{Name: "file", Tools: []string{"read", "edit"}}},
		"all tools":             {"---\ntools: '*'\n---", library.Agent{Name: "file"}},
		"no tools":              {"---\ntools: []\n---", library.Agent{Name: "file", Tools: []string{}}},
		"all tools but":         {"---\ndisallowedTools: Write, Edit, Bash(rm:*)\n---", library.Agent{Name: "file", Tools: []string{"glob", "grep", "read", "todo_write"}}},
		"plans only":            {"---\npermissionMode: plan\n---", library.Agent{Name: "file", Tools: []string{"glob", "grep", "read"}}},
		"asks, where it cannot": {"---\npermissionMode: default\ntools: bash\n---", library.Agent{Name: "file", Tools: []string{"bash"}}},
		"what we do not have": {
			"---\ntools: Read, WebFetch, Bash(git:*)\nhooks: {a: b}\nmodle: x\n---",
			library.Agent{Name: "file", Tools: []string{"read"}, Notes: []string{
				`the tool "WebFetch" is not known and is left out`, `the tool "Bash(git:*)" is not known and is left out`,
				"hooks is not supported and counts for nothing", "modle is not supported and counts for nothing (did you mean model?)",
			}},
		},
	} {
		l, got := define(t, c.text)
		if len(l.Skipped) > 0 {
			t.Errorf("%s: skipped %+v", name, l.Skipped)
		}
		c.want.Origin = library.Project
		if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(library.Agent{}, "Path")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestFaultyDefinitions(t *testing.T) {
	bomb := "---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nname: bomb\n---"
	if _, a := define(t, bomb); a.Name != "bomb" {
		t.Errorf("aliases: %+v", a)
	}
	for text, want := range map[string]string{
		"---\nname: x\n":                                             "the front matter has no end",
		"---\n- a\n- b\n---":                                         "no list of `key: value` lines",
		"---\nmaxTurns: many\n---":                                   `maxTurns must be a whole number from 1, got "many"`,
		"---\nmaxTurns: 0\n---":                                      "maxTurns must be a whole number from 1",
		"---\neffort: extreme\n---":                                  "effort must be one of low,",
		"---\npermissionMode: yolo\n---":                             "permissionMode must be one of",
		"---\nrerun: always\n---":                                    "rerun can only be never",
		"---\nname: [a, b]\n---":                                     "name must be a text",
		"---\nname: ../x\n---":                                       "contains a path separator",
		"---\nname: 'a:b:c/d'\n---":                                  "contains a path separator",
		"---\nname: \"x\\u202ey\"\n---":                              "not printed",
		"---\nname: x\n---\n\xff":                                    "not UTF-8",
		"---\nname: x\n---\n" + strings.Repeat("x", library.MaxFile): "more than",
	} {
		l, a := define(t, text)
		if len(l.Agents) != 0 || len(l.Skipped) != 1 || !strings.Contains(l.Skipped[0].Reason, want) || l.Skipped[0].Code == "" {
			t.Errorf("%.40q: %+v, skipped %+v, want %q", text, a, l.Skipped, want)
		}
	}
}

func TestAgentsNearestWins(t *testing.T) {
	dir := lay(t, map[string]string{
		"repo/.git/HEAD":                            "x",
		"repo/pkg/.claude/agents/review.md":         "near",
		"repo/.dsh/agents/Review.md":                "far",
		"repo/.dsh/agents/notes.txt":                "",
		"repo/.claude/plugins/craft/agents/rust.md": "plugin",
		"home/.dsh/agents/mine.md":                  "mine",
		"home/.claude/plugins/tools/agents/x.md":    "x",
		"repo/.dsh/plugins/craft/workflows/w.js":    script("build"),
	})
	places := library.Places{Trusted: true, Dir: filepath.Join(dir, "repo/pkg"), Home: filepath.Join(dir, "home/.dsh"), UserHome: filepath.Join(dir, "home")}
	var got []string
	l := library.ListAgents(places)
	for _, a := range l.Agents {
		got = append(got, a.Name+"="+a.Persona)
	}
	if want := "review=near craft:rust=plugin mine=mine tools:x=x"; strings.Join(got, " ") != want {
		t.Errorf("agents %v, want %s", got, want)
	}
	if len(l.Shadowed) != 1 || l.Shadowed[0].Persona != "far" || !strings.HasSuffix(l.Shadowed[0].By, "pkg/.claude/agents/review.md") {
		t.Errorf("shadowed %+v", l.Shadowed)
	}
	if len(l.Skipped) != 1 || l.Skipped[0].Code != string(library.Ending) {
		t.Errorf("skipped %+v", l.Skipped)
	}
	if _, err := library.List(places).Lookup("craft:build"); err != nil {
		t.Errorf("the workflow of a plugin: %v", err)
	}
	places.Trusted = false
	l = library.ListAgents(places)
	if len(l.Agents) != 2 || len(l.Skipped) != 2 || l.Skipped[0].Code != string(library.Untrusted) {
		t.Errorf("without trust: %+v, skipped %+v", l.Agents, l.Skipped)
	}
	if _, err := library.List(places).Lookup("craft:build"); err == nil {
		t.Error("a plugin of a project that is not trusted counts")
	}
}

// put writes the one definition of a folder that is used again and again.
func put(t *testing.T, dir, text string) string {
	t.Helper()
	path := filepath.Join(dir, ".dsh", "agents", "file.md")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func FuzzAgent(f *testing.F) {
	for _, seed := range []string{"---\nname: x\ntools: Read\n---\nBody", "---\n", "---\n---", "x", "---\n? [a]\n: b\n---", "---\na: !!binary x\n---", "---\n&a *a\n---"} {
		f.Add(seed)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		l := library.ListAgents(library.Places{Trusted: true, Dir: put(t, dir, text)})
		if len(l.Agents)+len(l.Skipped) != 1 {
			t.Errorf("%d agents, %d skipped", len(l.Agents), len(l.Skipped))
		}
		for _, a := range l.Agents {
			if err := library.CheckName(a.Name); err != nil {
				t.Error(err)
			}
		}
	})
}
