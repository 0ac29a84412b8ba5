package process

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/proc"
	"github.com/dsh-go/dsh-workflow/vm"
)

// silence is how many times the bound of a stretch a realm may say nothing when
// it was asked whether it lives. A part of it that runs no script answers, so
// only a process that is stopped, or that gets no processor, is silent.
const silence = 6

// pulse watches that the process lives.
type pulse struct {
	limit  time.Duration
	heard  atomic.Int64 // unix nanoseconds
	busy   atomic.Bool  // the host itself is at work, and nobody listens
	silent atomic.Bool  // it was ended for its silence
}

func (p *pulse) beat() { p.heard.Store(time.Now().UnixNano()) }

// watch asks for a sign of life three times within the limit.
func (p *pulse) watch(s *session) *time.Timer {
	p.beat()
	every := p.limit / 3
	var timer *time.Timer
	known := make(chan struct{}) // the first round needs the timer itself
	timer = time.AfterFunc(every, func() {
		<-known
		defer timer.Reset(every)
		switch {
		case p.busy.Load():
			p.beat()
		case time.Since(time.Unix(0, p.heard.Load())) > p.limit:
			p.silent.Store(true)
			s.child.Kill()
		default:
			s.outbox.put(frame(tellsPing))
		}
	})
	close(known)
	return timer
}

// broke ends a run whose realm said something that makes no sense.
func (s *session) broke(err error) error {
	return &vm.PanicError{Value: fmt.Sprintf("the process of the script broke the protocol: %v", err)}
}

// died tells why the process is gone.
func (s *session) died(err error) error {
	if !atEnd(err) {
		return s.broke(err)
	}
	// Its pipe is at its end; the rest of it follows, or is made to.
	late := time.AfterFunc(time.Second, s.child.Kill)
	defer late.Stop()
	exit := s.child.Exit()
	switch {
	case s.pulse.silent.Load():
		return &vm.LimitError{Limit: vm.CodeSyncTimeout, Reason: fmt.Sprintf(
			"the process of the script gave no sign of life for %s and was ended", s.pulse.limit)}
	case outOfMemory(exit):
		return &vm.LimitError{Limit: vm.CodeMemory, Reason: "the process of the script was ended because it ran out of memory: " + epitaph(exit)}
	case strings.Contains(exit.Stderr, "stack exceeds") || strings.Contains(exit.Stderr, "stack overflow"):
		return &vm.LimitError{Limit: vm.CodeStack, Reason: "the process of the script was ended because the engine recursed too deeply"}
	}
	return &vm.PanicError{Value: "the process of the script crashed: " + epitaph(exit), Stack: []byte(exit.Stderr)}
}

// outOfMemory tells an end for want of memory: the realm's own, or the runtime's.
func outOfMemory(e proc.Exit) bool {
	return e.Code == exitMemory ||
		strings.Contains(e.Stderr, "out of memory") || strings.Contains(e.Stderr, "cannot allocate memory")
}

// epitaph is one line about how a process ended.
func epitaph(e proc.Exit) string {
	line, _, _ := strings.Cut(strings.TrimSpace(valid(e.Stderr)), "\n")
	switch {
	case e.Signal != "" && line != "":
		return e.Signal + ", " + line
	case e.Signal == "SIGKILL":
		return "SIGKILL, which the kernel sends when the machine has no memory left"
	case e.Signal != "":
		return e.Signal
	case line != "":
		return line
	}
	return fmt.Sprintf("exit status %d", e.Code)
}
