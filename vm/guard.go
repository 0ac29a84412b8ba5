package vm

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
	"unicode/utf8"

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
	timer *time.Timer // ends a stretch
	scale *time.Timer // weighs the realm in a stretch

	mu       sync.Mutex
	running  bool
	thread   thread // that runs the stretch
	deadline time.Time
	began    time.Time
	spent    time.Duration // processor time of the thread when the stretch began
	cause    error         // first reason; once set the realm is dead
	died     chan struct{} // closed when cause is set
	weight   weight
}

// starvation is how many times its bound a stretch may last on the clock while
// the processors are busy with something else. The bound of a regular expression
// of the engine caps it: a match that was given up must never read as no match.
const starvation = 6

func newGuard(rt *goja.Runtime, o Options) *guard {
	g := &guard{rt: rt, limit: o.SyncLimit, died: make(chan struct{}), weight: newWeight(o.MaxMemory)}
	g.timer = time.AfterFunc(o.SyncLimit, g.expire)
	g.timer.Stop()
	g.scale = time.AfterFunc(time.Hour, g.weigh)
	g.scale.Stop()
	return g
}

// expire runs on the timer's goroutine. A late one, whose stretch has already
// ended, finds a later deadline and does nothing.
func (g *guard) expire() {
	if g.excused() {
		return
	}
	g.cut(&LimitError{
		Limit:  CodeSyncTimeout,
		Reason: fmt.Sprintf("workflow script timed out: it ran for %s without reaching an await", g.limit),
	})
}

// excused tells whether the stretch at hand may go on: it is another one, or the
// script had less of a processor than its bound, because others had it.
func (g *guard) excused() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if !g.running || now.Before(g.deadline) {
		return true
	}
	used, known := g.thread.used()
	left := g.limit - (used - g.spent)
	most := min(starvation*g.limit, regexBound()) - now.Sub(g.began)
	if !known || left <= 0 || most <= 0 {
		return false
	}
	left = min(left, most)
	g.deadline = now.Add(left)
	g.timer.Reset(left)
	return true
}

// weigh runs on a timer's goroutine while a stretch runs.
func (g *guard) weigh() {
	g.mu.Lock()
	suspect := g.running && g.weight.look()
	if g.running && !suspect {
		g.scale.Reset(weighEvery * time.Millisecond)
	}
	g.mu.Unlock()
	if !suspect {
		return
	}
	now := collected()
	g.mu.Lock()
	over := g.weight.weighed(now)
	if g.running && !over {
		g.scale.Reset(weighEvery * time.Millisecond)
	}
	g.mu.Unlock()
	if over {
		g.cut(&LimitError{Limit: CodeMemory, Reason: fmt.Sprintf(
			"the script holds more memory than it may (%d MiB)", g.weight.limit>>20)})
	}
}

// cut ends the realm. The first cause wins.
func (g *guard) cut(cause error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cause == nil {
		g.cause = cause
		close(g.died)
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
	g.weight.begin()
	g.scale.Reset(weighEvery * time.Millisecond)
	g.thread = bindThread()
	g.began = time.Now()
	g.deadline = g.began.Add(g.limit)
	g.spent, _ = g.thread.used()
	g.timer.Reset(g.limit)
	return nil
}

func (g *guard) leave() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running {
		g.thread.release()
		g.weight.look() // what is too much is stopped in the next stretch
	}
	g.running = false
	g.timer.Stop()
	g.scale.Stop()
	return g.cause
}

// dead reports why the realm must not go on, for native code that runs long.
func (g *guard) dead() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.cause
}

// matching is dead for the matcher of regular expressions, which asks while a long
// match goes on: then that is what the time went into.
func (g *guard) matching() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if limit, ok := g.cause.(*LimitError); ok && limit.Limit == CodeSyncTimeout {
		g.cause = &LimitError{Limit: CodeRegex, Reason: fmt.Sprintf(
			"a regular expression was still being matched when the script had run for %s without reaching an await; "+
				"nested quantifiers such as (a+)+ backtrack without end", g.limit)}
	}
	return g.cause
}

// stuck is the error of a realm that was left behind.
func (g *guard) stuck() error {
	cause := g.dead()
	var limit *LimitError
	if !errors.As(cause, &limit) {
		return cause
	}
	left := *limit
	left.Reason += "; a built-in call could not be stopped and still runs"
	return &left
}

// slice runs one bounded stretch of script together with its microtasks. An
// error of it is final.
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
			err = r.placed(cause, err)
		}
	}()
	err = f()
	// Never errors.As on an exception of the engine: its Unwrap may run a getter.
	switch fault := err.(type) {
	case *goja.Exception:
		return &PanicError{Value: fault.Error()}
	case *goja.StackOverflowError:
		limit := &LimitError{
			Limit:  CodeStack,
			Reason: fmt.Sprintf("workflow script recursed too deeply (more than %d calls)", r.opts.MaxStack),
			Pos:    r.firstFrame(fault.Stack()),
		}
		r.guard.cut(limit)
		return limit
	}
	return err
}

// placed gives a limit the place where the script was when it struck.
func (r *realm) placed(cause, stopped error) error {
	var limit *LimitError
	interrupted, ok := stopped.(*goja.InterruptedError)
	if !ok || !errors.As(cause, &limit) || limit.Pos.Line != 0 {
		return cause
	}
	there := *limit
	there.Pos = r.firstFrame(interrupted.Stack())
	return &there
}

// firstFrame is the innermost frame that lies in the script.
func (r *realm) firstFrame(stack []goja.StackFrame) Position {
	for i := range stack {
		if stack[i].SrcName() == r.file {
			p := stack[i].Position()
			return r.inCharacters(Position{Line: max(1, p.Line), Column: max(1, p.Column)})
		}
	}
	return Position{}
}

// inCharacters turns a column in bytes, as the engine counts, into one in
// characters, as editors do.
func (r *realm) inCharacters(p Position) Position {
	if r.ascii || p.Line == 0 {
		return p
	}
	line := lineOf(r.script.Body, p.Line)
	p.Column = 1 + utf8.RuneCountInString(line[:min(max(p.Column-1, 0), len(line))])
	return p
}
