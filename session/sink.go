package session

import (
	"context"
	"sync"
	"time"
)

// Sink keeps the lines of one log. [FileSink] is one.
//
// Concurrency: the log calls one method at a time.
type Sink interface {
	// Len returns how many events the sink holds; they carry the numbers below it.
	Len() int
	// Append adds the lines of the events from number first on, all or none.
	Append(first Seq, lines [][]byte) error
	// Sync makes everything durable that was appended. When it fails, what was
	// appended since the last good Sync is gone from the sink, Len says so, and
	// it must be appended again.
	Sync() error
	// Close releases the sink. Lines that were not synced may be lost.
	Close() error
}

const (
	// writeWindow is how long an event may wait for company before it is written.
	// A crash of the process loses at most this much of what no barrier covered.
	writeWindow = 200 * time.Millisecond
	// writeBytes of waiting lines are written at once.
	writeBytes = 256 << 10
	// syncBytes of lines without a barrier are synced, so that they need not be
	// kept in memory any longer.
	syncBytes = 1 << 20
)

// writeBehind gathers lines and hands them to a sink in batches. A line stays in
// memory until it is durable, so that a disk that refuses loses nothing.
//
// Concurrency: methods may be called from any goroutine. Whoever has put a token
// into writing is the one that talks to the sink.
type writeBehind struct {
	sink    Sink
	writing chan struct{}

	mu      sync.Mutex
	first   Seq         // number of lines[0]
	lines   [][]byte    // not durable yet, oldest first
	written int         // how many of lines the sink has taken
	size    int         // bytes of lines
	waiting int         // bytes of lines that the sink has not taken
	timer   *time.Timer // the open window, nil when there is none
	failed  error       // the last write failed; no write by itself until a flush
}

func newWriteBehind(sink Sink) *writeBehind {
	return &writeBehind{sink: sink, writing: make(chan struct{}, 1), first: Seq(sink.Len())}
}

// add takes the line of event seq. It never waits for the sink.
func (w *writeBehind) add(seq Seq, line []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.lines) == 0 {
		w.first = seq
	}
	w.lines = append(w.lines, line)
	w.size += len(line)
	w.waiting += len(line)
	if w.failed != nil {
		return
	}
	switch {
	case w.timer == nil:
		w.timer = time.AfterFunc(writeWindow, w.background)
	case w.waiting >= writeBytes && w.waiting-len(line) < writeBytes:
		w.timer.Reset(0)
	}
}

// background writes when the window is over.
func (w *writeBehind) background() {
	w.writing <- struct{}{}
	defer func() { <-w.writing }()
	w.mu.Lock()
	w.timer = nil
	idle := w.failed != nil
	full := w.size >= syncBytes
	w.mu.Unlock()
	if idle || w.write() != nil {
		return
	}
	if full {
		_ = w.sync() // the failure is kept and shows at the next flush
	}
}

// flush makes everything durable that was added before the call.
func (w *writeBehind) flush(ctx context.Context) error {
	select {
	case w.writing <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-w.writing }()
	if err := w.write(); err != nil {
		return err
	}
	return w.sync()
}

// write hands the waiting lines to the sink; the caller has the token.
func (w *writeBehind) write() error {
	w.mu.Lock()
	first, batch := w.first+Seq(w.written), w.lines[w.written:]
	w.mu.Unlock()
	if len(batch) == 0 {
		return nil
	}
	err := w.sink.Append(first, batch)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = err
	if err != nil {
		return err
	}
	w.written += len(batch)
	for _, line := range batch {
		w.waiting -= len(line)
	}
	if w.waiting > 0 && w.timer == nil {
		w.timer = time.AfterFunc(writeWindow, w.background) // came while a failure held the window shut
	}
	return nil
}

// sync makes the written lines durable and lets go of them; the caller has the
// token.
func (w *writeBehind) sync() error {
	w.mu.Lock()
	none := w.written == 0
	w.mu.Unlock()
	if none {
		return nil
	}
	err := w.sink.Sync()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = err
	if err != nil {
		w.written, w.waiting = 0, w.size
		return err
	}
	for _, line := range w.lines[:w.written] {
		w.size -= len(line)
	}
	w.first += Seq(w.written)
	rest := w.lines[w.written:]
	w.lines, w.written = nil, 0
	if len(rest) > 0 {
		w.lines = append(w.lines, rest...)
	}
	return nil
}

// discard forgets all lines and leaves the sink to its owner.
func (w *writeBehind) discard() {
	w.writing <- struct{}{}
	defer func() { <-w.writing }()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
	w.lines, w.written, w.size, w.waiting = nil, 0, 0, 0
}

// close makes what it can durable and closes the sink.
func (w *writeBehind) close() error {
	err := w.flush(context.Background())
	w.mu.Lock()
	if w.timer != nil {
		w.timer.Stop()
	}
	w.mu.Unlock()
	if closeErr := w.sink.Close(); err == nil {
		err = closeErr
	}
	return err
}
