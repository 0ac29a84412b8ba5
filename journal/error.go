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
	text := fmt.Sprintf("run %q: %s", string(e.Run), e.Kind.text())
	if e.Err != nil {
		return text + ": " + e.Err.Error()
	}
	return text
}

func (c Code) text() string {
	switch c {
	case CodeExists:
		return "there is a run with this id already"
	case CodeUnknown:
		return "there is no such run"
	case CodeBusy:
		return "another process is writing to it"
	case CodeInvalid:
		return "an id must be a plain name"
	case CodeDamaged:
		return "its files are damaged"
	case CodeClosed:
		return "its journal is closed"
	case CodeWrite:
		return "its files cannot be written"
	}
	return string(c)
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

// Gap says that records are missing from a journal: what happened there is not
// known, and going on behind it would do again what was done.
type Gap struct {
	Run  workflow.RunID
	Line int // the first that is not what it was
	Why  string
}

func (e *Gap) Error() string {
	return fmt.Sprintf("journal line %d: %s, so what happened there is not known; to go on from what stands before it, in a new run: dsh-workflow resume %s --before %d",
		e.Line, e.Why, string(e.Run), e.Line)
}

// Code returns the class of the failure as a string.
func (e *Gap) Code() string { return string(workflow.JournalDamaged) }

// Code returns the class of the failure as a string.
func (e *Skipped) Code() string { return "SKIPPED_LINE" }
