package inprocess_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/prompt"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/inprocess"
	"github.com/dsh-go/dsh-workflow/tool"
	"golang.org/x/sync/errgroup"
)

// resident is the resident memory of this process in bytes, or 0 where it
// cannot be told.
func resident(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// stateless plays the reply that is due by the history, and keeps nothing.
type stateless []reply

func (m stateless) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	answered := 0
	for _, message := range req.Messages {
		if message.Role == llm.RoleAssistant {
			answered++
		}
	}
	return func(yield func(llm.Chunk, error) bool) { m[answered](ctx, yield) }
}

// heavy makes a provider whose children read, carry instructions and report.
func heavy(t *testing.T, cwd string) subagent.Provider {
	t.Helper()
	if err := os.WriteFile(filepath.Join(cwd, "AGENTS.md"), []byte(strings.Repeat("Mind the gap.\n", 200)), 0o600); err != nil {
		t.Fatal(err)
	}
	result := tool.Text(strings.Repeat("r", 8<<10))
	tools, err := tool.NewRegistry(tool.Tool{
		Name: "read", Description: "read", Input: json.RawMessage(`{"type":"object"}`),
		Run: func(context.Context, tool.Call) (tool.Result, error) { return tool.Result{Content: result}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	m := stateless{
		calls(call("1", "read", `{"path":"`+strings.Repeat("x", 2<<10)+`"}`)),
		reports(`{"name":"` + strings.Repeat("y", 1<<10) + `"}`),
	}
	return inprocess.Spawn(inprocess.Config{
		Resolve:      inprocess.Fixed(m, route),
		Retry:        llm.Retry{Max: -1},
		Instructions: filesOf(prompt.InstructionsConfig{MaxBytes: prompt.DefaultMaxBytes}),
		Tools:        func(context.Context, inprocess.Site) (*tool.Registry, error) { return tools, nil },
	})
}

// spawnMany runs n children, 64 at once, and returns them unclosed.
func spawnMany(t *testing.T, provider subagent.Provider, cwd string, n int) []subagent.Child {
	t.Helper()
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(64)
	started := make([]subagent.Child, n)
	for i := range n {
		group.Go(func() error {
			c, err := provider.Start(t.Context(), subagent.Request{
				Prompt: fmt.Sprintf("task %d %s", i, strings.Repeat("z", 2<<10)), Schema: json.RawMessage(personSchema),
				Lineage: subagent.Lineage{Run: "r", Cwd: cwd, Root: cwd, Trusted: true, Guided: true},
			})
			if err != nil {
				return err
			}
			started[i] = c
			result, err := c.Wait(ctx)
			if err == nil && result.Outcome != subagent.Completed {
				err = fmt.Errorf("child %d: %+v", i, result.Failure)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	return started
}

// Children that have ended leave no memory behind, even where their handles are
// kept: 1000 of them, 64 at once, need hardly more than 200.
func TestMemoryOfFinishedChildren(t *testing.T) {
	if testing.Short() {
		t.Skip("starts 1000 children")
	}
	cwd := t.TempDir()
	provider := heavy(t, cwd)
	measure := func() (heap, rss int64) {
		rss = resident(t) // as it is, before anything is given back
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc), rss
	}
	handles := spawnMany(t, provider, cwd, 200/share)
	heap, rss := measure()
	handles = append(handles, spawnMany(t, provider, cwd, 800/share)...)
	heap2, rss2 := measure()
	t.Logf("heap %d to %d KiB, resident %d to %d KiB", heap>>10, heap2>>10, rss>>10, rss2>>10)
	if grown := heap2 - heap; grown > 8<<20 {
		t.Errorf("800 finished children keep %d bytes", grown)
	}
	if grown := rss2 - rss; share == 1 && grown > 32<<20 {
		t.Errorf("resident memory grew by %d bytes", grown)
	}
	for _, c := range handles {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
