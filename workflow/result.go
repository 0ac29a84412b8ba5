package workflow

import (
	"encoding/json"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/vm"
)

// SchemaVersion is the version of the JSON form of a [Result].
const SchemaVersion = 1

// Status says how a run stands.
type Status string

// The states of a run. Running, paused and interrupted are not in any record.
const (
	StatusRunning    Status = "running"
	StatusPaused     Status = "paused"
	StatusCompleted  Status = "completed"
	StatusWithFailed Status = "completed_with_failures"
	StatusFailed     Status = "failed"
	StatusCancelled  Status = "cancelled"
	StatusLimit      Status = "limit_reached"
	StatusInvalid    Status = "invalid" // the script was refused, nothing ran
	// StatusInterrupted is a run without an end that nobody writes: its process is gone.
	StatusInterrupted Status = "interrupted"
)

// Result is what a run came to. Its JSON form is the envelope that the command
// line prints and that result.json holds.
type Result struct {
	SchemaVersion int             `json:"schemaVersion"`
	RunID         *RunID          `json:"runId"` // null if nothing ran
	Name          string          `json:"name"`
	Status        Status          `json:"status"`
	Value         json.RawMessage `json:"value"` // what the script returned, or null
	Error         *Fault          `json:"error"`
	Agents        Census          `json:"agents"`
	Failures      []AgentFailure  `json:"failures"`
	Warnings      []Warning       `json:"warnings"`
	Usage         Bill            `json:"usage"`
	DurationMS    int64           `json:"durationMs"`
	RunDir        string          `json:"runDir"` // empty if the run was kept in memory
}

// Fault is why a run did not complete.
type Fault struct {
	Code     string       `json:"code"`
	Message  string       `json:"message"`
	Position *vm.Position `json:"position"` // null if no line of the script is to blame
}

// Census counts calls. Started is the sum of Completed, Failed and Cancelled;
// Replayed is a part of Completed; Refused calls never started.
type Census struct {
	Started   int `json:"started"`
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
	Cancelled int `json:"cancelled"`
	Replayed  int `json:"replayed"`
	Refused   int `json:"refused"`
}

// AgentFailure is one call that ran and gave the script null.
type AgentFailure struct {
	Seq     Seq    `json:"seq"`
	Label   string `json:"label"`
	Phase   string `json:"phase,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
	// SessionID names the log of what the agent did.
	SessionID string `json:"sessionId,omitempty"`
}

// Warning is something that the author of the script should know.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
}

// Bill is the usage of a whole run. InputTokens includes CachedTokens. CostUSD
// is nil when a price is unknown.
type Bill struct {
	InputTokens     int      `json:"inputTokens"`
	CachedTokens    int      `json:"cachedTokens"`
	OutputTokens    int      `json:"outputTokens"`
	ReasoningTokens int      `json:"reasoningTokens"`
	CostUSD         *float64 `json:"costUsd"`
}

func billOf(u llm.Usage, cost *float64) Bill {
	return Bill{
		CostUSD:         cost,
		InputTokens:     u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens,
		CachedTokens:    u.CacheReadTokens,
		OutputTokens:    u.OutputTokens,
		ReasoningTokens: u.ReasoningTokens,
	}
}

// Duration is the wall time of the run.
func (r Result) Duration() time.Duration { return time.Duration(r.DurationMS) * time.Millisecond }

// normal makes every list and value of the envelope present.
func (r Result) normal() Result {
	if r.Value == nil {
		r.Value = json.RawMessage("null")
	}
	if r.Failures == nil {
		r.Failures = []AgentFailure{}
	}
	if r.Warnings == nil {
		r.Warnings = []Warning{}
	}
	return r
}
