package inprocess_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/inprocess"
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
