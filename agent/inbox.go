package agent

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
)

// The two lists of waiting messages, as the log names them.
const (
	nextTurn = "next-turn"
	nextStep = "next-step"
)

// canceled is the outcome of a splice that withdraws messages unrun.
const canceled = "canceled"

// inbox holds the messages that wait. Its lists are what the splices of the log
// fold to; woken is not in the log.
type inbox struct {
	turn  []llm.Message // one of these opens a turn
	step  []llm.Message // all of these enter the next step
	woken bool          // something in step opens a turn by itself
}

// list returns the list that a splice names.
func (b *inbox) list(target string) (*[]llm.Message, error) {
	switch target {
	case nextTurn:
		return &b.turn, nil
	case nextStep:
		return &b.step, nil
	}
	return nil, fmt.Errorf("inbox has no list %q", target)
}

// apply makes the change that a splice describes.
func (b *inbox) apply(s session.InboxSpliced) error {
	list, err := b.list(s.Target)
	if err != nil {
		return err
	}
	if s.Start < 0 || s.Removed < 0 || s.Start+s.Removed > len(*list) {
		return fmt.Errorf("inbox splice of %s [%d:%d] does not fit %d waiting messages", s.Target, s.Start, s.Start+s.Removed, len(*list))
	}
	*list = slices.Concat((*list)[:s.Start], s.Inserted, (*list)[s.Start+s.Removed:])
	if len(b.step) == 0 {
		b.woken = false
	}
	return nil
}

// wakes reports whether a turn is due.
func (b *inbox) wakes() bool { return len(b.turn) > 0 || b.woken }

// holds reports whether a message with this id waits.
func (b *inbox) holds(id string) bool {
	same := func(m llm.Message) bool { return m.ID == id }
	return slices.ContainsFunc(b.turn, same) || slices.ContainsFunc(b.step, same)
}

// Followup queues a message for a turn of its own. N of them make N turns. It
// may be called from any goroutine, also while Run is active.
//
// The message must be of role user (an empty role is taken for it) and must not
// be empty; without an id it gets one, without a source it is the user's. A
// message that is refused leaves no trace.
func (a *Agent) Followup(m llm.Message) error { return a.enqueue(nextTurn, m, false) }

// Steer queues a message for the next step of the turn that runs. When none
// runs, or the turn ends first, it opens one. It is otherwise like
// [Agent.Followup].
func (a *Agent) Steer(m llm.Message) error { return a.enqueue(nextStep, m, true) }

// Inject queues a message for the next step, whenever that comes: it opens no
// turn. It is otherwise like [Agent.Followup].
func (a *Agent) Inject(m llm.Message) error { return a.enqueue(nextStep, m, false) }

// Waiting reports whether something waits that makes [Agent.Run] open a turn.
func (a *Agent) Waiting() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.inbox.wakes()
}

func (a *Agent) enqueue(target string, m llm.Message, wakes bool) error {
	if err := a.complete(&m); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	// What the cancel withdraws is what waited when it came, so this message must
	// not be among it.
	if err := a.withdraw(); err != nil {
		return err
	}
	if a.inbox.holds(m.ID) {
		return &Error{Kind: CodeDuplicate, Message: fmt.Sprintf("message %q waits already", m.ID)}
	}
	list, err := a.inbox.list(target)
	if err != nil {
		return err
	}
	if err := a.splice(session.InboxSpliced{Target: target, Start: len(*list), Inserted: []llm.Message{m}}); err != nil {
		return err
	}
	a.inbox.woken = a.inbox.woken || wakes
	return nil
}

// complete checks input and fills in what its sender may leave out.
func (a *Agent) complete(m *llm.Message) error {
	if m.Role == "" {
		m.Role = llm.RoleUser
	}
	if m.Source.Kind == "" {
		m.Source.Kind = llm.SourceUser
	}
	if m.ID == "" {
		m.ID = a.cfg.NewID()
	}
	if m.Role != llm.RoleUser {
		return &Error{Kind: CodeMessage, Message: fmt.Sprintf("input must be of role user, not %q", m.Role)}
	}
	if len(m.Content) == 0 {
		return &Error{Kind: CodeMessage, Message: "input has no content"}
	}
	for _, b := range m.Content {
		switch b := b.(type) {
		case llm.Text:
		case llm.Unknown:
			var object map[string]json.RawMessage
			if err := json.Unmarshal(b.Raw, &object); err != nil {
				return &Error{Kind: CodeMessage, Message: fmt.Sprintf("input holds a block of type %q that is no JSON object", b.Type), Err: err}
			}
		default:
			return &Error{Kind: CodeMessage, Message: fmt.Sprintf("input may not hold a block of type %T", b)}
		}
	}
	return nil
}

// claim takes what enters the next step: all that waits for a step and, at the
// start of a turn, one message that waits for a turn.
func (a *Agent) claim(turnStarts bool) ([]llm.Message, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.withdraw(); err != nil {
		return nil, err
	}
	var claimed []llm.Message
	take := func(target string, list []llm.Message, n int) error {
		if n == 0 {
			return nil
		}
		claimed = append(claimed, list[:n]...)
		return a.splice(session.InboxSpliced{Target: target, Removed: n})
	}
	if err := take(nextStep, a.inbox.step, len(a.inbox.step)); err != nil {
		return nil, err
	}
	if turnStarts {
		if err := take(nextTurn, a.inbox.turn, min(1, len(a.inbox.turn))); err != nil {
			return nil, err
		}
	}
	return claimed, nil
}

// steered reports whether something waits for the next step.
func (a *Agent) steered() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.inbox.step) > 0
}

// withdraw empties the inbox once if the context of the active Run has ended and
// its cause does not spare what waits. The caller holds mu.
func (a *Agent) withdraw() error {
	if a.run == nil || a.cleared || a.run.Err() == nil {
		return nil
	}
	a.cleared = true
	if keepsInbox(a.run) {
		return nil
	}
	if n := len(a.inbox.step); n > 0 {
		if err := a.splice(session.InboxSpliced{Target: nextStep, Removed: n, Outcome: canceled}); err != nil {
			return err
		}
	}
	if n := len(a.inbox.turn); n > 0 {
		return a.splice(session.InboxSpliced{Target: nextTurn, Removed: n, Outcome: canceled})
	}
	return nil
}

// splice logs a change of the inbox and makes it. The caller holds mu.
func (a *Agent) splice(s session.InboxSpliced) error {
	if s.Inserted == nil {
		s.Inserted = []llm.Message{}
	}
	if _, err := a.append(s); err != nil {
		return err
	}
	return a.inbox.apply(s)
}

// due reports whether Run has a turn to drive. When it has none, Run is over in
// the same moment, so that input is either seen by this Run or waits for the next.
func (a *Agent) due() (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	err := a.withdraw()
	if err == nil && a.run.Err() == nil && a.inbox.wakes() {
		return true, nil
	}
	a.run = nil
	return false, err
}
