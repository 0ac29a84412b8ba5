package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/llm/sim"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/tool"
)

// An agent is a session, a model and tools. The simulated model plays the steps
// that the prompt holds: it calls the tool, then answers.
func Example() {
	history, err := session.New(session.Header{ID: "example"}, session.Options{})
	if err != nil {
		log.Fatal(err)
	}
	tools, err := tool.NewRegistry(tool.Tool{
		Name: "clock", Description: "Tells the time.", Input: json.RawMessage(`{"type":"object"}`),
		Run: func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{Content: tool.Text("12:00")}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	a, err := agent.New(agent.Config{
		Session: history, Tools: tools,
		Model: sim.New(sim.Config{}), Route: llm.Config{Provider: "sim", Model: "sim"},
	})
	if err != nil {
		log.Fatal(err)
	}
	err = a.Followup(llm.Message{Content: tool.Text("What time is it?\n" + `@@mock [{"tool":"clock","args":{}}, {"text":"It is noon."}]`)})
	if err != nil {
		log.Fatal(err)
	}
	out, err := a.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s after %d steps: %s\n", out.End.Kind, out.Steps, out.Text)
	for _, m := range history.Messages() {
		fmt.Println(m.Role, len(m.Content), m.Source.Kind)
	}
	// Output:
	// completed after 2 steps: It is noon.
	// user 1 user
	// assistant 1 model
	// user 1 tool
	// assistant 1 model
}
