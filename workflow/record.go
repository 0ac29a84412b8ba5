package workflow

import (
	"encoding/json"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/worktree"
)

// RunID names a run: "wf_" and a lower-case ULID.
type RunID string

// Seq numbers the agent() calls of a run in program order, from 1.
type Seq int

// FormatVersion is the version of the record format.
const FormatVersion = 1

// Record is one line of a run's journal. N counts from 1 without gaps.
type Record struct {
	N    int
	Time time.Time // millisecond precision in the file
	Fact Fact
}

// Fact is what a record says. The set is sealed; its tag in the file is the
// name of the Go type.
type Fact interface{ fact() }

// RunStarted opens the journal.
type RunStarted struct {
	Format  int      `json:"format"`
	Engine  string   `json:"engine"`  // version of this module
	Name    string   `json:"name"`    // of the workflow
	Phases  []string `json:"phases"`  // titles that meta declares, in order
	Strict  bool     `json:"strict"`  // unknown options are fatal
	Agents  int      `json:"agents"`  // the run's cap on agents
	AtOnce  int      `json:"atOnce"`  // agents at once
	Version string   `json:"prelude"` // version of the realm's prelude
}

// RunResumed says that the run is run again from its start, over the outcomes that
// it has. The records behind it tell the whole run anew; calls are numbered again.
// Its members are those of RunStarted, as they are from here on, and what was
// asked for.
type RunResumed struct {
	RunStarted
	Last    Status          `json:"last"`             // how the run stood
	Mode    ResumeMode      `json:"mode"`             //
	Script  string          `json:"script,omitempty"` // file of an edited script
	ArgsSet bool            `json:"argsSet,omitempty"`
	Args    json.RawMessage `json:"args,omitempty"` // new ones; absent with ArgsSet: none
	Root    string          `json:"root,omitempty"` // set when the folder is elsewhere now
	Cwd     string          `json:"cwd,omitempty"`
	Limits  Limits          `json:"limits"`
	Launch  json.RawMessage `json:"launch,omitempty"` // see Request
	From    RunID           `json:"from,omitempty"`   // the run that this one was forked from
	Set     Seq             `json:"set,omitempty"`    // the call of From that got another answer
	Skip    []Seq           `json:"skip,omitempty"`   // calls of the history before that are not run
}

// PhaseEntered is a call of phase().
type PhaseEntered struct {
	Title string `json:"title"`
}

// Logged is a line of log() or console.
type Logged struct {
	Level   string `json:"level"` // info, warn or error
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
}

// Warned is something that the author should know. It also stands in
// [Result.Warnings].
type Warned struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
}

// AgentQueued is an admitted call that waits for a slot.
type AgentQueued struct {
	Seq   Seq    `json:"seq"`
	Label string `json:"label"`
	// Phase is absent before the first phase(); an empty title is one too.
	Phase *string `json:"phase,omitempty"`
	Key   string  `json:"key"`
	Occ   int     `json:"occ"` // 0 for the first of equal calls
	Model string  `json:"model,omitempty"`
	// AgentType is absent for the general one.
	AgentType string `json:"agentType,omitempty"`
}

// AgentStarted says that a call's child exists. Every AgentStarted has exactly
// one AgentEnded, unless the process died.
type AgentStarted struct {
	Seq   Seq    `json:"seq"`
	Child string `json:"child"` // session id
}

// AgentRetried says that a failed attempt of a call is tried again from the
// child's own session.
type AgentRetried struct {
	Seq     Seq    `json:"seq"`
	Attempt int    `json:"attempt"` // the one that begins; 2 for the first retry
	Code    string `json:"code"`
	Message string `json:"message"`
}

// AgentEnded is the end of a call, and the point at which the script sees its
// result.
type AgentEnded struct {
	Seq     Seq              `json:"seq"`
	Child   string           `json:"child"`
	Outcome subagent.Outcome `json:"outcome"`
	Key     string           `json:"key"`
	Occ     int              `json:"occ"`
	Value   json.RawMessage  `json:"value,omitempty"` // what the script sees; absent unless completed
	// ValueRef is the number of the record that holds the value, for a call that a
	// resume did not run again. Such an end has no AgentStarted of its own, and its
	// usage is that of the first time.
	ValueRef int               `json:"valueRef,omitempty"`
	Given    bool              `json:"given,omitempty"` // the value came from a person
	Text     string            `json:"text,omitempty"`  // last words of a call that did not complete
	Usage    llm.Usage         `json:"usage"`
	CostUSD  *float64          `json:"costUsd,omitempty"` // absent if a price is unknown
	Attempts int               `json:"attempts"`
	Error    *subagent.Failure `json:"error,omitempty"`
	MS       int64             `json:"ms"` // from AgentStarted to here
	Repaired int               `json:"repaired,omitempty"`
	Degraded bool              `json:"degraded,omitempty"`
	// Tree is what the agent left in its worktree, whatever its outcome.
	Tree *worktree.Left `json:"tree,omitempty"`
}

// AgentRefused is a call that never started: Seq is 0 for one that was not
// admitted, else the number that it had in the queue.
type AgentRefused struct {
	Seq     Seq    `json:"seq,omitempty"`
	Label   string `json:"label,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// TimerFired is a setTimeout callback that reached the script. It orders; it is
// not synced on its own.
type TimerFired struct {
	Timer int     `json:"timer"` // in the order of the setTimeout calls, from 1
	MS    float64 `json:"ms"`    // the delay that the script gave
}

// LimitReached is the first refusal by a limit.
type LimitReached struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// RunEnded closes the journal.
type RunEnded struct {
	Status Status `json:"status"`
	Error  *Fault `json:"error,omitempty"`
	Agents Census `json:"agents"`
	MS     int64  `json:"ms"`
	// LinesLeftOut counts what was logged beyond the limit.
	LinesLeftOut int `json:"linesLeftOut,omitempty"`
}

// Unknown is a record of a type that this version does not know.
type Unknown struct {
	Type string
	Raw  json.RawMessage
}

func (RunStarted) fact()   {}
func (RunResumed) fact()   {}
func (PhaseEntered) fact() {}
func (Logged) fact()       {}
func (Warned) fact()       {}
func (AgentQueued) fact()  {}
func (AgentStarted) fact() {}
func (AgentRetried) fact() {}
func (AgentEnded) fact()   {}
func (AgentRefused) fact() {}
func (TimerFired) fact()   {}
func (LimitReached) fact() {}
func (RunEnded) fact()     {}
func (Unknown) fact()      {}
