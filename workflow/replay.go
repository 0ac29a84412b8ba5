package workflow

import (
	"slices"
	"sync"
	"time"
)

// replay stands between everything that wakes the script and the ledger. While
// it has recorded moments to deliver it follows their order, and live ones wait
// behind it. A run that is no resume has a replay without a past.
//
// Concurrency: every method may be called from any goroutine; those that the
// realm's hooks call come from its goroutine.
type replay struct {
	past   *past // nil for a new run; read only
	mode   ResumeMode
	record func(n int) (Record, error) // reads a record of the past
	// imports is set when the past is another system's: it names calls otherwise.
	imports *imports
	run     *Run // whose ledger gets what is delivered

	mu       sync.Mutex
	order    []moment          // recorded and not delivered
	asked    map[callID]*asked // recorded outcomes that the script waits for
	timers   map[int]*timer    // set, and neither fired nor cleared
	held     []func()          // live deliveries that wait, in their order
	open     bool              // live deliveries do not wait
	departed bool              // the script asked for something else than it did
	still    bool              // timers do not run: only the record fires them
	missed   bool              // a call had no recorded outcome
	sent     int               // deliveries that the realm has heard of or will
}

// asked is a call whose recorded outcome is to be delivered.
type asked struct {
	call *call
	end  AgentEnded
}

// timer is a setTimeout of the script.
type timer struct {
	delay time.Duration
	call  func()
	stop  func() bool
}

// newReplay is one without a past.
func newReplay(run *Run) *replay {
	return &replay{run: run, open: true, asked: map[callID]*asked{}, timers: map[int]*timer{}}
}

// follow makes r replay what is known of a run.
func (r *replay) follow(p *past, mode ResumeMode, record func(int) (Record, error)) {
	r.past, r.mode, r.record = p, mode, record
	for _, m := range p.order {
		if m.timer != 0 || p.calls[m.call].answers() {
			r.order = append(r.order, m)
		}
	}
	r.open = len(r.order) == 0
}

// ask looks for the recorded outcome of a call that was admitted, and delivers it
// when its turn comes. It reports false, and why, if the call has to run.
func (r *replay) ask(c *call) (why string, hit bool) {
	if r.past == nil {
		return "", false
	}
	id := callID{c.key, c.occ}
	if r.imports != nil {
		if id, why = r.imports.take(c); why != "" {
			return why, false
		}
	}
	end, why := r.find(id, c.kind != nil && c.kind.Once)
	r.mu.Lock()
	defer r.mu.Unlock()
	if why == "" && r.mode == ResumePrefix && r.missed {
		why = "a call before it runs"
	}
	if why != "" {
		r.missed = true
		return why, false
	}
	r.asked[id] = &asked{c, end}
	r.pump()
	return "", true
}

// find gives the recorded outcome of a call with its value, or says why there is
// none. once is for agents that must not be started twice.
func (r *replay) find(id callID, once bool) (end AgentEnded, why string) {
	k := r.past.calls[id]
	if k == nil {
		return end, "no recorded call has its prompt and options"
	}
	if !k.answers() {
		if once && k.unknown() && !r.past.retry {
			return k.lost(id), ""
		}
		return end, k.whyNot()
	}
	end = k.end
	if k.given != nil || k.ref == 0 { // or skipped
		end.Value, end.ValueRef = k.given, 0
		return end, ""
	}
	end.ValueRef = k.ref
	rec, err := r.record(k.ref)
	kept, ok := rec.Fact.(AgentEnded)
	switch {
	case err != nil:
		return end, "its recorded result cannot be read: " + err.Error()
	case !ok || kept.Key != id.key || kept.Value == nil:
		return end, "its recorded result is not where it was"
	}
	end.Value = kept.Value
	return end, ""
}

// pump delivers what stands at the head of the order, as far as the script has
// asked for it. Behind the last of it nothing waits any more. r.mu is held.
func (r *replay) pump() {
	for len(r.order) > 0 {
		head := r.order[0]
		t := r.timers[head.timer]
		switch {
		case head.timer == 0 && r.asked[head.call] != nil:
			r.deliver(head.call)
		case t != nil && milliseconds(t.delay) == head.ms:
			r.ring(head.timer, t)
		default:
			return
		}
		r.order = r.order[1:]
	}
	for len(r.asked) > 0 {
		r.deliver(r.first())
	}
	r.release()
}

// deliver sends a recorded outcome that was asked for. r.mu is held.
func (r *replay) deliver(id callID) {
	a := r.asked[id]
	delete(r.asked, id)
	r.sent++
	r.run.answer(a.call, a.end)
}

// ring fires a timer. r.mu is held.
func (r *replay) ring(id int, t *timer) {
	delete(r.timers, id)
	t.stop()
	r.sent++
	r.run.ring(id, t)
}

// release lets the live deliveries go. r.mu is held.
func (r *replay) release() {
	r.open = true
	for _, deliver := range r.held {
		deliver()
	}
	r.held = nil
}

// live delivers what happens now, when its turn comes.
func (r *replay) live(deliver func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	counted := func() {
		r.sent++
		deliver()
	}
	if r.open {
		counted()
		return
	}
	r.held = append(r.held, counted)
}

// waiting is told that the script can go no further with the first heard
// deliveries. If there were no more, what the record has next was not asked for:
// the script has departed from it. It reports whether all that is left to come
// is live.
func (r *replay) waiting(heard int) (live bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if heard != r.sent {
		return false
	}
	if len(r.order) > 0 {
		r.depart()
	}
	if len(r.asked) == 0 {
		held := len(r.held) > 0
		r.release()
		return !held
	}
	next := r.first()
	for i, m := range r.order {
		if r.asked[m.call] != nil {
			next, r.order = m.call, r.order[i+1:]
			break
		}
	}
	r.deliver(next)
	r.pump()
	return false
}

// depart takes the recorded timers out of the order: from now on they run live.
func (r *replay) depart() {
	if !r.departed {
		r.departed = true
		r.order = slices.DeleteFunc(r.order, func(m moment) bool { return m.timer != 0 })
	}
}

// first is the call that was asked for first. r.mu is held, and there is one.
func (r *replay) first() (id callID) {
	least := Seq(0)
	for i, a := range r.asked {
		if least == 0 || a.call.seq < least {
			id, least = i, a.call.seq
		}
	}
	return id
}

// finish delivers everything that waits: no script runs any more, but what has
// ended is recorded.
func (r *replay) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.order {
		if r.asked[m.call] != nil {
			r.deliver(m.call)
		}
	}
	r.order = nil
	r.pump()
}

// set starts a timer of the script. The returned function clears it.
func (r *replay) set(id int, d time.Duration, call func()) (clear func()) {
	t := &timer{delay: d, call: call, stop: func() bool { return true }}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timers[id] = t
	if !r.still {
		t.stop = time.AfterFunc(r.run.cfg.Pace(d), func() { r.elapsed(id, t) }).Stop
	}
	r.pump()
	return func() { r.clear(id, t) }
}

func (r *replay) clear(id int, t *timer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timers[id] == t {
		delete(r.timers, id)
		t.stop()
	}
}

// elapsed fires a timer that ran live. One that is cleared while it waits here
// is heard of all the same.
func (r *replay) elapsed(id int, t *timer) {
	r.mu.Lock()
	mine := r.timers[id] == t
	if mine {
		delete(r.timers, id)
	}
	r.mu.Unlock()
	if mine {
		r.live(func() { r.run.ring(id, t) })
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// recorded is the end of a call as it stands in its record: the value of a
// replayed one is in an earlier one.
func (e AgentEnded) recorded() AgentEnded {
	if e.ValueRef != 0 {
		e.Value = nil
	}
	return e
}
