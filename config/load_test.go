package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// place is a home and a project in a repository, with what their files say.
func place(t *testing.T, user, project string) Sources {
	t.Helper()
	root := t.TempDir()
	s := Sources{Home: filepath.Join(root, "home"), Dir: filepath.Join(root, "repo", "sub"), Trusted: true}
	for _, dir := range []string{s.Home, s.Dir, filepath.Join(root, "repo", ".git"), filepath.Join(root, "repo", ".dsh")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, UserFile(s.Home), user)
	write(t, filepath.Join(root, "repo", ".dsh", "config.yaml"), project)
	return s
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if text == "" {
		return
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, s Sources) *Settings {
	t.Helper()
	out, err := Load(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const (
	corp = `providers:
  corp:
    baseUrl: https://llm.corp.example/v1
    keyEnv: CORP_KEY
    concurrency: 8
    retry: {max: 0, initial: 1s}
models:
  gpt-4.1:
    provider: corp
    context: 1000000
    price: {input: 2, cached: 0.5, output: 8}
aliases:
  haiku: gpt-4.1
defaults:
  model: corp/big
limits:
  concurrency: 3
  source: 64KiB
  deadline: 1h
`
	team = `models:
  gpt-4.1:
    price:
      output: 9
limits:
  concurrency: 5
  agents: 70
`
)

// Each layer is over the one before, value by value, and each value knows where
// it comes from.
func TestLayers(t *testing.T) {
	s := place(t, corp, team)
	s.Base = File{Limits: Limits{Concurrency: 1, Agents: 1, Items: 4096, Sync: Duration(5 * time.Second)}}
	s.Lookup = env("DSH_MODEL", "corp/small", "OPENAI_BASE_URL", "https://mirror.example/v1")
	s.Limits = Limits{Agents: 90}
	got := load(t, s)
	user, project := got.User, got.Project
	if user != UserFile(s.Home) || !strings.HasSuffix(project, "repo/.dsh/config.yaml") {
		t.Fatalf("files %q and %q", user, project)
	}
	var lines []string
	for _, v := range got.Values() {
		lines = append(lines, v.Key+" = "+v.Value+" ("+v.Origin.String()+")")
	}
	want := []string{
		"providers.corp.baseUrl = https://llm.corp.example/v1 (" + user + ":3)",
		"providers.corp.keyEnv = CORP_KEY (" + user + ":4)",
		"providers.corp.concurrency = 8 (" + user + ":5)",
		"providers.corp.retry.max = 0 (" + user + ":6)",
		"providers.corp.retry.initial = 1s (" + user + ":6)",
		"providers.deepseek.baseUrl = https://api.deepseek.com (default)",
		"providers.deepseek.keyEnv = DEEPSEEK_API_KEY (default)",
		"providers.deepseek.concurrency = 64 (default)",
		"providers.deepseek.retry.max = 5 (default)",
		"providers.openai.baseUrl = https://mirror.example/v1 (OPENAI_BASE_URL)",
		"providers.openai.keyEnv = OPENAI_API_KEY (default)",
		"providers.openai.concurrency = 64 (default)",
		"providers.openai.retry.max = 5 (default)",
		"models.deepseek-v4-flash.provider = deepseek (default)",
		"models.deepseek-v4-flash.context = 1000000 (default)",
		"models.deepseek-v4-pro.provider = deepseek (default)",
		"models.deepseek-v4-pro.context = 1000000 (default)",
		`models."gpt-4.1".provider = corp (` + user + ":9)",
		`models."gpt-4.1".context = 1000000 (` + user + ":10)",
		`models."gpt-4.1".price.input = 2 (` + user + ":11)",
		`models."gpt-4.1".price.cached = 0.5 (` + user + ":11)",
		`models."gpt-4.1".price.output = 9 (` + project + ":4)",
		"aliases.haiku = gpt-4.1 (" + user + ":13)",
		"defaults.model = corp/small (DSH_MODEL)",
		"limits.concurrency = 5 (" + project + ":6)",
		"limits.agents = 90 (--max-agents)",
		"limits.items = 4096 (default)",
		"limits.source = 65536 (" + user + ":18)",
		"limits.sync = 5s (default)",
		"limits.deadline = 1h0m0s (" + user + ":19)",
	}
	if d := cmp.Diff(want, lines); d != "" {
		t.Error(d)
	}
}

// The file of a folder that is not trusted is not even read.
func TestUntrustedProjectDoesNotCount(t *testing.T) {
	s := place(t, "", "limits: {agents: oops}")
	s.Trusted = false
	got := load(t, s)
	if got.Project != "" || !strings.HasSuffix(got.Ignored, "repo/.dsh/config.yaml") || got.File.Limits.Agents != 0 {
		t.Errorf("project %q, ignored %q, limits %+v", got.Project, got.Ignored, got.File.Limits)
	}
}

// The nearest file is the project's, a repository ends the search, and the
// user's own file is no project's.
func TestProjectFile(t *testing.T) {
	root := t.TempDir()
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	at := func(parts ...string) string { return filepath.Join(append([]string{root}, parts...)...) }
	for _, dir := range []string{at("a", "b", "c", ".dsh"), at("a", "b", ".git"), at("a", "b", ".dsh"), at("a", ".dsh"), at("a", "other"), at("a", "b", "d")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	far, near, outside := at("a", "b", ".dsh", "config.yaml"), at("a", "b", "c", ".dsh", "config.yaml"), at("a", ".dsh", "config.yaml")
	for _, f := range []string{far, near, outside} {
		write(t, f, "{}")
	}
	for _, c := range []struct{ dir, home, want string }{
		{at("a", "b", "c"), at("a", ".dsh"), near},
		{at("a", "b", "d"), at("a", ".dsh"), far},
		{at("a", "b", "d"), at("a", "b", ".dsh"), ""},
		{at("a", "other"), at("home"), ""},
		{at("a"), at("home"), outside},
		{at("a"), at("a", ".dsh"), ""},
		{"", at("home"), ""},
	} {
		if got := ProjectFile(c.dir, c.home); got != c.want {
			t.Errorf("from %s: %q, want %q", c.dir, got, c.want)
		}
	}
}

// A file that says nothing is one: empty, comments, empty sections.
func TestFilesThatSayNothing(t *testing.T) {
	for _, text := range []string{"\n", "# nothing\n", "---\n", "{}", "null", "providers:\nmodels:\naliases:\ndefaults:\nlimits:\n", "\ufeff# with a mark\n"} {
		got := load(t, place(t, text, ""))
		if d := cmp.Diff(load(t, Sources{}).File, got.File, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%q:\n%s", text, d)
		}
	}
}

// What is no configuration file ends with a message that names it, and never
// blocks.
func TestFilesThatAreNone(t *testing.T) {
	make := func(f func(path string) error) func(string) {
		return func(path string) {
			if err := f(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name string
		make func(string)
		text string
	}{
		{"pipe", make(func(p string) error { return syscall.Mkfifo(p, 0o600) }), "is not a regular file"},
		{"folder", make(func(p string) error { return os.Mkdir(p, 0o700) }), "is a folder"},
		{"device", make(func(p string) error { return os.Symlink("/dev/zero", p) }), "is not a regular file"},
		{"link to nothing", make(func(p string) error { return os.Symlink("nowhere", p) }), "is a link to nothing"},
		{"large", make(func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("#", MaxFile+1)), 0o600) }), "has more than 1048576 bytes"},
		{"latin 1", make(func(p string) error { return os.WriteFile(p, []byte("# a\n# \xe9\n"), 0o600) }), ":2: is not UTF-8"},
		{"binary", make(func(p string) error { return os.WriteFile(p, []byte("\x7fELF\x00\x01"), 0o600) }), "is not YAML"},
	} {
		s := Sources{Home: t.TempDir()}
		c.make(UserFile(s.Home))
		_, err := Load(s)
		if err == nil || !strings.Contains(err.Error(), c.text) || !strings.HasPrefix(err.Error(), UserFile(s.Home)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.text)
		}
	}
}
