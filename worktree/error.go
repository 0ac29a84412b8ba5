package worktree

import "fmt"

// Kind is the class of a failure.
type Kind string

// The classes of failures.
const (
	NoGit        Kind = "NO_GIT"         // the git program cannot be run
	NoRepository Kind = "NO_REPOSITORY"  // the folder is in none, or in one without files
	NoCommit     Kind = "NO_COMMIT"      // there is nothing to begin from
	Failed       Kind = "GIT_FAILED"     // git refused
	Locked       Kind = "LOCKED"         // another process is changing the worktrees
	Unclean      Kind = "UNCLEAN"        // the checkout has changes of its own
	BadBook      Kind = "WORKTREES_FILE" // the list of a run's trees cannot be read
)

// Error is a failure of this package.
type Error struct {
	Kind    Kind
	Message string
	Err     error // what it came from; may be nil
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return fmt.Sprintf("%s: %v", e.Message, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Code returns the class of the failure as a string.
func (e *Error) Code() string { return string(e.Kind) }
