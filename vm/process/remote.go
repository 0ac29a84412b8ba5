package process

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dsh-go/dsh-workflow/vm"
)

// remote is the host as the realm sees it: every hook is a frame to the real one.
//
// Concurrency: the methods of vm.Host run on the loop of the realm, listen on a
// goroutine of its own; mu guards what both touch. spent belongs to the loop.
type remote struct {
	replies chan *record // to the one question that can be open
	spent   struct {
		known     bool
		delivered int
		value     float64
	}

	mu      sync.Mutex
	out     io.Writer
	lost    error
	last    uint64 // number of the last call or timer
	settles map[uint64]vm.Settle
	fires   map[uint64]func()
	// deaf takes what comes twice or too late, so that the realm counts it.
	deaf func()
}

var _ vm.Host = (*remote)(nil)

// goneError says that there is no host any more. It ends the process, so no
// script and no user ever sees it.
type goneError struct{ err error }

func (e *goneError) Error() string { return "the host has gone: " + e.err.Error() }

// hostError stands for an error that the host keeps under a number.
type hostError struct {
	number        uint64
	code, message string
}

func (e *hostError) Error() string { return e.message }

// Code is the code that the host's error has.
func (e *hostError) Code() string { return e.code }

// refusal is a hostError that wants to know when the script sees it.
type refusal struct {
	*hostError
	r *remote
}

func (e refusal) Unwrap() error { return e.hostError }

// Seen is called on the loop.
func (e refusal) Seen() { _ = e.r.send(frame(saysSeen).uint(e.number)) }

// send writes one frame in one piece.
func (r *remote) send(w *builder) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost == nil {
		_, r.lost = r.out.Write(w.bytes())
	}
	if r.lost != nil {
		return &goneError{r.lost}
	}
	return nil
}

// ask sends a question and waits for its answer.
func (r *remote) ask(w *builder, want kind) (*record, error) {
	if err := r.send(w); err != nil {
		return nil, err
	}
	answer, open := <-r.replies
	if !open || answer.kind != want {
		return nil, &goneError{errFrame}
	}
	return answer, nil
}

// verdict asks a question that is answered with yes or an error of the host.
func (r *remote) verdict(w *builder) error {
	answer, err := r.ask(w, tellsVerdict)
	if err != nil {
		return err
	}
	if answer.bool() {
		return nil
	}
	told := readHostError(answer)
	if seen := answer.bool(); seen {
		return refusal{told, r}
	}
	return told
}

func readHostError(a *record) *hostError {
	return &hostError{number: a.uint(), code: a.text(), message: a.text()}
}

func (r *remote) number() uint64 {
	r.last++
	return r.last
}

// Agent asks the host to admit a call.
func (r *remote) Agent(c vm.AgentCall, settle vm.Settle) error {
	r.mu.Lock()
	id := r.number()
	r.settles[id] = settle
	r.mu.Unlock()
	w := frame(saysCall).uint(id).text(c.Prompt).blob(c.Options).bool(c.Settled).uint(uint64(c.Pos.Line)).uint(uint64(c.Pos.Column))
	if !w.fits() {
		return &vm.ArgumentError{Hook: "agent", Pos: c.Pos, Reason: fmt.Sprintf("agent() was given more than %d bytes", maxFrame)}
	}
	return r.verdict(w)
}

// Phase asks the host to enter a phase.
func (r *remote) Phase(title string) error {
	w := frame(saysPhase).text(title)
	if !w.fits() {
		return &vm.ArgumentError{Hook: "phase", Reason: fmt.Sprintf("phase() was given more than %d bytes", maxFrame)}
	}
	return r.verdict(w)
}

// maxNote is the longest message, in bytes, that crosses whole.
const maxNote = 16 << 20

// Note tells the host.
func (r *remote) Note(n vm.Note) {
	if len(n.Message) > maxNote {
		n.Message = validStart(n.Message, maxNote) + "…"
	}
	_ = r.send(frame(saysNote).text(n.Kind).text(n.Level).text(n.Message).uint(uint64(n.Pos.Line)).uint(uint64(n.Pos.Column)))
}

// Spent asks the host, once for each result that the script has seen.
func (r *remote) Spent(delivered int) float64 {
	if r.spent.known && r.spent.delivered == delivered {
		return r.spent.value
	}
	answer, err := r.ask(frame(saysSpent).uint(uint64(delivered)), tellsSpent)
	if err != nil {
		return 0 // the process is about to end
	}
	r.spent.known, r.spent.delivered, r.spent.value = true, delivered, answer.float()
	return r.spent.value
}

// After has the host keep a timer.
func (r *remote) After(d time.Duration, fire func()) func() {
	r.mu.Lock()
	id := r.number()
	r.fires[id] = fire
	r.mu.Unlock()
	_ = r.send(frame(saysAfter).uint(id).uint(uint64(max(d, 0))))
	return func() {
		r.mu.Lock()
		_, live := r.fires[id]
		if live {
			r.deaf = fire
			delete(r.fires, id)
		}
		r.mu.Unlock()
		if live {
			_ = r.send(frame(saysClear).uint(id))
		}
	}
}

// listen passes on what the host says until it is gone.
func (r *remote) listen(in io.Reader) error {
	defer close(r.replies)
	for {
		a, err := readFrame(in)
		if err != nil {
			return err
		}
		if err := r.hear(a); err != nil {
			return err
		}
	}
}

func (r *remote) hear(a *record) error {
	switch a.kind {
	case tellsVerdict, tellsSpent:
		select {
		case r.replies <- a:
			return nil
		default:
			return errFrame // an answer that nobody asked for
		}
	case tellsSettle:
		return r.settle(a)
	case tellsFired:
		id := a.uint()
		if err := a.check(); err != nil {
			return err
		}
		r.mu.Lock()
		fire := r.fires[id]
		if fire == nil {
			fire = r.deaf
		}
		r.deaf = fire
		delete(r.fires, id)
		r.mu.Unlock()
		if fire != nil {
			fire()
		}
		return nil
	case tellsPing:
		if err := a.check(); err != nil {
			return err
		}
		return r.send(frame(saysAlive))
	}
	return errFrame
}

func (r *remote) settle(a *record) error {
	id, ok := a.uint(), a.bool()
	var value json.RawMessage
	var failure error
	if ok {
		value = a.blob()
	} else {
		failure = readHostError(a)
	}
	if err := a.check(); err != nil {
		return err
	}
	r.mu.Lock()
	settle, deaf := r.settles[id], r.deaf
	if settle != nil {
		delete(r.settles, id)
		r.deaf = func() { settle(nil, nil) }
	}
	r.mu.Unlock()
	switch {
	case settle != nil:
		settle(value, failure)
	case deaf != nil:
		deaf()
	}
	return nil
}

// waiter is a remote of a host that wants to know when the script waits.
type waiter struct{ *remote }

var _ vm.Waiter = waiter{}

// Waiting tells the host.
func (w waiter) Waiting(heard int) { _ = w.send(frame(saysWaiting).uint(uint64(heard))) }

// validStart is the first n bytes of a text, or a little less, so that no
// character is cut.
func validStart(text string, n int) string {
	for n > 0 && n < len(text) && text[n]&0xc0 == 0x80 {
		n--
	}
	return text[:min(n, len(text))]
}
