//go:build unix

package builtin

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/tool"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// agent is a registry of the built-in tools over a folder of its own.
type agent struct {
	t     tb
	tools *tool.Registry
	call  tool.Call
}

// tb is what an agent needs of a test or a property.
type tb interface {
	Helper()
	Context() context.Context
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Cleanup(f func())
}

// newAgent makes an agent that works in dir.
func newAgent(t testing.TB, dir string, o Options) agent {
	t.Helper()
	return agentIn(t, dir, o)
}

// tempDir is a folder for one example of a property.
func tempDir(t tb) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "property-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func agentIn(t tb, dir string, o Options) agent {
	t.Helper()
	if o.Env == nil {
		o.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	}
	r, err := tool.NewRegistry(New(o)...)
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return agent{t, r, tool.Call{ID: "c1", Session: "s1", Cwd: real, Root: real, Outputs: filepath.Join(tempDir(t), "spill")}}
}

type args = map[string]any

// do runs a tool and returns its text and the code of its failure.
func (a agent) do(name string, in args) (text, kind string) {
	a.t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		a.t.Fatal(err)
	}
	a.call.Name = name
	r := a.tools.Run(a.t.Context(), a.call, string(raw))
	if r.Error != nil {
		kind = r.Error.Kind
	}
	return r.Content[0].(llm.Text).Text, kind
}

// want runs a tool and compares its whole text, and the code if there is one.
func (a agent) want(name string, in args, text string, kind ...string) {
	a.t.Helper()
	got, code := a.do(name, in)
	if d := cmp.Diff(text, got); d != "" {
		a.t.Errorf("%s %v: %s", name, in, d)
	}
	if code != strings.Join(kind, "") {
		a.t.Errorf("%s %v: code %q, want %q", name, in, code, kind)
	}
}

func (a agent) path(name string) string { return filepath.Join(a.call.Cwd, name) }

// outputs is the folder that long results of the agent's session go to.
func (a agent) outputs() string {
	return filepath.Join(a.call.Outputs, fmt.Sprintf("session-%x", sha256.Sum256([]byte(a.call.Session))))
}

// put writes a file behind the back of the agent.
func (a agent) put(name, content string) {
	a.t.Helper()
	if err := os.WriteFile(a.path(name), []byte(content), 0o644); err != nil {
		a.t.Fatal(err)
	}
}

// has compares the content of a file.
func (a agent) has(name, content string) {
	a.t.Helper()
	got, err := os.ReadFile(a.path(name))
	if err != nil {
		a.t.Error(err)
		return
	}
	if d := cmp.Diff(content, string(got)); d != "" {
		a.t.Errorf("%s: %s", name, d)
	}
}

func TestSpecs(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	got, err := json.MarshalIndent(a.tools.Specs(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "specs.json")
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)+"\n"); d != "" {
		t.Error(d)
	}
}

func TestParallel(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	for name, in := range map[string]string{
		"read":       `{"file_path":"a"}`,
		"write":      `{"file_path":"a","content":""}`,
		"edit":       `{"file_path":"a","old_string":"a","new_string":"b"}`,
		"bash":       `{"command":"true","description":"nothing"}`,
		"glob":       `{"pattern":"*"}`,
		"grep":       `{"pattern":"a"}`,
		"todo_write": `{"todos":[]}`,
	} {
		if got := a.tools.Parallel(name, json.RawMessage(in)); got != (name == "read" || name == "glob" || name == "grep") {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestSectionsBelongToTools(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	var named []string
	last := 0.0
	for _, s := range Sections() {
		named = append(named, s.Name)
		if s.Order <= last || s.Text == "" || strings.Contains(s.Text, "{{") {
			t.Errorf("section %+v", s)
		}
		last = s.Order
	}
	if d := cmp.Diff([]string{"tool:read", "tool:write", "tool:edit", "tool:glob", "tool:grep", "tool:bash"}, named); d != "" {
		t.Error(d)
	}
	for _, n := range named {
		if !strings.Contains(strings.Join(a.tools.Names(), " "), strings.TrimPrefix(n, "tool:")) {
			t.Errorf("no tool for %s", n)
		}
	}
}
