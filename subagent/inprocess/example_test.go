package inprocess_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/llm/sim"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/inprocess"
)

func ExampleSpawn() {
	provider := inprocess.Spawn(inprocess.Config{
		Resolve: inprocess.Fixed(sim.New(sim.Config{}), llm.Config{Provider: "sim", Model: "sim"}),
	})
	ctx := context.Background()
	child, err := provider.Start(ctx, subagent.Request{
		Prompt: `Count the files. @@mock [{"capture":{"files":"3"}}]`,
		Schema: json.RawMessage(`{"type":"object","properties":{"files":{"type":"integer"}},"required":["files"]}`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer child.Close()
	result, err := child.Wait(ctx)
	fmt.Println(result.Outcome, string(result.Value), result.Repaired, err)
	// Output: completed {"files":3} 1 <nil>
}
