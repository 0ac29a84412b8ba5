package llm

import (
	"context"
	"errors"
	"strings"
)

// AsError returns the [*Error] in err's chain, or classifies err: the end of a
// context is [CodeAborted], anything that says it is a timeout is
// [CodeTimeout], the rest is [CodeTransport]. It returns nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var failed *Error
	if errors.As(err, &failed) {
		return failed
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &Error{Kind: CodeAborted, Message: "the request was aborted", Err: err}
	}
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return &Error{Kind: CodeTimeout, Message: "the request timed out", Err: err}
	}
	return &Error{Kind: CodeTransport, Message: "the connection failed", Err: err}
}

// Bounds of a chain: hostile errors may be their own cause or have thousands.
const (
	maxChainErrors = 64
	maxChainBytes  = 4 << 10
)

// Chain returns the texts of err and of all its causes in one line, joined by
// ": ". A text that an outer one already holds is not repeated. Joined errors
// follow each other; cycles end, and a panic while an error tells its text is
// shown as such.
func Chain(err error) string {
	var out strings.Builder
	left := maxChainErrors
	chain(&out, err, &left)
	return out.String()
}

func chain(out *strings.Builder, err error, left *int) {
	if err == nil || *left == 0 || out.Len() > maxChainBytes {
		return
	}
	*left--
	if text := textOf(err); text != "" && !strings.Contains(out.String(), text) {
		if out.Len() > 0 {
			out.WriteString(": ")
		}
		out.WriteString(text[:min(len(text), maxChainBytes)])
	}
	for _, cause := range causesOf(err) {
		chain(out, cause, left)
	}
}

func textOf(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = "an error that cannot tell its text"
		}
	}()
	return strings.Join(strings.Fields(err.Error()), " ")
}

func causesOf(err error) (causes []error) {
	defer func() {
		if recover() != nil {
			causes = nil
		}
	}()
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	}
	return nil
}
