package workflow

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dsh-go/dsh-workflow/vm"
)

// Code names a class of error. Scripts, records and the command line use the
// same words.
type Code string

// The codes of this package. The realm adds its own: SCRIPT_PARSE,
// SCRIPT_ERROR, SYNC_TIMEOUT, MEMORY, STACK, REGEX, NOTHING_PENDING,
// RESULT_UNSERIALIZABLE.
const (
	ScriptParse       Code = "SCRIPT_PARSE"
	MetaInvalid       Code = "META_INVALID"
	InvalidArgument   Code = "INVALID_ARGUMENT"
	UnsupportedOption Code = "UNSUPPORTED_OPTION"
	UnsupportedSchema Code = "UNSUPPORTED_SCHEMA"
	AgentCap          Code = "AGENT_CAP"
	ItemCap           Code = "ITEM_CAP"
	AgentStart        Code = "AGENT_START"
	AgentResult       Code = "AGENT_RESULT"
	Deadline          Code = "DEADLINE"
	TokenBudget       Code = "TOKEN_BUDGET"
	MoneyBudget       Code = "MONEY_BUDGET"
	Declined          Code = "DECLINED"
	Cancelled         Code = "CANCELLED"
	NotStarted        Code = "NOT_STARTED"
	JournalWrite      Code = "JOURNAL_WRITE"
	JournalDamaged    Code = "JOURNAL_DAMAGED"
	JournalVersion    Code = "JOURNAL_VERSION" // of a format or of keys that this version does not read
	NothingToResume   Code = "NOTHING_TO_RESUME"
	Skipped           Code = "SKIPPED"         // a call that a resume was told not to run
	OutcomeUnknown    Code = "OUTCOME_UNKNOWN" // a call that was cut off and must not run twice
	Internal          Code = "INTERNAL"
)

// EffortMapped is the code of the warning that a model does not have the effort
// that was asked for.
const EffortMapped = "EFFORT_MAPPED"

// Error is an error of this package. Errors that a hook returns are fatal to the
// script unless it catches them.
type Error struct {
	Kind    Code
	Message string
	Pos     vm.Position // zero if no line of the script is to blame
	Err     error       // the cause, may be nil
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Code returns the class of the error.
func (e *Error) Code() string { return string(e.Kind) }

// Position returns the place in the script, zero if there is none.
func (e *Error) Position() vm.Position { return e.Pos }

func newError(c Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: c, Message: err.Error(), Err: errors.Unwrap(err)}
}

// CodeOf returns the code of the first error in the chain that has one, else
// INTERNAL.
func CodeOf(err error) Code {
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		return Code(coded.Code())
	}
	return Internal
}

// limited tells whether the code is the refusal of a limit that keeps the work.
func (c Code) limited() bool {
	return slices.Contains([]Code{AgentCap, ItemCap, Deadline, TokenBudget, MoneyBudget, Declined}, c)
}

// faultOf renders err for a result.
func faultOf(err error) *Fault {
	if err == nil {
		return nil
	}
	f := &Fault{Code: string(CodeOf(err)), Message: err.Error()}
	var placed interface{ Position() vm.Position }
	if errors.As(err, &placed) {
		if p := placed.Position(); p.Line > 0 {
			f.Position = &p
		}
	}
	return f
}
