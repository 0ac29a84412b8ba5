package dsh

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// tries has an agent write a file, and says whether it could.
const tries = `export const meta = { name: 't', description: 'd' }
await agent('x @@sim [{"tool":"write","args":{"file_path":"made","content":"x"}},{"text":"done"}]', args)
return 'ok'`

// A harness that was told nothing trusts nothing, and says so.
func TestNothingIsTrustedByItself(t *testing.T) {
	var log strings.Builder
	h, err := Open(Config{
		Home: t.TempDir(), Memory: true, Endpoint: config.Endpoint{Provider: config.Sim, Model: config.Sim},
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	root := t.TempDir()
	for range 2 {
		if res := runScript(t, h, workflow.Request{Root: root, Source: tries}); res.Status != workflow.StatusCompleted {
			t.Errorf("%+v", res)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "made")); err == nil {
		t.Error("an agent wrote into a folder that nobody trusts")
	}
	if strings.Count(log.String(), "Config.Trusts") != 1 {
		t.Errorf("said: %s", log.String())
	}
}

// The root of a run is asked about, and each repository below it that agents work
// in; folders of one project are not asked about again.
func TestWhatIsAskedAbout(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{".git", "sub", "nested/.git", "nested/deep"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var asked []string
	var log strings.Builder
	h := simulated(t, Config{
		Home: t.TempDir(), Memory: true, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Trusts: func(folder string) bool {
			asked = append(asked, folder)
			return folder == root
		},
	})
	for _, test := range []struct{ args, asks, said string }{
		{`{}`, root, ""},
		{`{"cwd":"sub"}`, root, ""},
		{`{"cwd":"nested/deep"}`, filepath.Join(root, "nested/deep"), "it belongs to a repository that is not trusted"},
	} {
		asked = nil
		log.Reset()
		runScript(t, h, workflow.Request{Root: root, Source: tries, Args: []byte(test.args)})
		if asked[0] != root || !slices.Contains(asked, test.asks) || len(slices.Compact(asked)) > 2 || !strings.Contains(log.String(), test.said) {
			t.Errorf("%s: asked about %v, said %s", test.args, asked, log.String())
		}
	}
	for _, file := range []string{"made", "sub/made", "nested/deep/made"} {
		if _, err := os.Stat(filepath.Join(root, file)); err != nil {
			t.Errorf("a trusted run could not write: %v", err)
		}
	}
}
