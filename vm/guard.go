package vm

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/dop251/goja"
)

// guard bounds every stretch of script and stops the one that runs when the run
// must end. Once it has stopped a realm, nothing enters that realm again.
//
// Concurrency: enter and leave belong to the loop; cut may be called from any
// goroutine, also while no script runs.
type guard struct {
	rt    *goja.Runtime
	limit time.Duration
	timer *time.Timer

	mu       sync.Mutex
	running  bool
	deadline time.Time
	cause    error // first reason; once set the realm is dead
}

func newGuard(rt *goja.Runtime, limit time.Duration) *guard {
	g := &guard{rt: rt, limit: limit}
	g.timer = time.AfterFunc(limit, g.expire)
	g.timer.Stop()
	return g
}

// expire runs on the timer's goroutine. A late one, whose stretch has already
// ended, finds a later deadline and does nothing.
func (g *guard) expire() {
	g.mu.Lock()
	late := !g.running || time.Now().Before(g.deadline)
	g.mu.Unlock()
	if late {
		return
	}
	g.cut(&LimitError{
		Limit:  CodeSyncTimeout,
		Reason: fmt.Sprintf("workflow script timed out: it ran for %s without reaching an await", g.limit),
	})
}

// cut ends the realm. The first cause wins.
func (g *guard) cut(cause error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cause == nil {
		g.cause = cause
	}
	if g.running {
		g.rt.Interrupt(g.cause)
	}
}

func (g *guard) enter() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cause != nil {
		return g.cause
	}
	g.running = true
	g.deadline = time.Now().Add(g.limit)
	g.timer.Reset(g.limit)
	return nil
}

func (g *guard) leave() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = false
	g.timer.Stop()
	return g.cause
}

// dead reports why the realm must not go on, for native code that runs long.
func (g *guard) dead() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.cause
}

// slice runs one bounded stretch of script together with its microtasks. An
// error of it is final unless it is a *goja.Exception.
func (r *realm) slice(f func() error) (err error) {
	if err := r.guard.enter(); err != nil {
		return err
	}
	defer func() {
		if x := recover(); x != nil {
			err = &PanicError{Value: x, Stack: debug.Stack()}
			r.guard.cut(err)
		}
		if cause := r.guard.leave(); cause != nil {
			err = placed(cause, err, r.file)
		}
	}()
	err = f()
	var overflow *goja.StackOverflowError
	if errors.As(err, &overflow) {
		limit := &LimitError{
			Limit:  CodeStack,
			Reason: fmt.Sprintf("workflow script recursed too deeply (more than %d calls)", r.opts.MaxStack),
			Pos:    firstFrame(overflow.Stack(), r.file),
		}
		r.guard.cut(limit)
		return limit
	}
	return err
}

// placed gives a limit the place where the script was when it struck.
func placed(cause, stopped error, file string) error {
	var limit *LimitError
	var interrupted *goja.InterruptedError
	if !errors.As(cause, &limit) || limit.Pos.Line != 0 || !errors.As(stopped, &interrupted) {
		return cause
	}
	there := *limit
	there.Pos = firstFrame(interrupted.Stack(), file)
	return &there
}

// firstFrame is the innermost frame that lies in the script.
func firstFrame(stack []goja.StackFrame, file string) Position {
	for i := range stack {
		if stack[i].SrcName() == file {
			p := stack[i].Position()
			return Position{Line: max(1, p.Line), Column: max(1, p.Column)}
		}
	}
	return Position{}
}
