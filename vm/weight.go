package vm

import (
	"runtime"
	"runtime/metrics"
)

// weight estimates what a realm holds. The heap is one for the whole process, so
// it counts how much the heap grew while the realm's own stretches ran, and
// before it believes that, it has the garbage collected and looks at what the
// process holds more than when the realm began.
//
// Concurrency: the guard's mutex guards it.
type weight struct {
	limit int64
	floor int64 // of the process when the realm began
	last  int64 // of the process at the last look
	own   int64 // growth while the realm ran
}

// weighEvery is how often a running stretch is looked at, in milliseconds.
const weighEvery = 5

func newWeight(limit int64) weight {
	now := heapBytes()
	return weight{limit: limit, floor: now, last: now}
}

// begin marks the start of a stretch.
func (w *weight) begin() { w.last = heapBytes() }

// look adds what the heap grew by since the last look, and tells whether that is
// more than the realm may hold.
func (w *weight) look() bool {
	now := heapBytes()
	w.own = max(0, w.own+now-w.last)
	w.last = now
	return w.own > w.limit
}

// weighed takes in what the process held after a collection, and tells whether
// the realm holds too much. If not, a part of its limit must come anew before
// the next collection.
func (w *weight) weighed(now int64) bool {
	w.last = now
	held := min(w.own, now-w.floor)
	if held > w.limit {
		return true
	}
	w.own = max(0, min(held, w.limit-w.limit/8))
	return false
}

// collected is what the process holds when the garbage is gone.
func collected() int64 {
	runtime.GC()
	return heapBytes()
}

// heapBytes is what objects take in the heap of the process, garbage included.
func heapBytes() int64 {
	read := [1]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(read[:])
	return int64(read[0].Value.Uint64())
}
