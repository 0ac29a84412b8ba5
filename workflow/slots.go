package workflow

import "sync"

// slots lets a bounded number of calls run at once, first come first served.
//
// Concurrency: every method may be called from any goroutine. start functions
// are called without the lock, each from the goroutine that freed its slot.
type slots struct {
	mu     sync.Mutex
	free   int
	closed bool
	held   bool // nobody is started
	queue  []waiting
}

type waiting struct {
	seq   Seq
	start func()
}

func newSlots(n int) *slots { return &slots{free: n} }

// join runs start at once if a slot is free, else when its turn comes. It
// reports false when no call is started any more.
func (s *slots) join(seq Seq, start func()) bool {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return false
	}
	s.queue = append(s.queue, waiting{seq, start})
	s.mu.Unlock()
	s.dispatch()
	return true
}

// release frees one slot and starts whoever waits for it.
func (s *slots) release() {
	s.mu.Lock()
	s.free++
	s.mu.Unlock()
	s.dispatch()
}

func (s *slots) dispatch() {
	for {
		s.mu.Lock()
		if s.closed || s.held || s.free == 0 || len(s.queue) == 0 {
			s.mu.Unlock()
			return
		}
		next := s.queue[0]
		s.queue[0] = waiting{}
		s.queue = s.queue[1:]
		s.free--
		s.mu.Unlock()
		next.start()
	}
}

// hold starts nobody until unhold. It reports false if that is so already; else
// note is called before anybody can see the change.
func (s *slots) hold(note func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held || s.closed {
		return false
	}
	s.held = true
	note()
	return true
}

// unhold starts whoever waits. It reports false if nobody was held.
func (s *slots) unhold(note func()) bool {
	s.mu.Lock()
	if !s.held {
		s.mu.Unlock()
		return false
	}
	s.held = false
	note()
	s.mu.Unlock()
	s.dispatch()
	return true
}

func (s *slots) isHeld() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// close starts nothing any more and returns the calls that still waited.
func (s *slots) close() []Seq {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	left := make([]Seq, len(s.queue))
	for i, w := range s.queue {
		left[i] = w.seq
	}
	s.queue = nil
	return left
}
