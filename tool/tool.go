package tool

import (
	"context"
	"encoding/json"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/schema"
)

// Tool is a thing that a model can call: data and a function.
type Tool struct {
	Name        string
	Description string
	// Input is the JSON Schema of the arguments. It is sent to the model in the
	// author's order, and arguments that violate it never reach Run.
	Input json.RawMessage
	// Contract is Input compiled, for who has it already; nil compiles Input.
	Contract *schema.Schema
	// Parallel reports whether this call may run beside others of the same batch;
	// nil means never. It must not block.
	Parallel func(args json.RawMessage) bool
	// Timeout ends a call that runs longer, with [KindTimeout]; zero gives it all the
	// time it wants.
	Timeout time.Duration
	// Inline leaves long results in the message, up to the limit of the registry. It
	// is for the tool that reads what others have stored.
	Inline bool
	// Harmless says that the tool changes nothing, and sees nothing that a call
	// with [Call.Confined] set must not see. Only such tools are for folders that
	// the user does not trust.
	Harmless bool
	// Run does the work. An error becomes an error result that the model sees as
	// "Error: <text>"; one with a method Code() string keeps its code. A run whose
	// ctx ended must return soon.
	Run func(ctx context.Context, call Call) (Result, error)
}

// Call is one execution of a tool.
type Call struct {
	ID        string // the model's call id
	Name      string
	Arguments json.RawMessage // valid against Tool.Input
	Session   string          // session id of the calling agent
	Cwd       string          // absolute; relative paths of arguments start here
	Root      string          // absolute; files outside it are not changed
	Home      string          // the harness home, for DSH_HOME; may be empty
	// Outputs is the folder for outputs that are too long to show. A tool gets the
	// folder of its session in it. Empty makes temporary folders.
	Outputs string
	// Confined keeps a harmless tool from looking at anything outside Root and Outputs.
	Confined bool
}

// Result is what a call gave.
type Result struct {
	Content []llm.Block // what the model sees
	IsError bool
	Error   *Error // set exactly when IsError
	// Value is the structured form of the result for programs; it may be nil.
	Value json.RawMessage
	// Note is a fact that the session log keeps beside the result; it may be nil.
	Note *Note
	// Concludes asks the agent to end the turn without another request.
	Concludes bool
}

// Note is an event of the session log that a tool makes: its type, which is none
// of the log's own, and its payload, a JSON value. A call that fails leaves none.
type Note struct {
	Type string
	Data json.RawMessage
}

// Error names the failure of a call.
type Error struct {
	Name    string // for example ToolArgsError; may be empty
	Kind    string // INVALID_ARGS, UNKNOWN_TOOL, ABORTED, FS_NOT_FOUND, …; may be empty
	Message string
	Err     error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Code returns the code of the failure.
func (e *Error) Code() string { return e.Kind }

// Text is the usual content of a result.
func Text(s string) []llm.Block { return []llm.Block{llm.Text{Text: s}} }
