package subagenttest_test

import (
	"context"
	"fmt"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
)

func ExampleScripted() {
	provider := subagenttest.NewScriptedFunc("", func(req subagent.Request) subagenttest.Script {
		if req.Prompt == "boom" {
			return subagenttest.Script{Outcome: subagent.Failed}
		}
		return subagenttest.Script{Reply: "done: " + req.Prompt}
	})
	registry, err := subagent.NewRegistry(provider)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	for _, prompt := range []string{"audit", "boom"} {
		child, err := registry.Start(ctx, "mock", subagent.Request{Prompt: prompt})
		if err != nil {
			fmt.Println(err)
			return
		}
		result, err := child.Wait(ctx)
		fmt.Println(result.Outcome, result.Text, err)
		child.Close()
	}
	fmt.Println(provider.Counts().Closed)
	// Output:
	// completed done: audit <nil>
	// failed mock subagent reply <nil>
	// 2
}
