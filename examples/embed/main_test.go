package main

import (
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	began := time.Now()
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	t.Logf("%v\n%s", time.Since(began), out.String())
	for _, want := range []string{
		"1 workflow.RunStarted\n",
		"workflow.AgentEnded\n",
		"workflow.RunEnded\n",
		"greet: completed, 1 agents, value \"[simulated",
		"fan-out: completed, 3 agents, value \"3 of 3 answered\"\n",
		"sum: completed, 0 agents, value 6\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in the output", want)
		}
	}
}
