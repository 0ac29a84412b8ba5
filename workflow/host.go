package workflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/vm"
)

// host answers the hooks of the run's script. It admits, numbers and queues;
// what takes time happens in the calls' own goroutines.
//
// Concurrency: every field is touched by the realm's goroutine only.
type host struct {
	run     *Run
	options optionReader
	seq     Seq
	phase   *string        // nil before the first phase()
	equal   map[string]int // calls admitted so far, by key
	timers  int
	logged  int             // bytes of the lines so far
	warned  int             // bytes of the warnings of the realm so far
	caught  bool            // the script went on after the cap refused a call
	ignored bool            // the warning about unknown options was given
	routed  map[string]bool // changes of a route that were warned of
}

var (
	_ vm.Host   = (*host)(nil)
	_ vm.Waiter = (*host)(nil)
)

func newHost(r *Run) *host {
	options := optionReader{root: r.plan.request.Root, strict: r.plan.request.Strict}
	return &host{run: r, options: options, equal: map[string]int{}, routed: map[string]bool{}}
}

// Agent admits one call or refuses it.
func (h *host) Agent(in vm.AgentCall, settle vm.Settle) error {
	r := h.run
	if err := r.ended(); err != nil {
		return err
	}
	c, err := h.admit(in)
	if err != nil {
		return h.refuse(in, err)
	}
	c.settle, c.line = settle, in.Pos.Line
	r.ledger.append(AgentQueued{Seq: c.seq, Label: c.label, Phase: c.phase, Key: c.key, Occ: c.occ, Model: c.route.Model, AgentType: c.options.AgentType}, false, nil)
	r.tally.admit(c)
	why, recorded := r.replay.ask(c)
	if r.plan.dry != nil {
		r.plan.dry.add(c, why, r.replay.past)
		return nil
	}
	if recorded {
		return nil
	}
	r.calls.Add(1)
	if !r.slots.join(c.seq, func() { go r.work(c, r.gate.ticket()) }) {
		r.calls.Done()
		return newError(NotStarted, "the run has ended")
	}
	return nil
}

func (h *host) admit(in vm.AgentCall) (*call, error) {
	p := h.run.plan
	o, err := h.options.decode(in.Options)
	if err != nil {
		return nil, err
	}
	if len(o.Unknown) > 0 && !h.ignored {
		h.ignored = true
		h.run.warn(Warning{
			Code:    "UNKNOWN_OPTION",
			Message: fmt.Sprintf("agent() does not know the option %s; it is ignored here and in later calls", strings.Join(o.Unknown, ", ")),
			Line:    in.Pos.Line,
		})
	}
	key, err := keyOf(in.Prompt, o)
	if err != nil {
		return nil, newError(InvalidArgument, "agent() options must be plain JSON data: %w", err)
	}
	kind, err := p.types.lookup(o.AgentType)
	if err != nil {
		return nil, err
	}
	route, err := h.route(o, kind, in.Pos.Line)
	if err != nil {
		return nil, err
	}
	if err := h.run.cfg.priced(p.limits, route); err != nil {
		return nil, err
	}
	if err := h.capped(); err != nil {
		return nil, err
	}
	h.seq++
	c := &call{
		seq: h.seq, label: o.Label, phase: h.phase, key: key, occ: h.equal[key],
		prompt: in.Prompt, options: o, kind: kind, route: route, settled: in.Settled,
	}
	h.equal[key]++
	if o.Phase != nil {
		c.phase = o.Phase
	}
	if c.label == "" {
		c.label = labelOf(in.Prompt)
	}
	return c, nil
}

// route resolves the model that a call asks for. A change that only an exact
// effort would avoid is an error in a strict run; an alias is not.
func (h *host) route(o options, kind *subagent.Type, line int) (subagent.Route, error) {
	p := h.run.plan
	if kind != nil {
		o.Model, o.Effort = orDefault(o.Model, kind.Model), orDefault(o.Effort, kind.Effort)
	}
	route, changes := h.run.cfg.Route(subagent.Route{
		Provider: o.Provider, Model: orDefault(o.Model, p.request.Model), Effort: orDefault(o.Effort, p.request.Effort),
	})
	for _, w := range changes {
		if w.Code == EffortMapped && p.request.Strict {
			return route, newError(UnsupportedOption, "agent() option \"effort\": %s", w.Message)
		}
		if !h.routed[w.Message] {
			h.routed[w.Message] = true
			w.Line = line
			h.run.warn(w)
		}
	}
	return route, nil
}

// capped is the refusal of the cap on agents, or of a budget that is used up; nil
// while there is room. The script may catch it once; when it asks again after
// that, it is ended.
func (h *host) capped() error {
	var refusal *Error
	if n := h.run.plan.limits.Agents; int(h.seq) >= n {
		refusal = &Error{Kind: AgentCap, Message: fmt.Sprintf(
			"this run reached its total agent cap (%d) — a runaway-loop backstop; raise the applicable maxTotalAgents limit (--max-agents) if the scale is intentional", n)}
	} else if !errors.As(h.run.purse.empty(), &refusal) {
		return nil
	}
	if h.caught {
		h.run.stop(refusal)
	}
	h.run.limited(refusal)
	return &capError{refusal: refusal, caught: &h.caught}
}

// limited keeps the first refusal by a limit: it decides how the run ends.
func (r *Run) limited(err *Error) {
	if r.tally.limited(err) {
		r.ledger.append(LimitReached{Code: err.Code(), Message: err.Message}, true, nil)
	}
}

// capError lets the realm say that the script has seen the refusal.
type capError struct {
	refusal *Error
	caught  *bool
}

func (e *capError) Error() string { return e.refusal.Message }
func (e *capError) Code() string  { return e.refusal.Code() }
func (e *capError) Unwrap() error { return e.refusal }

// Seen is called on the loop when the script could have handled the refusal.
func (e *capError) Seen() { *e.caught = true }

func (h *host) refuse(in vm.AgentCall, err error) error {
	var own *Error
	if errors.As(err, &own) && own.Pos.Line == 0 {
		own.Pos = in.Pos
	}
	h.run.tally.refuse(0)
	h.run.ledger.append(AgentRefused{Label: labelOf(in.Prompt), Code: string(CodeOf(err)), Message: err.Error()}, false, nil)
	return err
}

// Phase enters a phase.
func (h *host) Phase(title string) error {
	if err := h.run.ended(); err != nil {
		return err
	}
	h.phase = &title
	h.run.ledger.append(PhaseEntered{Title: title}, false, nil)
	return nil
}

// lineCost is what a line takes in the journal besides its text.
const lineCost = 64

// fits counts a line against what a run may log. The first one over it is warned
// of; that one and all later ones are left out, so that neither the journal nor
// the memory of those who follow it grows without bound. What a script logs
// leaves the room of the warnings alone, which has the same size.
func (h *host) fits(spent *int, message string) bool {
	limit := h.run.plan.limits.Log
	if *spent <= limit {
		*spent += len(message) + lineCost
	}
	if *spent <= limit {
		return true
	}
	if h.run.tally.leaveOut() {
		h.run.warn(Warning{Code: "LOG_TRUNCATED", Message: fmt.Sprintf("the script logged more than %d bytes; further lines are left out", limit)})
	}
	return false
}

// Note records a line of the script or about it.
func (h *host) Note(n vm.Note) {
	if n.Kind == vm.NoteLimit {
		h.run.limited(&Error{Kind: ItemCap, Message: n.Message, Pos: n.Pos})
		return
	}
	if code, ok := warningCodes[n.Kind]; ok && n.Level != "info" {
		if h.fits(&h.warned, n.Message) {
			h.run.warn(Warning{Code: code, Message: n.Message, Line: n.Pos.Line})
		}
		return
	}
	if !h.fits(&h.logged, n.Message) {
		return
	}
	h.run.ledger.append(Logged{Level: n.Level, Message: n.Message, Line: n.Pos.Line}, false, nil)
}

// warningCodes are the notes that are warnings.
var warningCodes = map[string]string{
	vm.NoteDropped:   "ITEM_FAILED",
	vm.NoteCoerced:   "VALUE_COERCED",
	vm.NoteUnhandled: "UNHANDLED_REJECTION",
}

// Spent counts the output tokens of the first results that the script saw.
func (h *host) Spent(delivered int) float64 { return float64(h.run.tally.spentAfter(delivered)) }

// After fires a timer in the order of the records.
func (h *host) After(d time.Duration, fire func()) func() {
	h.timers++
	id := h.timers
	return h.run.replay.set(id, d, fire)
}

// Waiting lets the replay see whether the script still asks for what it has. A
// plan ends where only running could tell more.
func (h *host) Waiting(heard int) {
	if live := h.run.replay.waiting(heard); live && h.run.plan.dry != nil {
		h.run.stop(errSketched)
	}
	h.run.cfg.Waiting(h.run.ID(), false)
}

// maxLabel is the longest derived label, in UTF-16 units.
const maxLabel = 48

// labelOf derives a label from the first line of a prompt.
func labelOf(prompt string) string {
	line, _, _ := strings.Cut(prompt, "\n")
	units := utf16.Encode([]rune(line))
	if len(units) <= maxLabel {
		return line
	}
	cut := maxLabel - 1
	if utf16.IsSurrogate(rune(units[cut-1])) && utf16.IsSurrogate(rune(units[cut])) {
		cut--
	}
	return string(utf16.Decode(units[:cut])) + "…"
}

// textValue is a string as JSON text.
func textValue(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil { // a string always marshals
		panic(err)
	}
	return b
}
