package agent

import (
	"context"
	"errors"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
)

// Codes of [Error].
const (
	CodeBusy      = "BUSY"              // Run while Run is active
	CodeConfig    = "INVALID_CONFIG"    // New with a Config that cannot work
	CodeMessage   = "INVALID_MESSAGE"   // input that is not a user message
	CodeDuplicate = "DUPLICATE_MESSAGE" // input whose id is waiting already
	CodeLog       = "SESSION_LOG"       // the log cannot be read or written
)

// Codes that end a turn, beside those of llm.
const (
	CodeNoModel = "NO_MODEL" // no model was named for the request
	CodeRefusal = "REFUSAL"  // the provider's content filter stopped the answer
	CodeUnknown = "UNKNOWN"  // an error without a code of its own
)

// Error is misuse of an agent or a fault of its log. A failure inside a turn is
// not an Error: it is [Outcome.End].
type Error struct {
	Kind    string // one of the first group of codes
	Message string // one line, lower case
	Err     error  // the cause, may be nil
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Code returns the code of the error.
func (e *Error) Code() string { return e.Kind }

// Who cancels, as it stands in the log. Any other text is a reason of the
// caller's own.
const (
	ByUser     = "user"
	ByParent   = "parent"
	ByDisposed = "disposed"
)

// Cancel is the cause to end a context of [Agent.Run] with, by
// [context.WithCancelCause]. Any other cause stands in the log as its text, and
// a plain cancel as [ByUser].
type Cancel struct {
	By string
	// KeepInbox leaves waiting input where it is. Input that the turn has claimed
	// is spent all the same.
	KeepInbox bool
}

func (c *Cancel) Error() string { return "cancelled by " + c.By }

// Code returns ABORTED.
func (c *Cancel) Code() string { return "ABORTED" }

// aborted is the end of a turn whose context has ended.
func aborted(ctx context.Context) session.EndReason {
	end := session.EndReason{Kind: session.EndAborted}
	cause := context.Cause(ctx)
	var c *Cancel
	switch {
	case errors.As(cause, &c):
		end.Cause = c.By
	case errors.Is(cause, context.Canceled):
		end.Cause = ByUser
	case cause != nil:
		end.Cause = cause.Error()
	}
	return end
}

// keepsInbox reports whether the cause of an ended context spares waiting input.
func keepsInbox(ctx context.Context) bool {
	var c *Cancel
	return errors.As(context.Cause(ctx), &c) && c.KeepInbox
}

// codeOf is the code that an error carries somewhere in its chain.
func codeOf(err error) string {
	var coded interface{ Code() string }
	if errors.As(err, &coded) && coded.Code() != "" {
		return coded.Code()
	}
	return CodeUnknown
}

// failed is the end of a turn that an error ended.
func failed(err error) session.EndReason {
	return session.EndReason{Kind: session.EndError, Error: &session.Failure{Message: llm.Chain(err), Code: codeOf(err)}}
}
