package limit

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
)

// slow answers after a second and counts who is inside.
type slow struct {
	mu           sync.Mutex
	inside, most int
	order        []string
}

func (s *slow) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		s.mu.Lock()
		s.inside++
		s.most = max(s.most, s.inside)
		s.order = append(s.order, req.System)
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			s.inside--
			s.mu.Unlock()
		}()
		time.Sleep(time.Second)
		if yield(llm.TextDelta{Text: "x"}, nil) {
			yield(llm.Finish{Reason: llm.FinishStop}, nil)
		}
	}
}

// So many requests are inside at once and no more, in the order in which they
// came; a reader that goes away gives its place back.
func TestGate(t *testing.T) {
	const names = "abcdef"
	for _, places := range []int{1, 2, 6, 9} {
		synctest.Test(t, func(t *testing.T) {
			m := &slow{}
			g := New(m, places)
			began := time.Now()
			var all sync.WaitGroup
			for i := range names {
				all.Go(func() {
					for range g.Stream(t.Context(), llm.Request{System: names[i : i+1]}) {
						break
					}
				})
				synctest.Wait()
			}
			all.Wait()
			rounds := (len(names) + places - 1) / places
			if took := time.Since(began); took != time.Duration(rounds)*time.Second || m.most != min(places, len(names)) || m.inside != 0 {
				t.Errorf("%d places: %s, at most %d at once, %d left", places, took, m.most, m.inside)
			}
			// Those of one round may overtake each other on their way in.
			for i := range rounds {
				round := m.order[i*places : min((i+1)*places, len(names))]
				slices.Sort(round)
			}
			if got := strings.Join(m.order, ""); got != names {
				t.Errorf("%d places: order %s", places, got)
			}
		})
	}
}

// A request that is cancelled while it waits never reaches the provider.
func TestGateAndCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &slow{}
		g := New(m, 1)
		var first sync.WaitGroup
		first.Go(func() {
			for range g.Stream(t.Context(), llm.Request{}) {
				continue
			}
		})
		synctest.Wait()
		ctx, cancel := context.WithCancelCause(t.Context())
		reason := errors.New("enough")
		time.AfterFunc(100*time.Millisecond, func() { cancel(reason) })
		var got error
		for _, err := range g.Stream(ctx, llm.Request{}) {
			got = err
		}
		var failed *llm.Error
		if !errors.As(got, &failed) || failed.Kind != llm.CodeAborted || !errors.Is(got, reason) {
			t.Errorf("%v", got)
		}
		first.Wait()
		if len(m.order) != 1 {
			t.Errorf("%d requests", len(m.order))
		}
	})
}
