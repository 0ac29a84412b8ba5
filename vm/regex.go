package vm

import (
	"time"

	"github.com/dlclark/regexp2/v2"
)

// The defaults of one stretch of script, and of one match of a regular
// expression until BoundRegex says otherwise.
const (
	defaultSyncLimit  = 5 * time.Second
	defaultRegexBound = starvation * defaultSyncLimit
)

// The engine hands patterns with lookaround or back-references to a
// backtracking matcher, which knows no interrupt, only a time limit that is a
// variable of its package. It must be set before anything compiles a pattern.
var _ = BoundRegex(defaultRegexBound)

// BoundRegex sets, for the whole process, how long one match of a backtracking
// regular expression may take, and so the longest [Options.SyncLimit] that has
// an effect. The engine reports such a match as none at all; because it took at
// least as long as the stretch of script around it may, the run always ends
// with it and never goes on with a wrong answer.
//
// It is for the first lines of a main function: nothing may run at the same
// time. It returns d.
func BoundRegex(d time.Duration) time.Duration {
	regexp2.DefaultMatchTimeout = d
	return d
}

// regexBound is the bound in force.
func regexBound() time.Duration { return regexp2.DefaultMatchTimeout }
