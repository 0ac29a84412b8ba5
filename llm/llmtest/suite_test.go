package llmtest

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/llm/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSimKeepsTheContract(t *testing.T) {
	Run(t, func(*testing.T) llm.Model { return sim.New(sim.Config{}) })
}
