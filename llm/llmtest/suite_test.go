package llmtest

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/llm/sim"
)

// The clock of the regular expressions in schemas ends some time after the last match.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

func TestSimKeepsTheContract(t *testing.T) {
	Run(t, func(*testing.T) llm.Model { return sim.New(sim.Config{}) })
}
