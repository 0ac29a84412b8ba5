package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/dsh-go/dsh-workflow/vm"
)

// session is one run of a script in one process, seen from the host.
//
// Concurrency: run belongs to one goroutine, which alone calls the host; ledger
// and outbox lock for themselves; the pulse is told by atomics.
type session struct {
	ctx    context.Context
	child  *child
	host   vm.Host
	outbox *outbox
	errors ledger
	timers map[uint64]func() // run only
	open   map[uint64]bool   // calls that were admitted under these numbers; run only
	pulse  pulse
}

func newSession(ctx context.Context, c *child, h vm.Host, o vm.Options) *session {
	return &session{
		ctx: ctx, child: c, host: h, outbox: newOutbox(),
		timers: map[uint64]func(){}, open: map[uint64]bool{},
		pulse: pulse{limit: max(silence*o.SyncLimit, time.Second)},
	}
}

// run starts the script and answers its hooks until it ends or dies.
func (s *session) run(begin *builder) (vm.Result, error) {
	stopped := context.AfterFunc(s.ctx, s.child.Kill)
	defer stopped()
	var sender sync.WaitGroup
	sender.Go(func() { s.outbox.send(s.child.In) })
	pulse := s.pulse.watch(s)
	s.outbox.put(begin)
	result, err := s.converse()
	pulse.Stop()
	for _, cancel := range s.timers {
		cancel()
	}
	s.outbox.close()
	s.child.end()
	sender.Wait()
	return result, err
}

// converse is the loop: one record of the realm after the other.
func (s *session) converse() (vm.Result, error) {
	for {
		r, err := readFrame(s.child.Out)
		if s.ctx.Err() != nil {
			return vm.Result{}, context.Cause(s.ctx)
		}
		if err != nil {
			return vm.Result{}, s.died(err)
		}
		s.pulse.beat()
		switch r.kind {
		case saysEnd:
			value := r.blob()
			if err := r.check(); err != nil || !json.Valid(value) {
				return vm.Result{}, s.broke(errFrame)
			}
			return vm.Result{Value: value}, nil
		case saysFault:
			return vm.Result{}, s.fault(r)
		}
		s.pulse.busy.Store(true)
		err = s.answer(r)
		s.pulse.busy.Store(false)
		if s.ctx.Err() != nil {
			return vm.Result{}, context.Cause(s.ctx)
		}
		if err != nil {
			return vm.Result{}, err
		}
	}
}

func (s *session) fault(r *record) error {
	text := r.blob()
	if err := r.check(); err != nil {
		return s.broke(err)
	}
	err := errorFrom(text, s.errors.find)
	if errors.Is(err, errFrame) {
		return s.broke(err)
	}
	return err
}

// answer lets the host act on one record. A panic of the host is our bug and ends
// the run, not the program.
func (s *session) answer(r *record) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = &vm.PanicError{Value: x, Stack: debug.Stack()}
		}
	}()
	switch r.kind {
	case saysCall:
		return s.call(r)
	case saysPhase:
		title := r.text()
		if err := s.check(r); err != nil {
			return err
		}
		s.verdict(s.host.Phase(title))
	case saysNote:
		n := vm.Note{Kind: r.text(), Level: r.text(), Message: r.text(), Pos: readPosition(r)}
		if err := s.check(r); err != nil {
			return err
		}
		s.host.Note(n)
	case saysSpent:
		delivered := r.small()
		if err := s.check(r); err != nil {
			return err
		}
		s.outbox.put(frame(tellsSpent).float(s.host.Spent(delivered)))
	case saysAfter:
		return s.after(r)
	case saysClear:
		id := r.uint()
		if cancel := s.timers[id]; cancel != nil {
			delete(s.timers, id)
			cancel()
		}
		return s.check(r)
	case saysSeen:
		s.errors.seen(r.uint())
		return s.check(r)
	case saysAlive:
		return s.check(r)
	case saysWaiting:
		heard := r.small()
		if err := s.check(r); err != nil {
			return err
		}
		if w, ok := s.host.(vm.Waiter); ok {
			w.Waiting(heard)
		}
	default:
		return s.broke(errFrame)
	}
	return nil
}

func readPosition(r *record) vm.Position { return vm.Position{Line: r.small(), Column: r.small()} }

func (s *session) check(r *record) error {
	if err := r.check(); err != nil {
		return s.broke(err)
	}
	return nil
}

// call admits one call. Its outcome goes out under the call's number.
func (s *session) call(r *record) error {
	id := r.uint()
	c := vm.AgentCall{Prompt: r.text(), Options: r.blob(), Settled: r.bool(), Pos: readPosition(r)}
	if err := s.check(r); err != nil {
		return err
	}
	if s.open[id] || c.Prompt == "" || c.Options != nil && !json.Valid(c.Options) {
		return s.broke(errFrame)
	}
	s.open[id] = true
	// What comes twice goes out twice: the realm counts it.
	s.verdict(s.host.Agent(c, func(value json.RawMessage, err error) { s.settle(id, value, err) }))
	return nil
}

// settle may be called from any goroutine.
func (s *session) settle(id uint64, value json.RawMessage, err error) {
	if err == nil {
		w := frame(tellsSettle).uint(id).bool(true).blob(value)
		if w.fits() {
			s.outbox.put(w)
			return
		}
		err = &resultError{len(value)}
	}
	s.outbox.put(s.errors.describe(frame(tellsSettle).uint(id).bool(false), err))
}

// resultError is a result that is too long for the pipe.
type resultError struct{ size int }

func (e *resultError) Error() string {
	return fmt.Sprintf("the result of agent() cannot enter the script: its %d bytes are more than %d", e.size, maxFrame)
}

// Code is AGENT_RESULT.
func (e *resultError) Code() string { return "AGENT_RESULT" }

func (s *session) verdict(err error) {
	w := frame(tellsVerdict).bool(err == nil)
	if err != nil {
		var seen interface{ Seen() }
		s.errors.describe(w, err).bool(errors.As(err, &seen))
	}
	s.outbox.put(w)
}

func (s *session) after(r *record) error {
	id, ns := r.uint(), r.uint()
	if err := s.check(r); err != nil {
		return err
	}
	if s.timers[id] != nil {
		return s.broke(errFrame)
	}
	const longest = 1 << 62 // nanoseconds; more is not a time
	s.timers[id] = s.host.After(time.Duration(min(ns, longest)), func() { s.outbox.put(frame(tellsFired).uint(id)) })
	return nil
}

// ledger keeps the errors that the realm knows by number only.
//
// Concurrency: any goroutine may use it.
type ledger struct {
	mu   sync.Mutex
	kept []error
}

// describe adds an error to a frame: its number, its code and its message.
func (l *ledger) describe(w *builder, err error) *builder {
	l.mu.Lock()
	l.kept = append(l.kept, err)
	number := len(l.kept)
	l.mu.Unlock()
	code := "INTERNAL"
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		code = coded.Code()
	}
	return w.uint(uint64(number)).text(valid(code)).text(valid(err.Error()))
}

// find is the error of a number, or nil.
func (l *ledger) find(number uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if number == 0 || number > uint64(len(l.kept)) {
		return nil
	}
	return l.kept[number-1]
}

func (l *ledger) seen(number uint64) {
	var seen interface{ Seen() }
	if errors.As(l.find(number), &seen) {
		seen.Seen()
	}
}
