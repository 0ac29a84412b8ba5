package schema

import (
	"fmt"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Bounds of one check. A schema can be written so that checking takes time
// exponential in the depth of the value, and a pattern so that matching does.
// Steps are counted and not timed, so that a busy machine changes no outcome.
const (
	freeSteps   = 50_000 // schema objects that may be applied to any value
	valueSteps  = 200    // and how many more for each value inside it
	matchTime   = 500 * time.Millisecond
	patternTime = 5 * time.Second // all matches together
)

// guard ends a check that takes too long, by a panic that Schema.guarded
// recovers: the validator has no other way to stop.
type guard struct {
	steps    int // that are left
	matching time.Duration
}

// overrun is the value of the panic.
type overrun struct{ reason string }

// start allows what a value of this size may cost.
func (g *guard) start(size int) {
	*g = guard{steps: freeSteps + valueSteps*size}
}

// Validate counts one step. It makes the guard an extension of every compiled
// schema object.
func (g *guard) Validate(*jsonschema.ValidatorContext, any) {
	if g.steps--; g.steps < 0 {
		panic(overrun{"checking takes too many steps"})
	}
}

func (g *guard) vocabulary() *jsonschema.Vocabulary {
	return &jsonschema.Vocabulary{
		URL: "schema:///guard",
		Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
			return g, nil
		},
	}
}

// expr is a regular expression of a schema. A match that takes too long is no
// answer, so it ends the check.
type expr struct {
	re    *regexp2.Regexp
	guard *guard
}

func compileExpression(pattern string, g *guard) (jsonschema.Regexp, error) {
	re, err := regexp2.Compile(pattern, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = matchTime
	return &expr{re, g}, nil
}

// String gives the source of the expression.
func (e *expr) String() string { return e.re.String() }

// MatchString reports a match anywhere in s.
func (e *expr) MatchString(s string) bool {
	start := time.Now()
	ok, err := e.re.MatchString(s)
	if e.guard != nil {
		e.guard.matching += time.Since(start)
	}
	if err != nil || e.guard != nil && e.guard.matching > patternTime {
		panic(overrun{fmt.Sprintf("pattern %s takes too long", compact(e.re.String()))})
	}
	return ok
}
