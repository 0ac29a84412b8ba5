package vm

import (
	"time"

	"github.com/dlclark/regexp2/v2"
)

const defaultSyncLimit = 5 * time.Second

// Patterns with lookaround or back-references go to our own matcher, which can be
// stopped. Should the engine hand one to its own backtracking matcher all the same,
// that knows no interrupt, only a time limit that is a variable of its package. It
// must be set before anything compiles a pattern.
var _ = BoundRegex(RegexBound(defaultSyncLimit))

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

// RegexBound is what [BoundRegex] needs for stretches of that length.
func RegexBound(syncLimit time.Duration) time.Duration { return starvation * syncLimit }

// regexBound is the bound in force.
func regexBound() time.Duration { return regexp2.DefaultMatchTimeout }
