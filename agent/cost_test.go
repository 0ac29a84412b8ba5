package agent_test

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"testing"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/tool"
)

// endless calls a tool in each answer until it has made so many, and marks the
// beginning of each step.
type endless struct {
	steps int
	mark  func(step int)
	n     int
}

func (m *endless) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		m.n++
		m.mark(m.n)
		if m.n > m.steps {
			says("done")(context.Background(), yield)
			return
		}
		calls(call(fmt.Sprintf("c%d", m.n), "echo", `{"path":"some/file.go"}`))(context.Background(), yield)
	}
}

func long(t tb, steps int, mark func(int)) *agent.Agent {
	log, err := session.New(session.Header{ID: "s"}, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reg, err := tool.NewRegistry(echo(false))
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{
		Session: log, Model: &endless{steps: steps, mark: mark}, Tools: reg,
		Route: llm.Config{Provider: "p", Model: "m"}, MaxSteps: steps + 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Followup(say("go")); err != nil {
		t.Fatal(err)
	}
	return a
}

// A step makes as many allocations late in a session as early, so nothing is
// derived again from its beginning.
func TestCostOfAStepDoesNotGrow(t *testing.T) {
	const steps, span = 1000, 100
	var at [steps + 2]uint64
	a := long(t, steps, func(n int) {
		if n%span == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			at[n] = m.Mallocs
		}
	})
	if _, err := a.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	early, late := at[2*span]-at[span], at[steps]-at[steps-span]
	if late > early+early/5 {
		t.Errorf("steps %d to %d allocate %d times, steps %d to %d %d times", span, 2*span, early, steps-span, steps, late)
	}
}

// BenchmarkStep is the cost of one step, with its tool call, in sessions of
// different lengths.
func BenchmarkStep(b *testing.B) {
	for _, length := range []int{10, 100, 1000, 2000} {
		b.Run(fmt.Sprintf("after=%d", length), func(b *testing.B) {
			b.ReportAllocs()
			b.StopTimer()
			for done := 0; done < b.N; {
				batch := min(100, b.N-done)
				a := long(b, length+batch, func(n int) {
					if n == length {
						b.StartTimer()
					}
				})
				if _, err := a.Run(context.Background()); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				done += batch
			}
		})
	}
}
