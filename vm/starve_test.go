package vm

import (
	"testing"
	"time"

	"github.com/dop251/goja"
)

// TestStarvedStretchIsExcused has the timer fire on a stretch that had less of a
// processor than its bound: it may go on, but not for ever.
func TestStarvedStretchIsExcused(t *testing.T) {
	const limit = 100 * time.Millisecond
	g := newGuard(goja.New(), Options{SyncLimit: limit}.withDefaults())
	if err := g.enter(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.leave(); err != nil {
			t.Error(err)
		}
	}()
	if _, known := g.thread.used(); !known {
		t.Skip("the processor time of a thread is not known on this system: stretches are measured by the clock")
	}
	g.timer.Stop()
	late := func(by time.Duration) bool {
		g.mu.Lock()
		g.began = time.Now().Add(-by)
		g.deadline = g.began
		g.mu.Unlock()
		defer g.timer.Stop()
		return g.excused()
	}
	if !late(2 * limit) {
		t.Error("a stretch that used next to nothing was not excused")
	}
	if late(starvation * limit) {
		t.Error("a stretch was excused without end")
	}
	for {
		if used, _ := g.thread.used(); used-g.spent > limit {
			break
		}
	}
	if late(2 * limit) {
		t.Error("a stretch that used its bound was excused")
	}
}
