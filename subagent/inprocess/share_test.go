package inprocess_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/inprocess"
	"github.com/dsh-go/dsh-workflow/tool"
	"github.com/dsh-go/dsh-workflow/tool/builtin"
)

// What a child saw must outlive an attempt that failed, and nothing else.
func TestClosedComesAfterTheLastAttempt(t *testing.T) {
	var mu sync.Mutex
	var closed []string
	seen := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(closed)
	}
	note := func(c *inprocess.Config) {
		c.Closed = func(site inprocess.Site) {
			mu.Lock()
			defer mu.Unlock()
			closed = append(closed, site.Session)
		}
	}
	r := newRig(t, note, fails(llm.CodeServer), fails(llm.CodeServer), says("done"), fails(llm.CodeServer))
	c := r.start(r.request())
	wait := func() subagent.Result {
		result, err := c.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	for range 2 {
		if result := wait(); result.Outcome != subagent.Failed || len(seen()) > 0 {
			t.Fatalf("%+v, closed %v", result, seen())
		}
		if err := c.(subagent.Retrier).Retry(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if result := wait(); result.Text != "done" || !slices.Equal(seen(), []string{c.ID()}) {
		t.Errorf("%+v, closed %v", result, seen())
	}
	if err := c.Close(); err != nil || len(seen()) != 1 {
		t.Errorf("closed %v, %v", seen(), err)
	}

	failed := newRig(t, note, fails(llm.CodeServer)).start(r.request())
	if _, err := failed.Wait(context.Background()); err != nil || len(seen()) != 1 {
		t.Errorf("closed %v, %v", seen(), err)
	}
	if err := failed.Close(); err != nil || !slices.Equal(seen(), []string{c.ID(), failed.ID()}) {
		t.Errorf("closed %v, %v", seen(), err)
	}
	gone := r.request()
	gone.Lineage.Cwd = "/no/such/folder"
	if _, err := r.provider.Start(t.Context(), gone); err == nil || len(seen()) != 2 {
		t.Errorf("a refused start: closed %v, %v", seen(), err)
	}
}

// Children that share their tools do not share what they saw, and another attempt
// of one still knows it.
func TestSharedToolsKnowTheirChild(t *testing.T) {
	seen := builtin.NewObserved()
	tools, err := tool.NewRegistry(builtin.New(builtin.Options{Observed: seen})...)
	if err != nil {
		t.Fatal(err)
	}
	share := func(c *inprocess.Config) {
		c.Tools = func(context.Context, inprocess.Site) (*tool.Registry, error) { return tools, nil }
		c.Closed = func(site inprocess.Site) { seen.Forget(site.Session) }
	}
	edit := calls(call("2", "edit", `{"file_path":"f","old_string":"old","new_string":"new"}`))
	reader := newRig(t, share, calls(call("1", "read", `{"file_path":"f"}`)), fails(llm.CodeServer), edit, says("done"))
	file := filepath.Join(reader.cwd, "f")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := reader.start(reader.request())
	if result, err := c.Wait(t.Context()); err != nil || result.Outcome != subagent.Failed {
		t.Fatalf("%+v, %v", result, err)
	}

	stranger := newRig(t, share, edit, says("done"))
	request := stranger.request()
	request.Lineage.Root, request.Lineage.Cwd = reader.cwd, reader.cwd
	_, log := stranger.run(request)
	if got := toolResults(log); len(got) != 1 || !strings.Contains(got[0], "requires reading") {
		t.Errorf("a child that had not read the file got %q", got)
	}

	if err := c.(subagent.Retrier).Retry(t.Context()); err != nil {
		t.Fatal(err)
	}
	if result, err := c.Wait(t.Context()); err != nil || result.Text != "done" {
		t.Fatalf("%+v, %v", result, err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "new" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}
