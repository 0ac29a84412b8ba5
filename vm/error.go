package vm

import (
	"errors"
	"fmt"
	"strings"
)

// Codes of the errors of this package.
const (
	CodeScriptParse    = "SCRIPT_PARSE"
	CodeTooComplex     = "SOURCE_TOO_COMPLEX"
	CodeScriptError    = "SCRIPT_ERROR"
	CodeUnserializable = "RESULT_UNSERIALIZABLE"
	CodeArgument       = "INVALID_ARGUMENT"
	CodeItemCap        = "ITEM_CAP"
	CodeSyncTimeout    = "SYNC_TIMEOUT"
	CodeStack          = "STACK"
	CodeRegex          = "REGEX"
	CodeMemory         = "MEMORY"
	CodeNothingPending = "NOTHING_PENDING"
	CodeInternal       = "INTERNAL"
)

// ParseError says that a body was refused before any of it ran.
type ParseError struct {
	Reason  string
	Pos     Position
	Excerpt string // the line with a caret below it; empty when there is no place
	Hint    string // what to do about it; often empty
	// More are further faults that do not follow from this one, in source order.
	More []ParseError
	// TooComplex is set when a bound on size or nesting refused the source.
	TooComplex bool
}

// Error has a first line with the reason, and below it, as far as they are
// known, the excerpt, the hint and the other faults.
func (e *ParseError) Error() string {
	var b strings.Builder
	b.WriteString("workflow script does not parse: " + e.Reason + at(e.Pos) + e.Detail())
	for _, f := range e.More {
		b.WriteString("\nand: " + f.Reason + at(f.Pos) + f.Detail())
	}
	return b.String()
}

// Detail is the excerpt and the hint of this fault, each after a newline.
func (e *ParseError) Detail() string {
	lines := ""
	if e.Excerpt != "" {
		lines += "\n" + e.Excerpt
	}
	if e.Hint != "" {
		lines += "\nhint: " + e.Hint
	}
	return lines
}

// Code is SCRIPT_PARSE or SOURCE_TOO_COMPLEX.
func (e *ParseError) Code() string {
	if e.TooComplex {
		return CodeTooComplex
	}
	return CodeScriptParse
}

// Position is where the source is wrong.
func (e *ParseError) Position() Position { return e.Pos }

// ScriptError is an ordinary value that the script threw and nobody caught.
type ScriptError struct {
	// Rendered is the stack of the thrown value, else its message, else what
	// string coercion makes of it. It may have more than one line.
	Rendered string
	Pos      Position
}

func (e *ScriptError) Error() string { return e.Rendered }

// Code is SCRIPT_ERROR.
func (e *ScriptError) Code() string { return CodeScriptError }

// Position is the first frame of the stack that is in the script.
func (e *ScriptError) Position() Position { return e.Pos }

// ValueError says that the returned value is not plain JSON data.
type ValueError struct {
	Path   string // starts with the label of the root, "workflow result.a[2]"
	Reason string
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("the workflow's return value is not plain JSON data — %s: %s. "+
		"Return only JSON-serializable objects/arrays/scalars.", e.Path, e.Reason)
}

// Code is RESULT_UNSERIALIZABLE.
func (e *ValueError) Code() string { return CodeUnserializable }

// ArgumentError says that a hook was called wrongly. It is fatal.
type ArgumentError struct {
	Hook   string // "agent", "parallel", …
	Reason string // the whole message
	Pos    Position
	// Cap is set when a list was longer than [Options.MaxItems].
	Cap bool
}

func (e *ArgumentError) Error() string { return e.Reason }

// Code is INVALID_ARGUMENT or ITEM_CAP.
func (e *ArgumentError) Code() string {
	if e.Cap {
		return CodeItemCap
	}
	return CodeArgument
}

// Position is the call.
func (e *ArgumentError) Position() Position { return e.Pos }

// LimitError says that a guard of the realm ended the run.
type LimitError struct {
	Limit  string // SYNC_TIMEOUT, STACK, REGEX or MEMORY
	Reason string // names the bound
	Pos    Position
}

func (e *LimitError) Error() string { return e.Reason }

// Code is the name of the limit.
func (e *LimitError) Code() string { return e.Limit }

// Position is where the script was.
func (e *LimitError) Position() Position { return e.Pos }

// StalledError says that the body waits for a promise that nothing can settle.
type StalledError struct{}

func (e *StalledError) Error() string {
	return "the workflow waits for a promise that nothing will settle: no agent and no timer is pending"
}

// Code is NOTHING_PENDING.
func (e *StalledError) Code() string { return CodeNothingPending }

// PanicError is a fault of ours, or of the engine, that the realm survived.
type PanicError struct {
	Value any
	Stack []byte // of the goroutine
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("internal error in the workflow realm: %v", e.Value)
}

// Code is INTERNAL.
func (e *PanicError) Code() string { return CodeInternal }

// Unwrap gives the error that was the value of the panic, if it was one.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

func at(p Position) string {
	if p.Line == 0 {
		return ""
	}
	return fmt.Sprintf(" (line %d, column %d)", p.Line, p.Column)
}

// codeOf finds the code of a host's error for the script to read.
func codeOf(err error) string {
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		return coded.Code()
	}
	return CodeInternal
}
