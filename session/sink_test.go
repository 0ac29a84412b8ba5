package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var errFull = errors.New("no space left on device")

// shelf is a sink in memory that notes its batches and can refuse.
type shelf struct {
	mu      sync.Mutex
	lines   []string
	durable int
	batches []int // sizes
	syncs   int
	full    bool          // Append fails
	torn    bool          // Sync fails
	slow    time.Duration // of Append
}

func (s *shelf) Len() int { s.mu.Lock(); defer s.mu.Unlock(); return len(s.lines) }

func (s *shelf) Append(first Seq, lines [][]byte) error {
	s.mu.Lock()
	slow := s.slow
	s.mu.Unlock()
	time.Sleep(slow)
	s.mu.Lock()
	defer s.mu.Unlock()
	if int(first) != len(s.lines) {
		return fmt.Errorf("expected %d, got %d", len(s.lines), first)
	}
	if s.full {
		return errFull
	}
	for _, line := range lines {
		s.lines = append(s.lines, string(line))
	}
	s.batches = append(s.batches, len(lines))
	return nil
}

func (s *shelf) Sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.torn {
		s.lines = s.lines[:s.durable]
		return errFull
	}
	s.syncs++
	s.durable = len(s.lines)
	return nil
}

func (s *shelf) Close() error { return nil }

func (s *shelf) set(full, torn bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.full, s.torn = full, torn
}

func (s *shelf) pace(slow time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slow = slow
}

func (s *shelf) sizes() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.batches)
}

// seqs returns the numbers of the stored events.
func (s *shelf) seqs(t *testing.T) []Seq {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Seq
	for _, line := range s.lines {
		e, err := decodeLine([]byte(line))
		if err != nil {
			t.Error(err)
		}
		all = append(all, e.Seq)
	}
	return all
}

func upTo(n int) []Seq {
	var all []Seq
	for i := range n {
		all = append(all, Seq(i))
	}
	return all
}

// onShelf runs a test in virtual time over a log on a shelf.
func onShelf(t *testing.T, run func(t *testing.T, l *Log, s *shelf)) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{}
		l, err := New(plainHeader, Options{Sink: s})
		if err != nil {
			t.Fatal(err)
		}
		run(t, l, s)
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(upTo(l.Len()), s.seqs(t)); d != "" {
			t.Error("in the end:", d)
		}
	})
}

// proves: A93
func TestEventsOfAWindowAreOneBatch(t *testing.T) {
	onShelf(t, func(t *testing.T, l *Log, s *shelf) {
		for i := range 20 {
			feed(t, l, user(fmt.Sprint(i), ""))
			time.Sleep(10 * time.Millisecond)
		}
		synctest.Wait()
		if d := cmp.Diff([]int{20}, s.sizes()); d != "" {
			t.Error(d)
		}
		if s.syncs > 0 {
			t.Error("a window is no barrier")
		}
		feed(t, l, user("late", ""))
		time.Sleep(199 * time.Millisecond)
		synctest.Wait()
		if got := len(s.sizes()); got != 1 {
			t.Errorf("%d batches before the window was over", got)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if d := cmp.Diff([]int{20, 1}, s.sizes()); d != "" {
			t.Error(d)
		}
	})
}

func TestManyBytesDoNotWait(t *testing.T) {
	onShelf(t, func(t *testing.T, l *Log, s *shelf) {
		big := strings.Repeat("x", 100<<10)
		feed(t, l, user("a", big), user("b", big), user("c", big))
		synctest.Wait()
		time.Sleep(time.Millisecond)
		if d := cmp.Diff([]int{3}, s.sizes()); d != "" {
			t.Error(d)
		}
		for i := range 20 {
			feed(t, l, user(fmt.Sprint(i), big))
			time.Sleep(time.Second)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.syncs == 0 {
			t.Error("lines without a barrier pile up in memory")
		}
		l.behind.mu.Lock()
		defer l.behind.mu.Unlock()
		if got := l.behind.size; got > syncBytes+200<<10 {
			t.Errorf("%d bytes are kept", got)
		}
	})
}

func TestFlushIsABarrier(t *testing.T) {
	onShelf(t, func(t *testing.T, l *Log, s *shelf) {
		feed(t, l, user("a", ""), user("b", ""))
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s.durable != 2 {
			t.Errorf("%d events are durable", s.durable)
		}
		if err := l.Flush(t.Context()); err != nil || s.syncs != 1 {
			t.Errorf("a flush of nothing syncs: %d, %v", s.syncs, err)
		}
	})
}

// proves: A94
func TestFailedWriteKeepsItsBatch(t *testing.T) {
	onShelf(t, func(t *testing.T, l *Log, s *shelf) {
		s.set(true, false)
		feed(t, l, user("a", ""), user("b", ""))
		time.Sleep(time.Second)
		feed(t, l, user("c", ""))
		s.set(false, false)
		time.Sleep(time.Hour)
		if got := s.sizes(); got != nil {
			t.Errorf("written by itself after a failure: %v", got)
		}
		s.set(true, false)
		err := l.Flush(t.Context())
		var why *Error
		if !errors.As(err, &why) || why.Kind != CodeStore || !errors.Is(err, errFull) {
			t.Errorf("flush on a full disk: %v", err)
		}
		s.set(false, false)
		if err := l.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(upTo(3), s.seqs(t)); d != "" {
			t.Error(d)
		}
		feed(t, l, user("d", ""))
		time.Sleep(writeWindow)
		synctest.Wait()
		if d := cmp.Diff([]int{3, 1}, s.sizes()); d != "" {
			t.Error("windows do not open again:", d)
		}
	})
}

// A flush that fails shuts the window that was open.
func TestFailedFlushStopsTheWindow(t *testing.T) {
	onShelf(t, func(t *testing.T, l *Log, s *shelf) {
		feed(t, l, user("a", ""))
		s.set(true, false)
		if err := l.Flush(t.Context()); !errors.Is(err, errFull) {
			t.Fatal(err)
		}
		s.set(false, false)
		time.Sleep(time.Hour)
		if got := s.sizes(); got != nil {
			t.Errorf("written by itself after a failure: %v", got)
		}
	})
}

// An event that comes while a flush mends an earlier failure is not forgotten.
func TestEventDuringTheMendingFlush(t *testing.T) {
	onShelf(t, func(t *testing.T, l *Log, s *shelf) {
		s.set(true, false)
		feed(t, l, user("a", ""))
		time.Sleep(time.Second)
		s.set(false, false)
		s.pace(time.Minute)
		go func() {
			time.Sleep(time.Second)
			feed(t, l, user("b", ""))
		}()
		if err := l.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		if d := cmp.Diff([]int{1, 1}, s.sizes()); d != "" {
			t.Error(d)
		}
	})
}

func TestFailedSyncIsWrittenAgain(t *testing.T) {
	onShelf(t, func(t *testing.T, l *Log, s *shelf) {
		feed(t, l, user("a", ""))
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		feed(t, l, user("b", ""))
		time.Sleep(time.Second) // written by the window
		feed(t, l, user("c", ""))
		s.set(false, true)
		if err := l.Flush(t.Context()); !errors.Is(err, errFull) {
			t.Fatal(err)
		}
		feed(t, l, user("d", ""))
		s.set(false, false)
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(upTo(4), s.seqs(t)); d != "" || s.durable != 4 {
			t.Error(d, s.durable)
		}
	})
}

// proves: A95
func TestConcurrentFlushes(t *testing.T) {
	onShelf(t, func(t *testing.T, l *Log, s *shelf) {
		s.pace(50 * time.Millisecond)
		var group sync.WaitGroup
		for i := range 10 {
			group.Go(func() {
				seq := feed(t, l, user(fmt.Sprint(i), ""))
				if err := l.Flush(t.Context()); err != nil {
					t.Error(err)
				}
				s.mu.Lock()
				defer s.mu.Unlock()
				if s.durable <= int(seq) {
					t.Errorf("event %d is not durable after its flush", seq)
				}
			})
		}
		group.Wait()
		if got := len(s.sizes()); got > 2 {
			t.Errorf("%d writes for flushes at one time", got)
		}
	})
}

func TestFlushEndsWithItsContext(t *testing.T) {
	onShelf(t, func(t *testing.T, l *Log, s *shelf) {
		s.pace(time.Hour)
		feed(t, l, user("a", ""))
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		s.pace(0)
	})
}

// A seed that is refused leaves the sink alone.
func TestRefusedSeedWritesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{}
		seed := []Event{{Seq: 0, Data: user("a", "")}, {Seq: 1, Data: ended(4)}}
		if _, err := New(plainHeader, Options{Sink: s, Seed: seed}); err == nil {
			t.Fatal("taken")
		}
		time.Sleep(time.Hour)
		if got := s.sizes(); got != nil {
			t.Errorf("written: %v", got)
		}
	})
}

func TestStoreAndSeedMustFit(t *testing.T) {
	s := &shelf{lines: []string{"x"}}
	var why *Error
	if _, err := New(plainHeader, Options{Sink: s}); !errors.As(err, &why) || why.Kind != CodeSeed {
		t.Errorf("got %v", err)
	}
}
