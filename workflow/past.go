package workflow

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/subagent"
)

// callID names a call across the histories of a run: its key, and its place among
// the calls that have the same.
type callID struct {
	key string
	occ int
}

// known is what the records say about one call.
type known struct {
	seq          Seq // in the latest history that has it
	label, model string
	started      bool
	child        string
	end          AgentEnded // the one that counts, without its value; Outcome is empty when there is none
	refused      *AgentRefused
	ref          int             // the record that holds the value of end
	given        json.RawMessage // a value that a person gave takes its place
}

// moment is one thing that woke the script: the end of a call, or a timer.
type moment struct {
	call  callID
	timer int // in the order of the setTimeout calls; 0 for a call
	ms    float64
}

// past is what the journal of a run says: the outcomes that need not be bought
// again and the order in which they reached the script. It does not change once
// it is read.
type past struct {
	start   RunStarted // of the latest history
	resumed []RunResumed
	calls   map[callID]*known
	queued  map[Seq]callID // of the latest history
	order   []moment
	end     *RunEnded // of the latest history; nil if it was interrupted
	last    int       // number of the last record
	usage   llm.Usage // of every agent that ever ended
	cost    cost      // likewise
	left    []*known  // calls whose end nobody knows
	active  time.Duration
	retry   bool // failed calls of every kind run again

	history history
}

// readPast folds the records of a run.
func readPast(records iter.Seq2[Record, error]) (*past, error) {
	p := &past{calls: map[callID]*known{}, queued: map[Seq]callID{}}
	var odd []string
	for r, err := range records {
		switch {
		case err != nil && CodeOf(err) == JournalDamaged:
			return nil, err
		case err != nil:
			odd = append(odd, err.Error())
			continue
		case r.N != p.last+1:
			return nil, damaged(odd, fmt.Sprintf("record %d stands where %d was expected", r.N, p.last+1))
		}
		p.last = r.N
		odd = nil
		if err := p.apply(r); err != nil {
			return nil, err
		}
	}
	if p.start.Format == 0 {
		return nil, damaged(odd, "the journal does not begin with the start of a run")
	}
	p.close()
	for _, k := range p.calls {
		if k.unknown() && k.child != "" {
			p.left = append(p.left, &known{seq: k.seq, label: k.label, child: k.child})
		}
	}
	return p, nil
}

func damaged(odd []string, what string) error {
	return newError(JournalDamaged, "%s", strings.Join(append(odd, what), "; "))
}

func (p *past) apply(r Record) error {
	if f, again := r.Fact.(RunResumed); again {
		return p.resume(f, r.Time)
	}
	p.history.touch(r.Time)
	switch f := r.Fact.(type) {
	case RunStarted:
		p.start = f
		return readable(f)
	case AgentQueued:
		return p.queue(f)
	case AgentStarted:
		if k := p.of(f.Seq); k != nil {
			k.started, k.child = true, f.Child
		}
	case AgentEnded:
		p.ended(r.N, f)
	case AgentRefused:
		if k := p.of(f.Seq); k != nil {
			k.refused = &f
		}
	case TimerFired:
		p.history.add(p, moment{timer: f.Timer, ms: f.MS})
	case RunEnded:
		p.end = &f
	case RunResumed, PhaseEntered, Logged, Warned, AgentRetried, LimitReached, Unknown:
	}
	return nil
}

// resume begins another history. What a run cost that this one was forked from is
// not its own.
func (p *past) resume(f RunResumed, at time.Time) error {
	p.close()
	p.start, p.end = f.RunStarted, nil
	p.resumed = append(p.resumed, f)
	p.queued = map[Seq]callID{}
	p.history.touch(at)
	if f.From != "" {
		p.disown()
	}
	return readable(f.RunStarted)
}

func (p *past) disown() { p.usage, p.cost, p.active = llm.Usage{}, cost{}, 0 }

// readable refuses a journal that a later version wrote.
func readable(f RunStarted) error {
	if f.Format < 1 || f.Format > FormatVersion {
		return newError(JournalVersion, "its journal has format %d and was written by version %s; this version reads format %d", f.Format, orDefault(f.Engine, "unknown"), FormatVersion)
	}
	return nil
}

func (p *past) of(seq Seq) *known { return p.calls[p.queued[seq]] }

func (p *past) queue(f AgentQueued) error {
	if !strings.HasPrefix(f.Key, keyVersion) {
		version, _, _ := strings.Cut(f.Key, ":")
		return newError(JournalVersion, "the keys of its calls have version %.20q, and this version compares %q only: no call could be found again", version, strings.TrimSuffix(keyVersion, ":"))
	}
	id := callID{f.Key, f.Occ}
	p.queued[f.Seq] = id
	k := p.calls[id]
	if k == nil {
		k = &known{}
		p.calls[id] = k
	}
	k.seq, k.label = f.Seq, f.Label
	if !k.answers() { // it runs again in this history
		*k = known{seq: f.Seq, label: f.Label, model: f.Model, child: k.child}
	}
	return nil
}

// ended takes the end of a call. A completed outcome is never given up for
// another one.
func (p *past) ended(n int, f AgentEnded) {
	if f.ValueRef == 0 {
		p.usage = p.usage.Plus(f.Usage)
		p.cost.add(f)
	}
	id := callID{f.Key, f.Occ}
	k := p.calls[id]
	if k == nil {
		return // its AgentQueued is missing; the numbers said that nothing is
	}
	if f.Outcome != subagent.Cancelled {
		p.history.add(p, moment{call: id})
	}
	if k.end.Outcome == subagent.Completed && f.Outcome != subagent.Completed {
		return
	}
	k.end, k.ref, k.child = f, 0, f.Child
	k.end.Value = nil
	if f.Outcome == subagent.Completed {
		k.ref = n
		if f.ValueRef != 0 {
			k.ref = f.ValueRef
		}
	}
}

// close ends a history: its order goes before what is left of the earlier one.
func (p *past) close() {
	p.order = p.history.join(p.order)
	p.active += p.history.last.Sub(p.history.first)
	p.history = history{}
}

// script names the file of the script that ran last.
func (p *past) script() string {
	for _, r := range slices.Backward(p.resumed) {
		if r.Script != "" {
			return r.Script
		}
	}
	return ""
}

// args are those of the latest history; given is false if none changed them.
func (p *past) args() (args json.RawMessage, given bool) {
	for _, r := range slices.Backward(p.resumed) {
		if r.ArgsSet {
			return r.Args, true
		}
	}
	return nil, false
}

// status says how the run stands, for a run that nobody writes.
func (p *past) status() Status {
	if p.end == nil {
		return StatusInterrupted
	}
	return p.end.Status
}

// history is the order of one history while it is read, against the one before.
type history struct {
	now         []moment
	at          int  // how far it follows the earlier order
	departed    bool // from the earlier order
	first, last time.Time
}

func (h *history) touch(at time.Time) {
	if h.first.IsZero() {
		h.first = at
	}
	h.last = at
}

// add takes the next moment. What failed before is no part of the order that a
// replay follows, so that it may be missing from it.
func (h *history) add(p *past, m moment) {
	h.now = append(h.now, m)
	if h.departed {
		return
	}
	for h.at < len(p.order) && p.order[h.at] != m && p.failed(p.order[h.at]) {
		h.at++
	}
	switch {
	case h.at == len(p.order):
	case p.order[h.at] == m:
		h.at++
	default:
		h.departed = true
	}
}

func (p *past) failed(m moment) bool {
	return m.timer == 0 && p.calls[m.call].end.Outcome != subagent.Completed
}

// join puts what the earlier order still has behind this one. Timers that stand
// behind a departure are those of another course of the script.
func (h *history) join(earlier []moment) []moment {
	rest := earlier[h.at:]
	if len(h.now) == 0 || len(rest) == 0 {
		return append(h.now, rest...)
	}
	had := make(map[moment]bool, len(h.now))
	for _, m := range h.now {
		had[m] = true
	}
	out := h.now
	for _, m := range rest {
		if !had[m] && !(h.departed && m.timer != 0) {
			out = append(out, m)
		}
	}
	return out
}

// whyNot says why a call that is recorded has to run.
func (k *known) whyNot() string {
	switch {
	case k.end.Error != nil && k.end.Outcome == subagent.Failed:
		return fmt.Sprintf("it failed: %s (%s)", k.end.Error.Message, k.end.Error.Code)
	case k.end.Outcome == subagent.Cancelled:
		return "it was cancelled"
	case k.refused != nil:
		return fmt.Sprintf("it did not start: %s (%s)", k.refused.Message, k.refused.Code)
	case k.unknown():
		return "it had started and has no end; its session " + k.child + " is kept"
	}
	return "it had not started"
}

// answers says whether a call has an outcome that stands in for a new one.
func (k *known) answers() bool {
	if k.end.Outcome == subagent.Completed {
		return true
	}
	return k.end.Error != nil && (k.end.Error.Code == string(Skipped) || k.end.Error.Code == string(OutcomeUnknown))
}

// unknown says that nobody knows how the call ended.
func (k *known) unknown() bool { return k.started && k.end.Outcome == "" && k.refused == nil }

// lost is the end of a call of which nobody knows how it ended, for agents that
// must not do their work twice.
func (k *known) lost(id callID) AgentEnded {
	return AgentEnded{
		Child: k.child, Outcome: subagent.Failed, Key: id.key, Occ: id.occ,
		Error: &subagent.Failure{Code: string(OutcomeUnknown), Message: "it was at work when the run was cut off, and its agent type says that it is not started twice; --retry-failed starts it"},
	}
}
