package schema

import (
	"fmt"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Bounds of one check. A schema can be written so that checking takes time
// exponential in the depth of the value, and a pattern so that matching does.
const (
	checkTime = 5 * time.Second
	matchTime = 500 * time.Millisecond
	stepsPer  = 256 // how many sub-schemas are entered between looks at the clock
)

// guard ends a check that takes too long, by a panic that Schema.check recovers:
// the validator has no other way to stop.
type guard struct {
	steps    int
	deadline time.Time
}

// overrun is the value of the panic.
type overrun struct{ reason string }

func (g *guard) start() {
	g.steps, g.deadline = 0, time.Now().Add(checkTime)
}

func (g *guard) look() {
	if time.Now().After(g.deadline) {
		panic(overrun{fmt.Sprintf("checking took longer than %v", checkTime)})
	}
}

// Validate counts one step. It makes the guard an extension of every compiled
// schema object.
func (g *guard) Validate(*jsonschema.ValidatorContext, any) {
	if g.steps++; g.steps%stepsPer == 0 {
		g.look()
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
	if e.guard != nil {
		e.guard.look()
	}
	ok, err := e.re.MatchString(s)
	if err != nil {
		panic(overrun{fmt.Sprintf("pattern %s took too long", compact(e.re.String()))})
	}
	return ok
}
