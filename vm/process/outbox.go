package process

import (
	"io"
	"sync"
)

// outbox sends frames in the order in which they were put in. Putting never
// blocks: what waits is bounded by the calls that are open.
//
// Concurrency: put and close may be called from any goroutine; one goroutine
// runs send.
type outbox struct {
	wake chan struct{} // size 1: there may be frames

	mu     sync.Mutex
	queue  []byte // whole frames
	closed bool
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

func (o *outbox) put(w *builder) {
	o.mu.Lock()
	if !o.closed {
		o.queue = append(o.queue, w.bytes()...)
	}
	o.mu.Unlock()
	o.nudge()
}

func (o *outbox) nudge() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// close forgets what was not sent and ends send.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed, o.queue = true, nil
	o.mu.Unlock()
	o.nudge()
}

// send writes until the box is closed or the reader has gone. Frames that came
// meanwhile go out in one piece.
func (o *outbox) send(to io.Writer) {
	var spare []byte
	for range o.wake {
		o.mu.Lock()
		batch, closed := o.queue, o.closed
		o.queue = spare[:0]
		o.mu.Unlock()
		if closed {
			return
		}
		if len(batch) > 0 {
			if _, err := to.Write(batch); err != nil {
				return // the end of the other side says the rest
			}
		}
		if spare = batch; cap(spare) > firstPart {
			spare = nil
		}
	}
}
