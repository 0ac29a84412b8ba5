package eventlog

import (
	"context"
	"iter"
	"sync"
)

// Log is an append-only sequence of entries, numbered from 0. The zero value is
// an empty log, ready for use; a Log must not be copied.
//
// Entries are shared with all readers: whoever appends one hands it over for
// good, and readers do not change what they get.
//
// Concurrency: every method may be called from any goroutine, also after Close.
type Log[T any] struct {
	mu      sync.Mutex
	entries []T
	closed  bool
	grown   chan struct{} // closed on the next growth; nil while nobody waits
}

// New returns an empty log.
func New[T any]() *Log[T] { return new(Log[T]) }

// Append adds entries at the end and returns the index of the first. When the
// log is closed it adds nothing and returns -1.
func (l *Log[T]) Append(entries ...T) (first int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return -1
	}
	first = len(l.entries)
	l.entries = append(l.entries, entries...)
	l.wake()
	return first
}

// Close says that nothing more will come: followers end after the last entry.
// Closing twice does nothing.
func (l *Log[T]) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.wake()
}

// wake ends the wait of every follower; the caller holds mu.
func (l *Log[T]) wake() {
	if l.grown != nil {
		close(l.grown)
		l.grown = nil
	}
}

// Len returns how many entries the log has.
func (l *Log[T]) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries)
}

// At returns entry i. Like a slice, it panics when i is not below Len.
func (l *Log[T]) At(i int) T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.entries[i]
}

// From returns the entries from index from on that exist now. The slice is a
// window of the log: it may be kept but not written to. A from beyond the end
// gives none, a negative one counts as 0.
func (l *Log[T]) From(from int) []T {
	entries, _, _ := l.read(from)
	return entries
}

// Follow yields the entries from index from on, with their indices, and waits
// for more until the log is closed or ctx ends. Whatever was appended before
// Close is yielded. The entry that is being handled when ctx ends is the last.
// The sequence may be ranged over more than once and by many goroutines.
func (l *Log[T]) Follow(ctx context.Context, from int) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		next := max(from, 0)
		for {
			entries, grown, closed := l.read(next)
			for _, entry := range entries {
				if ctx.Err() != nil || !yield(next, entry) {
					return
				}
				next++
			}
			if len(entries) > 0 {
				continue
			}
			if closed {
				return
			}
			select {
			case <-grown:
			case <-ctx.Done():
				return
			}
		}
	}
}

// read returns what stands at from and beyond, and, when that is nothing, the
// channel that closes once there is more.
func (l *Log[T]) read(from int) (entries []T, grown <-chan struct{}, closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	from = max(from, 0)
	if from < len(l.entries) {
		// The capacity is cut so that an append by the caller cannot reach the log.
		return l.entries[from:len(l.entries):len(l.entries)], nil, l.closed
	}
	if l.grown == nil && !l.closed {
		l.grown = make(chan struct{})
	}
	return nil, l.grown, l.closed
}
