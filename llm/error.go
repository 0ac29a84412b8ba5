package llm

import "time"

// Code names a class of failure.
type Code string

// The classes of failure. HTTP statuses without a class of their own become
// "HTTP_<status>".
const (
	CodeAborted        Code = "ABORTED"
	CodeAuth           Code = "AUTH"
	CodeContextWindow  Code = "CONTEXT_WINDOW_EXCEEDED"
	CodeEmpty          Code = "EMPTY_RESPONSE"
	CodeInvalidRequest Code = "INVALID_REQUEST"
	CodeMalformed      Code = "MALFORMED_RESPONSE"
	CodeMissingKey     Code = "MISSING_CREDENTIAL"
	CodeQuota          Code = "QUOTA"
	CodeRateLimit      Code = "RATE_LIMIT"
	CodeServer         Code = "SERVER"
	CodeStreamClosed   Code = "STREAM_CLOSED"
	CodeTimeout        Code = "TIMEOUT"
	CodeTransport      Code = "TRANSPORT"
	CodeUnknownModel   Code = "UNKNOWN_MODEL" // the endpoint does not have the model
	CodeEffort         Code = "UNSUPPORTED_REASONING_EFFORT"
)

// Error is a failed request. Its message never holds a credential.
type Error struct {
	Kind       Code
	Message    string        // one line, lower case, for people
	Status     int           // HTTP status, 0 if there was no answer
	RetryAfter time.Duration // what the provider asked for, 0 if it did not
	RequestID  string        // the provider's id, may be empty
	Err        error         // the cause, may be nil
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Code returns the class of the failure as a string.
func (e *Error) Code() string { return string(e.Kind) }
