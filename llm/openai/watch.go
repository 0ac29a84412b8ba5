package openai

import (
	"io"
	"time"
)

// Grace periods after the evidence of a complete answer.
const (
	finishGrace = 5 * time.Second       // for counters and end mark after a finish reason
	drainGrace  = 50 * time.Millisecond // for the end of the body after the end mark
	drainBytes  = 64 << 10
)

// watchdog calls a function when a read takes longer than the longest silence.
// It rests while the reader of the answer is busy, which is not the server's
// fault.
//
// Concurrency: all methods belong to the goroutine that reads; only the
// function given to newWatchdog runs elsewhere.
type watchdog struct {
	timer   *time.Timer
	silence time.Duration
}

func newWatchdog(silence time.Duration, bark func()) *watchdog {
	w := &watchdog{timer: time.AfterFunc(silence, bark), silence: silence}
	w.timer.Stop()
	return w
}

func (w *watchdog) arm(d time.Duration) { w.timer.Reset(d) }
func (w *watchdog) rest()               { w.timer.Stop() }

// hurry lowers the longest silence to d.
func (w *watchdog) hurry(d time.Duration) { w.silence = min(w.silence, d) }

// watchedReader arms the watchdog for the time of each read.
type watchedReader struct {
	src   io.Reader
	watch *watchdog
}

// Read reads once.
func (r watchedReader) Read(p []byte) (int, error) {
	r.watch.arm(r.watch.silence)
	n, err := r.src.Read(p)
	r.watch.rest()
	return n, err
}
