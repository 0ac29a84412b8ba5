package journal

import (
	"fmt"

	"github.com/dsh-go/dsh-workflow/workflow"
)

// Code names a class of failure of a store.
type Code string

// The classes of failure.
const (
	CodeExists  Code = "RUN_EXISTS"
	CodeUnknown Code = "UNKNOWN_RUN"
	CodeBusy    Code = "RUN_BUSY" // another writer has the run
	CodeInvalid Code = "INVALID_RUN_ID"
	CodeDamaged Code = "DAMAGED_RUN" // run.json or result.json cannot be read
	CodeClosed  Code = "JOURNAL_CLOSED"
	CodeWrite   Code = "JOURNAL_WRITE" // the disk refused
)

// Error is a failure of a store.
type Error struct {
	Kind Code
	Run  workflow.RunID
	Err  error // the cause, may be nil
}

func (e *Error) Error() string {
	text := fmt.Sprintf("run %q: %s", string(e.Run), texts[e.Kind])
	if e.Err != nil {
		return text + ": " + e.Err.Error()
	}
	return text
}

var texts = map[Code]string{
	CodeExists:  "there is a run with this id already",
	CodeUnknown: "there is no such run",
	CodeBusy:    "another process is writing to it",
	CodeInvalid: "an id must be a plain name",
	CodeDamaged: "its files are damaged",
	CodeClosed:  "its journal is closed",
	CodeWrite:   "its journal cannot be written",
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Code returns the class of the failure as a string.
func (e *Error) Code() string { return string(e.Kind) }

// Skipped is a piece of a journal that is no record.
type Skipped struct {
	Line int // from 1
	Why  string
}

func (e *Skipped) Error() string { return fmt.Sprintf("journal line %d: %s", e.Line, e.Why) }

// Code returns the class of the failure as a string.
func (e *Skipped) Code() string { return "SKIPPED_LINE" }
