package subagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
	"github.com/google/go-cmp/cmp"
)

func registry(t *testing.T, providers ...subagent.Provider) *subagent.Registry {
	t.Helper()
	r, err := subagent.NewRegistry(providers...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wantError checks code and text of an error.
func wantError(t *testing.T, err error, code subagent.Code, text string) {
	t.Helper()
	var typed *subagent.Error
	if !errors.As(err, &typed) || typed.Kind != code || typed.Code() != string(code) {
		t.Fatalf("got %v, want the code %s", err, code)
	}
	if err.Error() != text {
		t.Errorf("got  %s\nwant %s", err, text)
	}
}

// proves: W272, W274, A254
func TestRegistryNames(t *testing.T) {
	one := subagenttest.NewScripted("one", subagenttest.Script{})
	two := subagenttest.NewScripted("two", subagenttest.Script{})
	r := registry(t, two, one)
	wantError(t, r.Add(subagenttest.NewScripted("one", subagenttest.Script{})),
		subagent.CodeDuplicateProvider, `a subagent provider named "one" is already registered`)
	if diff := cmp.Diff([]string{"two", "one"}, r.Names()); diff != "" {
		t.Error(diff)
	}
	if p, err := r.Lookup("one"); err != nil || p != subagent.Provider(one) {
		t.Errorf("lookup: %v, %v", p, err)
	}
	_, err := r.Start(t.Context(), "x", subagent.Request{Prompt: "p"})
	wantError(t, err, subagent.CodeNoProvider, `no subagent provider registered for "x"`)
	if !r.Remove("two") || r.Remove("two") {
		t.Error("remove tells whether there was one")
	}
	_, err = r.Start(t.Context(), "two", subagent.Request{Prompt: "p"})
	wantError(t, err, subagent.CodeNoProvider, `no subagent provider registered for "two"`)
}

// proves: W352
func TestRemoveKeepsRunningChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := registry(t, subagenttest.NewScripted("", subagenttest.Script{Delay: time.Minute}))
		c, err := r.Start(t.Context(), "mock", subagent.Request{Call: "r/1", Prompt: "p"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		r.Remove("mock")
		if got, err := c.Wait(t.Context()); err != nil || got.Outcome != subagent.Completed {
			t.Errorf("got %+v, %v", got, err)
		}
		if _, err := r.Start(t.Context(), "mock", subagent.Request{Call: "r/2", Prompt: "p"}); err == nil {
			t.Error("a removed provider started a child")
		}
	})
}

type plain struct{ *subagenttest.Scripted }

func (plain) Capabilities() subagent.Capabilities { return subagent.Capabilities{} }

// proves: W276, W277, A254
func TestStartChecksBeforeTheProvider(t *testing.T) {
	scripted := subagenttest.NewScripted("", subagenttest.Script{})
	r := registry(t, scripted)
	object := json.RawMessage(`{"type":"object"}`)
	tests := []struct {
		name string
		req  subagent.Request
		code subagent.Code
		text string
	}{
		{"prompt", subagent.Request{}, subagent.CodeInvalidStart, "subagent prompt must not be empty"},
		{"depth", subagent.Request{Prompt: "p", Lineage: subagent.Lineage{Depth: -1}}, subagent.CodeInvalidStart,
			"subagent depth must be a non-negative integer, not -1"},
		{"overflow", subagent.Request{Prompt: "p", Lineage: subagent.Lineage{Depth: 1<<53 - 1}}, subagent.CodeInvalidStart,
			"subagent child depth exceeds the safe-integer range"},
		{"stall", subagent.Request{Prompt: "p", Stall: -1}, subagent.CodeInvalidStart, "subagent stall must not be negative"},
		{"cwd", subagent.Request{Prompt: "p", Lineage: subagent.Lineage{Cwd: "x"}}, subagent.CodeInvalidStart,
			"subagent cwd must be an absolute path: x"},
		{"root", subagent.Request{Prompt: "p", Lineage: subagent.Lineage{Root: "x"}}, subagent.CodeInvalidStart,
			"subagent root must be an absolute path: x"},
		{"outside", subagent.Request{Prompt: "p", Lineage: subagent.Lineage{Root: "/a/b", Cwd: "/a/bc"}}, subagent.CodeInvalidStart,
			"subagent cwd /a/bc is outside its root /a/b"},
		{"schema", subagent.Request{Prompt: "p", Schema: json.RawMessage(`[]`)}, subagent.CodeInvalidStart,
			"unsupported JSON schema: schema must be a schema object"},
		{"schema root", subagent.Request{Prompt: "p", Schema: json.RawMessage(`{"type":"array"}`)}, subagent.CodeInvalidStart,
			`unsupported JSON schema: schema.type must be "object" (structured output is object-rooted)`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := r.Start(t.Context(), "mock", test.req)
			wantError(t, err, test.code, test.text)
		})
	}
	limited := registry(t, plain{scripted})
	_, err := limited.Start(t.Context(), "mock", subagent.Request{Prompt: "p", Schema: object})
	wantError(t, err, subagent.CodeUnsupported, `subagent provider "mock" does not support the "outputSchema" capability`)
	_, err = limited.Start(t.Context(), "mock", subagent.Request{Prompt: "p", Tools: []string{}})
	wantError(t, err, subagent.CodeUnsupported, `subagent provider "mock" does not support the "toolFilter" capability`)
	_, err = r.Start(t.Context(), "absent", subagent.Request{Prompt: "p"})
	wantError(t, err, subagent.CodeNoProvider, `no subagent provider registered for "absent"`)
	wantError(t, r.Add(scripted), subagent.CodeDuplicateProvider, `a subagent provider named "mock" is already registered`)
	if n := scripted.Counts().Starts; n != 0 {
		t.Errorf("%d refused requests reached the provider", n)
	}
	inside := subagent.Request{Prompt: "p", Schema: object, Lineage: subagent.Lineage{Root: "/a/b", Cwd: "/a/b/..c"}}
	if _, err := r.Start(t.Context(), "mock", inside); err != nil {
		t.Errorf("a folder inside the root was refused: %v", err)
	}
}

func TestCheckDepth(t *testing.T) {
	_, err := subagent.CheckDepth(subagent.Lineage{}, 0)
	wantError(t, err, subagent.CodeMaxDepth, "subagent depth 1 exceeds maxDepth 0")
	_, err = subagent.CheckDepth(subagent.Lineage{Depth: 3}, 3)
	wantError(t, err, subagent.CodeMaxDepth, "subagent depth 4 exceeds maxDepth 3")
	if n, err := subagent.CheckDepth(subagent.Lineage{Depth: 2}, 3); n != 3 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
}

// Two starts of one call at once make one child; the second waits for the first.
// proves: W279, A169
func TestStartJoinsWhileStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		scripted := subagenttest.NewScripted("", subagenttest.Script{StartDelay: time.Minute, Delay: time.Hour})
		r := registry(t, scripted)
		ids := make(chan string, 2)
		for range 2 {
			go func() {
				c, err := r.Start(t.Context(), "mock", subagent.Request{Call: "r/1", Prompt: "p"})
				if err != nil {
					t.Error(err)
					return
				}
				ids <- c.ID()
				c.Close()
			}()
		}
		if a, b := <-ids, <-ids; a != b {
			t.Errorf("two children, %q and %q", a, b)
		}
		if n := scripted.Counts().Started; n != 1 {
			t.Errorf("%d children", n)
		}
	})
}

// A start that waited for one that failed starts the call itself.
func TestJoinedStartOutlivesAFailedOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := registry(t, subagenttest.NewScripted("", subagenttest.Script{StartDelay: time.Minute}))
		req := subagent.Request{Call: "r/1", Prompt: "p"}
		first, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		failed := make(chan error, 1)
		go func() {
			_, err := r.Start(first, "mock", req)
			failed <- err
		}()
		synctest.Wait()
		c, err := r.Start(t.Context(), "mock", req)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		if err := <-failed; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("first start: %v", err)
		}
	})
}

func TestJoinEndsWithItsOwnContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		scripted := subagenttest.NewScripted("", subagenttest.Script{StartDelay: time.Hour})
		r := registry(t, scripted)
		req := subagent.Request{Call: "r/1", Prompt: "p"}
		go func() {
			if c, err := r.Start(t.Context(), "mock", req); err == nil {
				c.Close()
			}
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := r.Start(ctx, "mock", req)
		if err == nil || !strings.HasPrefix(err.Error(), "subagent request was aborted before child publication") {
			t.Errorf("got %v", err)
		}
		ended, stop := context.WithCancel(t.Context())
		stop()
		if _, err := r.Start(ended, "mock", subagent.Request{Call: "r/2", Prompt: "p"}); err == nil {
			t.Error("started under an ended context")
		}
		if n := scripted.Counts().Starts; n != 1 {
			t.Errorf("%d starts reached the provider", n)
		}
	})
}

type once struct{ subagent.Provider }

func (o once) Start(ctx context.Context, req subagent.Request) (subagent.Child, error) {
	c, err := o.Provider.Start(ctx, req)
	return struct{ subagent.Child }{c}, err
}

// What a registry hands out can be tried again exactly if the child can.
func TestRegistryKeepsRetrier(t *testing.T) {
	then := subagenttest.Script{Reply: "second"}
	scripted := subagenttest.NewScripted("", subagenttest.Script{Outcome: subagent.Failed, Then: &then})
	req := subagent.Request{Call: "r/1", Prompt: "p"}
	c, err := registry(t, scripted).Start(t.Context(), "mock", req)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.(subagent.Retrier).Retry(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r, err := c.Wait(t.Context()); err != nil || r.Text != "second" {
		t.Errorf("got %+v, %v", r, err)
	}
	c, err = registry(t, once{scripted}).Start(t.Context(), "mock", req)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, ok := c.(subagent.Retrier); ok {
		t.Error("a child that cannot be tried again says that it can")
	}
}
