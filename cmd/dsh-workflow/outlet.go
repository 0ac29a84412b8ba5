package main

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
)

// outlet is stdout. It remembers the first write that failed, and fails all later
// ones, so that no command has to ask whether somebody still reads.
//
// Concurrency: any goroutine may write.
type outlet struct {
	w io.Writer

	mu  sync.Mutex
	err error
}

// Write fails for good after the first write that did.
func (o *outlet) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(b)
	if err != nil {
		o.err = fmt.Errorf("stdout could not be written: %w", err)
	}
	return n, o.err
}

// unread says why stdout is not worth writing to any more; nil if it is.
func (e env) unread() error {
	o, ok := e.stdout.(*outlet)
	if !ok {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// verdict is how a command ended that ended with err. Where its reader has gone
// away there is nothing to say to anybody, and the code is that of a process that
// SIGPIPE ended; what went wrong beside that counts more.
func (o *outlet) verdict(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var own *exitError
	switch {
	case o.err == nil, errors.As(err, &own):
		return err
	case errors.Is(o.err, syscall.EPIPE):
		return &exitError{code: exitPipe}
	case err != nil:
		return err
	}
	return o.err
}
