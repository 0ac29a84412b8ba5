package vm

import (
	"encoding/json"
	"time"
)

// Position is a place in the script as its author wrote it. Both numbers start
// at 1; zero means unknown.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Script is one body to run.
type Script struct {
	// Name is the workflow's name. Stack frames read "workflow:<Name>:line:col".
	Name string
	// Body is the source with the meta statement blanked, so that positions in
	// it are the author's.
	Body string
	// Args is the JSON text of the `args` global; nil makes it undefined.
	Args json.RawMessage
	// BudgetTotal is `budget.total`; nil makes it null and `remaining()` Infinity.
	BudgetTotal *float64
}

// AgentCall is what the script asked for with agent() or agent.settled().
type AgentCall struct {
	Prompt string // not empty
	// Options is the JSON text of the options object in the author's key order,
	// without members that were undefined; nil when no options were given.
	Options json.RawMessage
	// Settled is set for agent.settled().
	Settled bool
	Pos     Position
}

// Settle delivers the outcome of one admitted call to the script: value is JSON
// text (nil means null), err a fatal failure that rejects the promise.
//
// It may be called from any goroutine and never blocks. The realm sees
// outcomes in the order in which their Settle functions were called. The first
// call counts; a second one, or one after the run has ended, is ignored.
type Settle func(value json.RawMessage, err error)

// Note kinds.
const (
	NoteLog       = "log"       // log(message)
	NoteConsole   = "console"   // console.log and its siblings
	NoteDropped   = "dropped"   // an ordinary throw made a slot of parallel or pipeline null
	NoteCoerced   = "coerced"   // a value was changed on its way out of the realm
	NoteUnhandled = "unhandled" // a rejection that nobody handled
	NoteLimit     = "limit"     // a limit of the realm refused a call
)

// Note is one line that the script, or the realm about the script, wants
// recorded.
type Note struct {
	Kind    string
	Level   string // info, warn or error
	Message string
	Pos     Position
}

// Host answers the hooks of one realm. The realm calls it on its own goroutine,
// one call at a time, so an implementation must return at once. An error whose
// chain has a method Code() string keeps that code in the script; every error
// returned here is fatal: it escapes parallel() and pipeline(), and no script
// can make one like it.
type Host interface {
	// Agent admits one call, in program order. On a nil error the host must call
	// settle exactly once, or end the run. An error with a method Seen() has it
	// called on the loop before the script can handle the rejection, and after
	// every call that was made in the same stretch.
	Agent(call AgentCall, settle Settle) error
	// Phase enters a phase. The title is a non-empty string.
	Phase(title string) error
	// Note records one line. It cannot fail.
	Note(n Note)
	// Spent is the value of budget.spent(). It depends on what the script has seen
	// and on nothing else: delivered counts the outcomes of agent() calls that
	// have reached it, in the order of the Settle calls.
	Spent(delivered int) float64
	// After calls fire once, from any goroutine, when d has passed, unless the
	// returned function is called before. Fires are delivered to the realm in the
	// order in which they are called, in one sequence with the Settle calls.
	After(d time.Duration, fire func()) (cancel func())
}

// Waiter is a [Host] that wants to know when the script can go no further on its
// own. A realm, wherever it runs, tells a host that has the method.
type Waiter interface {
	// Waiting is called on the realm's goroutine, after every stretch of script
	// behind which no outcome and no timer stands in the queue. heard counts the
	// Settle and fire calls that had come to the realm by then, those that it
	// ignored among them: a host that has made more of them is about to be called
	// again. The outcome may be settled in the call.
	Waiting(heard int)
}
