package subagent

import (
	"context"
	"errors"
)

// Code names a class of failure of this package.
type Code string

// Codes of errors that a start returns, and of a [Failure].
const (
	CodeDuplicateProvider Code = "DUPLICATE_PROVIDER"
	CodeNoProvider        Code = "NO_PROVIDER"
	CodeUnsupported       Code = "UNSUPPORTED_CAPABILITY"
	CodeInvalidStart      Code = "INVALID_START"     // the request is malformed
	CodeMaxDepth          Code = "MAX_DEPTH"         // too many delegations inside one another
	CodeCancelled         Code = "CANCELLED"         // ended by its caller
	CodeStructuredOutput  Code = "STRUCTURED_OUTPUT" // no valid value although one was asked for
	CodeMaxTokens         Code = "MAX_TOKENS"        // the answer was cut at the token limit
	CodeRefusal           Code = "REFUSAL"           // the provider's filter or a policy declined
	CodeMaxSteps          Code = "MAX_STEPS"         // the turn used up its steps
)

// Error is a start that failed. Nothing was started and nothing is left.
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

// Aborted is the error of a start whose ctx ended before the child existed. Its
// cause is the cause of ctx.
func Aborted(ctx context.Context) *Error {
	return &Error{
		Kind:    CodeCancelled,
		Message: "subagent request was aborted before child publication",
		Err:     context.Cause(ctx),
	}
}

// CancelledBy is the result of a child that ctx ended, with the text that it
// had until then.
func CancelledBy(ctx context.Context, text string) Result {
	message := "cancelled"
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		message = cause.Error()
	}
	return Result{
		Outcome: Cancelled,
		Text:    text,
		Failure: &Failure{Code: string(CodeCancelled), Message: message},
	}
}
