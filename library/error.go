package library

import "fmt"

// Kind says what is wrong with a name, a file or a folder.
type Kind string

// Kinds of errors and of skipped files. A file whose meta statement is faulty has
// the code of that fault instead.
const (
	InvalidName Kind = "WORKFLOW_NAME"        // the name cannot be used
	NotFound    Kind = "WORKFLOW_NOT_FOUND"   // no folder has it
	Outside     Kind = "WORKFLOW_OUTSIDE"     // a link leads out of its root
	NotRegular  Kind = "WORKFLOW_NOT_REGULAR" // a folder, pipe or device where a file should be, or the reverse
	Ending      Kind = "WORKFLOW_ENDING"      // the file name does not end like a workflow
	TooLarge    Kind = "WORKFLOW_TOO_LARGE"   // over MaxFile, or a folder with over MaxFiles entries
	NotText     Kind = "WORKFLOW_NOT_TEXT"    // not UTF-8
	Unreadable  Kind = "WORKFLOW_UNREADABLE"  // the system refuses to read it
	BadAgent    Kind = "AGENT_INVALID"        // the front matter of an agent type is faulty
	Untrusted   Kind = "WORKFLOW_UNTRUSTED"   // the folder of a project that the user does not trust
)

// Error is a refusal of this package.
type Error struct {
	Kind Kind
	// Subject is the name or path that is refused; a long name is cut.
	Subject string
	Reason  string
}

// Error is one line.
func (e *Error) Error() string { return fmt.Sprintf("workflow %q: %s", e.Subject, e.Reason) }

// Code is the kind.
func (e *Error) Code() string { return string(e.Kind) }
