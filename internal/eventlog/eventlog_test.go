package eventlog_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/eventlog"
	"github.com/google/go-cmp/cmp"
)

// collect follows a log to its end.
func collect(ctx context.Context, l *eventlog.Log[int], from int) []int {
	var got []int
	for i, v := range l.Follow(ctx, from) {
		if i != v {
			return append(got, -1)
		}
		got = append(got, v)
	}
	return got
}

func numbers(from, to int) []int {
	var all []int
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}

// proves: W200
func TestReadersOfAnySpeedSeeEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eventlog.New[int]()
		var group sync.WaitGroup
		for _, from := range []int{0, 3, 9, -2} {
			for _, delay := range []time.Duration{0, time.Second, time.Hour} {
				group.Go(func() {
					time.Sleep(delay) // late
					var got []int
					for _, v := range l.Follow(t.Context(), from) {
						got = append(got, v)
						time.Sleep(delay) // slow
					}
					if d := cmp.Diff(numbers(max(from, 0), 10), got); d != "" {
						t.Errorf("from %d, delay %v: %s", from, delay, d)
					}
				})
			}
		}
		for i := range 10 {
			if first := l.Append(i); first != i {
				t.Errorf("Append gave %d, want %d", first, i)
			}
			time.Sleep(time.Minute)
		}
		l.Close()
		group.Wait()
		if d := cmp.Diff(numbers(0, 10), collect(t.Context(), l, 0)); d != "" {
			t.Error("after the end:", d)
		}
	})
}

func TestFollowEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eventlog.New[int]()
		l.Append(0, 1)
		ctx, cancel := context.WithCancel(t.Context())
		var got []int
		done := make(chan struct{})
		go func() {
			defer close(done)
			got = collect(ctx, l, 0)
		}()
		synctest.Wait()
		cancel()
		<-done
		if d := cmp.Diff([]int{0, 1}, got); d != "" {
			t.Error(d)
		}
		again, stop := context.WithCancel(t.Context())
		defer stop()
		seen := 0
		for range l.Follow(again, 0) {
			seen++
			stop()
		}
		if seen != 1 {
			t.Errorf("%d entries after the context ended, want the first only", seen)
		}
	})
}

func TestBreakAndFollowAgain(t *testing.T) {
	l := eventlog.New[int]()
	l.Append(0, 1, 2)
	l.Close()
	follow := l.Follow(t.Context(), 1)
	for range 2 {
		for i, v := range follow {
			if i != 1 || v != 1 {
				t.Errorf("got %d at %d", v, i)
			}
			break
		}
	}
}

func TestClosedLogTakesNothing(t *testing.T) {
	l := eventlog.New[int]()
	l.Append(0)
	l.Close()
	l.Close()
	if first := l.Append(1); first != -1 || l.Len() != 1 || l.At(0) != 0 {
		t.Errorf("Append gave %d, length %d", first, l.Len())
	}
}

func TestWindowCannotReachTheLog(t *testing.T) {
	l := eventlog.New[int]()
	l.Append(0, 1)
	l.Append(2)
	_ = append(l.From(0), 99)
	l.Append(3)
	_ = append(l.From(0)[:4], 99)
	if v := l.At(3); v != 3 {
		t.Errorf("entry 3 is %d", v)
	}
	if got := l.From(7); len(got) != 0 {
		t.Errorf("beyond the end: %v", got)
	}
}

func TestManyWriters(t *testing.T) {
	l := eventlog.New[string]()
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			for i := range 200 {
				l.Append(fmt.Sprintf("%d-%d a", w, i), fmt.Sprintf("%d-%d b", w, i))
			}
		})
	}
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			n, last := 0, ""
			for i, v := range l.Follow(t.Context(), 0) {
				if i != n {
					t.Errorf("index %d, want %d", i, n)
				}
				if n%2 == 1 && v != last[:len(last)-1]+"b" {
					t.Errorf("%q follows %q: one append was torn apart", v, last)
				}
				n, last = n+1, v
			}
			if n != 8*200*2 {
				t.Errorf("%d entries", n)
			}
		})
	}
	group.Wait()
	l.Close()
	readers.Wait()
}
