package vm

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// thread is the operating system's thread that runs a stretch of script. The
// loop is bound to it meanwhile, so that its processor time is the script's.
type thread struct{ id int }

// bindThread binds the calling goroutine to its thread until it calls release.
func bindThread() thread {
	runtime.LockOSThread()
	return thread{unix.Gettid()}
}

func (thread) release() { runtime.UnlockOSThread() }

// used is the processor time that the thread has had so far. Any goroutine may
// ask.
func (t thread) used() (time.Duration, bool) {
	// The clock of another thread: its id inverted, above the bits for "one
	// thread" and "time that it was scheduled".
	const perThread, scheduled = 4, 2
	var ts unix.Timespec
	if t.id == 0 || unix.ClockGettime(int32(^t.id<<3|perThread|scheduled), &ts) != nil {
		return 0, false
	}
	return time.Duration(ts.Nano()), true
}
