package subagenttest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/google/go-cmp/cmp"
)

var errSuite = errors.New("the suite changed its mind")

func testNamed(t *testing.T, s *suite) {
	if s.provider.Name() == "" {
		t.Error("the provider has no name")
	}
	a, b := s.start(t, s.request(PromptReply)), s.start(t, s.request(PromptReply))
	if a.ID() == "" || a.ID() == b.ID() {
		t.Errorf("ids %q and %q", a.ID(), b.ID())
	}
}

func testCompletes(t *testing.T, s *suite) {
	r := await(t, s.start(t, s.request(PromptReply)))
	if r.Outcome != subagent.Completed || r.Text != Reply || r.Value != nil {
		t.Errorf("got %+v", r)
	}
}

func testWaitMany(t *testing.T, s *suite) {
	c := s.start(t, s.request(PromptReply))
	want := await(t, c)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			got, err := c.Wait(t.Context())
			if err != nil {
				t.Errorf("wait: %v", err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	group.Wait()
}

func testWaitEarly(t *testing.T, s *suite) {
	c := s.start(t, s.request(PromptHang))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errSuite)
	if _, err := c.Wait(ctx); !errors.Is(err, errSuite) {
		t.Errorf("wait under an ended ctx: %v", err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, err := c.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the child ended with the wait: %v", err)
	}
}

func testCancelCause(t *testing.T, s *suite) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	c, err := s.provider.Start(ctx, s.request(PromptHang))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	cancel(errSuite)
	r := await(t, c)
	if r.Outcome != subagent.Cancelled {
		t.Fatalf("got %+v", r)
	}
	if r.Failure.Code != string(subagent.CodeCancelled) || !strings.Contains(r.Failure.Message, errSuite.Error()) {
		t.Errorf("failure %+v does not name the cause", *r.Failure)
	}
}

func testAbortedStart(t *testing.T, s *suite) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errSuite)
	c, err := s.provider.Start(ctx, s.request(PromptReply))
	if err == nil {
		c.Close()
		t.Fatal("started under an ended ctx")
	}
	if !errors.Is(err, errSuite) {
		t.Errorf("error %v does not carry the cause", err)
	}
	var coded interface{ Code() string }
	if !errors.As(err, &coded) || coded.Code() != string(subagent.CodeCancelled) {
		t.Errorf("error %v has no code %s", err, subagent.CodeCancelled)
	}
}

func testCloseCancels(t *testing.T, s *suite) {
	c := s.start(t, s.request(PromptHang))
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if err := c.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			// Close has waited, so an ended ctx must not win over the result.
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			r, err := c.Wait(ended)
			if err != nil || r.Outcome != subagent.Cancelled {
				t.Errorf("after close: %+v, %v", r, err)
			}
		})
	}
	group.Wait()
}

func testCloseKeeps(t *testing.T, s *suite) {
	c := s.start(t, s.request(PromptReply))
	want := await(t, c)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, await(t, c)); diff != "" {
		t.Error(diff)
	}
}

func testCallJoins(t *testing.T, s *suite) {
	registry, err := subagent.NewRegistry(s.provider)
	if err != nil {
		t.Fatal(err)
	}
	req := s.request(PromptHang)
	start := func() subagent.Child {
		c, err := registry.Start(t.Context(), s.provider.Name(), req)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := start()
	defer first.Close()
	if id := start().ID(); id != first.ID() {
		t.Errorf("a second start of a call that is alive gave %q, not %q", id, first.ID())
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	next := start()
	defer next.Close()
	if next.ID() == first.ID() {
		t.Errorf("a start after close gave %q again", next.ID())
	}
}

func testValue(t *testing.T, s *suite) {
	r := await(t, s.start(t, s.structured(PromptValue)))
	if r.Outcome != subagent.Completed {
		t.Fatalf("got %+v", r)
	}
	var got, want any
	if err := json.Unmarshal(r.Value, &got); err != nil {
		t.Fatalf("value %q: %v", r.Value, err)
	}
	if err := json.Unmarshal([]byte(Value), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func testFailure(t *testing.T, s *suite) {
	for _, req := range []subagent.Request{s.request(PromptFail), s.structured(PromptFail)} {
		r := await(t, s.start(t, req))
		if r.Outcome != subagent.Failed || r.Failure.Code != FailCode {
			t.Errorf("got %+v with failure %+v", r, r.Failure)
		}
	}
}

// testRetries is for providers whose children can be tried again.
func testRetries(t *testing.T, s *suite) {
	c := s.start(t, s.request(PromptFail))
	again, ok := c.(subagent.Retrier)
	if !ok {
		t.Skip("the children of this provider cannot be tried again")
	}
	first := await(t, c)
	if err := again.Retry(t.Context()); err != nil {
		t.Fatalf("retry: %v", err)
	}
	second := await(t, c)
	if second.Outcome != subagent.Failed || second.Failure.Code != FailCode {
		t.Errorf("second attempt: %+v", second)
	}
	if second.Usage.InputTokens < first.Usage.InputTokens || second.Usage.OutputTokens < first.Usage.OutputTokens {
		t.Errorf("usage %+v does not hold the first attempt's %+v", second.Usage, first.Usage)
	}
	for _, prompt := range []string{PromptHang, PromptReply} {
		other := s.start(t, s.request(prompt))
		if prompt == PromptReply {
			await(t, other)
		}
		if err := other.(subagent.Retrier).Retry(t.Context()); err == nil {
			t.Errorf("%q: tried again without a failure", prompt)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := again.Retry(t.Context()); err == nil {
		t.Error("tried again after close")
	}
}

func testSiblings(t *testing.T, s *suite) {
	hang := s.start(t, s.request(PromptHang))
	fail := s.start(t, s.request(PromptFail))
	reply := s.start(t, s.request(PromptReply))
	if r := await(t, fail); r.Outcome != subagent.Failed {
		t.Errorf("fail: %+v", r)
	}
	if err := fail.Close(); err != nil {
		t.Error(err)
	}
	if r := await(t, reply); r.Outcome != subagent.Completed {
		t.Errorf("reply: %+v", r)
	}
	if err := hang.Close(); err != nil {
		t.Error(err)
	}
	if r := await(t, hang); r.Outcome != subagent.Cancelled {
		t.Errorf("hang: %+v", r)
	}
}

// testRequestCopied changes the bytes of a schema after Start has returned.
func testRequestCopied(t *testing.T, s *suite) {
	req := s.structured(PromptValue)
	c := s.start(t, req)
	for i := range req.Schema {
		req.Schema[i] = 'x'
	}
	if r := await(t, c); r.Outcome != subagent.Completed {
		t.Errorf("a later change of the request reached the child: %+v, %+v", r, r.Failure)
	}
}
