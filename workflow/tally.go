package workflow

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/subagent"
)

// maxWarnings bounds the warnings of a result; all of them are in the journal.
const maxWarnings = 200

// tally counts what became of the calls of a run.
//
// Concurrency: every method may be called from any goroutine.
type tally struct {
	mu       sync.Mutex
	census   Census
	admitted map[Seq]*call // neither ended nor refused
	open     map[Seq]*call // started and not ended
	failures []AgentFailure
	warnings []Warning
	dropped  int // warnings beyond maxWarnings
	leftOut  int // lines beyond what a run may log
	usage    llm.Usage
	cost     cost
	spent    []int  // output tokens of the first n+1 delivered results
	limit    *Error // the first refusal by a limit
}

func newTally() *tally { return &tally{admitted: map[Seq]*call{}, open: map[Seq]*call{}} }

// admit takes a call in.
func (t *tally) admit(c *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.admitted[c.seq] = c
}

// start opens a call.
func (t *tally) start(c *call, child string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.child = child
	t.open[c.seq] = c
	t.census.Started++
}

// end closes a call and counts its outcome. It reports false if the call has
// ended already: then e must not be recorded.
func (t *tally) end(c *call, e AgentEnded) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open[c.seq] == nil {
		return false
	}
	delete(t.open, c.seq)
	delete(t.admitted, c.seq)
	t.usage = t.usage.Plus(e.Usage)
	t.cost.add(e)
	switch e.Outcome {
	case subagent.Completed:
		t.census.Completed++
	case subagent.Cancelled:
		t.census.Cancelled++
	default:
		t.census.Failed++
		t.failures = append(t.failures, failureOf(c, e))
	}
	return true
}

// before takes over what a run spent in its earlier histories.
func (t *tally) before(p *past) { t.usage, t.cost = p.usage, p.cost }

// replay counts a call that a record answers. Its usage has been counted when it
// was spent.
func (t *tally) replay(c *call, e AgentEnded) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.admitted, c.seq)
	t.census.Started++
	if e.Outcome == subagent.Completed {
		t.census.Completed++
		t.census.Replayed++
		return
	}
	t.census.Failed++
	t.failures = append(t.failures, failureOf(c, e))
}

func failureOf(c *call, e AgentEnded) AgentFailure {
	f := AgentFailure{Seq: c.seq, Label: c.label, SessionID: e.Child}
	if c.phase != nil {
		f.Phase = *c.phase
	}
	if e.Error != nil {
		f.Code, f.Message = e.Error.Code, e.Error.Message
	}
	return f
}

// deliver counts an outcome that is on its way to the script.
func (t *tally) deliver(u llm.Usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := 0
	if n := len(t.spent); n > 0 {
		before = t.spent[n-1]
	}
	t.spent = append(t.spent, before+u.OutputTokens)
}

// spentAfter is what the first n delivered outcomes cost.
func (t *tally) spentAfter(n int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n == 0 {
		return 0
	}
	return t.spent[n-1]
}

// refuse counts a call that does not start; seq is 0 if it was not admitted.
func (t *tally) refuse(seq Seq) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.census.Refused++
	delete(t.admitted, seq)
}

func (t *tally) refused() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.census.Refused
}

func (t *tally) warn(w Warning) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.warnings) < maxWarnings {
		t.warnings = append(t.warnings, w)
	} else {
		t.dropped++
	}
}

// leaveOut counts a line that was not recorded and reports whether it is the
// first.
func (t *tally) leaveOut() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leftOut++
	return t.leftOut == 1
}

func (t *tally) linesLeftOut() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.leftOut
}

// limited keeps the first refusal by a limit and reports whether it is e.
func (t *tally) limited(e *Error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.limit != nil {
		return false
	}
	t.limit = e
	return true
}

func (t *tally) limitReached() *Error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.limit
}

// stuck returns the calls that have started and not ended, in order.
func (t *tally) stuck() []*call { return t.inOrder(t.open) }

// pending returns the calls that have not ended, in order.
func (t *tally) pending() []*call { return t.inOrder(t.admitted) }

func (t *tally) inOrder(calls map[Seq]*call) []*call {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]*call, 0, len(calls))
	for _, c := range calls {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *call) int { return cmp.Compare(a.seq, b.seq) })
	return out
}

// estimate is what the calls so far say about the whole run.
func (t *tally) estimate() Estimate {
	t.mu.Lock()
	defer t.mu.Unlock()
	ended := t.census.Completed + t.census.Failed + t.census.Cancelled
	e := Estimate{Admitted: len(t.admitted) + ended, Ended: ended}
	if ended == 0 {
		return e
	}
	u := t.usage
	e.Tokens = (u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens + u.OutputTokens) / ended
	if cost := t.cost.known(); cost != nil {
		expected := *cost / float64(ended) * float64(e.Admitted)
		e.CostUSD, e.Expected = cost, &expected
	}
	return e
}

// fill copies the counts into a result.
func (t *tally) fill(r *Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.Agents = t.census
	r.Failures = slices.Clone(t.failures)
	slices.SortFunc(r.Failures, func(a, b AgentFailure) int { return cmp.Compare(a.Seq, b.Seq) })
	r.Warnings = slices.Clone(t.warnings)
	if t.dropped > 0 {
		r.Warnings = append(r.Warnings, Warning{Code: "MORE_WARNINGS", Message: fmt.Sprintf("%d more warnings are in the journal", t.dropped)})
	}
	r.Usage = billOf(t.usage, t.cost.known())
}
