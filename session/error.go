package session

import "fmt"

// Code names a class of failure of a log.
type Code string

// The classes of failure.
const (
	CodeInvariant   Code = "INVARIANT"           // the event may not come here
	CodeSurface     Code = "SURFACE"             // a replacement or a source that does not fit the log
	CodeNotJSON     Code = "NOT_JSON"            // the payload cannot be written as JSON
	CodeHeader      Code = "INVALID_HEADER"      // the header breaks its rules
	CodeSeed        Code = "INVALID_SEED"        // the inherited events break their rules
	CodeCorrupt     Code = "CORRUPT_LOG"         // the stored log is damaged before its end
	CodeUnsupported Code = "UNSUPPORTED_LOG"     // the stored log was written by another version
	CodeExists      Code = "SESSION_EXISTS"      // there is a log under this name already
	CodeMissing     Code = "SESSION_NOT_FOUND"   // there is no log under this name
	CodeBusy        Code = "SESSION_BUSY"        // another writer has the log
	CodeClosed      Code = "SESSION_CLOSED"      // the log was closed
	CodeStore       Code = "SESSION_NOT_WRITTEN" // the disk refused; the events are kept for the next try
)

// Error is a refusal or failure of a log. What was refused left no trace.
type Error struct {
	Kind    Code
	Message string // one line, lower case
	Err     error  // the cause, may be nil
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Code returns the class of the failure as a string.
func (e *Error) Code() string { return string(e.Kind) }

func fault(kind Code, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

func wrapped(kind Code, err error, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), Err: err}
}
