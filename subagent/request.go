package subagent

import (
	"context"
	"encoding/json"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/worktree"
)

// CallID names one agent() call of one run, as "<runId>/<seq>". Starting a call
// that is alive already gives the child that it has.
type CallID string

// Lineage says where a child comes from. It is data: a provider may send it to
// another process.
type Lineage struct {
	Run      string // run id
	Parent   string // session id of the agent that started the run; may be empty
	Root     string // absolute path of the run's root
	Cwd      string // absolute path, inside Root, in which the child works
	Depth    int    // 0 for a child of a top-level run
	Sessions string // folder of the run's session logs; empty keeps them in memory
	Folder   string // of the run, absolute; empty when it is kept in memory
	Trusted  bool   // the user trusts the project of Root; else the child may only look
	Guided   bool   // Trusted, and the user trusts the project of Cwd too, whose files then count
}

// Route chooses the model of a child. Empty members are the provider's defaults.
type Route struct {
	Provider string
	Model    string
	Effort   string
}

// Request is one child to start.
type Request struct {
	Call    CallID
	Label   string // display name, may be empty
	Prompt  string
	Lineage Lineage
	Route   Route
	// Schema makes the child's result a value that matches it; nil asks for text.
	// Its root is an object. It has passed schema.Compile.
	Schema json.RawMessage
	// Tools narrows the child's tools to those named; nil leaves all.
	Tools []string
	// Type is the kind of agent; nil is one for all work.
	Type *Type
	// Stall is the longest silence of a model stream; zero is the default.
	Stall time.Duration
	// Worktree asks for a git worktree of the child's own. Without one the start
	// fails: the folder of the run is never given instead.
	Worktree bool
}

// Outcome says how a child ended.
type Outcome string

// The ways in which a child ends.
const (
	Completed Outcome = "completed"
	Failed    Outcome = "failed"
	Cancelled Outcome = "cancelled"
)

// Failure says why a child did not complete. Code is a code of llm, of this
// package, or STRUCTURED_OUTPUT, MAX_TOKENS, REFUSAL, MAX_STEPS.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Result is what a child came to. Text survives a failure when there is some.
type Result struct {
	Outcome Outcome
	Text    string          // the last message of the child
	Value   json.RawMessage // set exactly when a Schema was asked for and Outcome is Completed
	Usage   llm.Usage
	Failure *Failure // set exactly when Outcome is not Completed
	// Repaired counts structured values that were mended, Degraded flags a value
	// that was taken from prose or looks like a placeholder.
	Repaired int
	Degraded bool
	// Tree is what the child left in its worktree; nil when it had none, or changed
	// nothing.
	Tree *worktree.Left
}

// Provider starts children. Start returns when the child exists and can be
// named; an error means that nothing was started and nothing is left. ctx covers
// the start and the whole life of the child: when it ends, the child is
// cancelled with its cause. Start may be called from any goroutine.
type Provider interface {
	Name() string
	Start(ctx context.Context, req Request) (Child, error)
}

// Child is one running subagent.
//
// Wait returns its result; a child that failed or was cancelled is a Result, an
// error is a fault of the machinery. It may be called more than once, from any
// goroutine, and returns early with ctx's cause when ctx ends. Close cancels
// what is left, waits for it, and releases everything; it is idempotent.
type Child interface {
	ID() string
	Wait(ctx context.Context) (Result, error)
	Close() error
}

// Retrier is a Child that can go on after a failure: Retry starts another
// attempt from the child's own session, so that nothing done so far is done
// again. It may be called after Wait has returned a Result that is Failed; the
// next Wait gives the result of the new attempt, with the usage of all of them.
type Retrier interface {
	Retry(ctx context.Context) error
}
