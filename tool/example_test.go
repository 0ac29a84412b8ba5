package tool_test

import (
	"context"
	"fmt"

	"github.com/dsh-go/dsh-workflow/tool"
)

// A typed tool, the set that has it, and one call of each kind.
func Example() {
	type args struct {
		A int `json:"a" jsonschema:"The first number."`
		B int `json:"b" jsonschema:"The second number."`
	}
	add := tool.Of("add", "Adds two numbers.", func(_ context.Context, _ tool.Call, in args) (tool.Result, error) {
		return tool.Result{Content: tool.Text(fmt.Sprint(in.A + in.B))}, nil
	})
	tools, err := tool.NewRegistry(add)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(tools.Specs()[0].Parameters))
	for _, raw := range []string{`{"a":2,"b":3}`, `{"a":"2"}`, `{"a":2,`} {
		fmt.Println(tools.Run(context.Background(), tool.Call{Name: "add"}, raw).Content[0])
	}
	// Output:
	// {"type":"object","properties":{"a":{"type":"integer","description":"The first number."},"b":{"type":"integer","description":"The second number."}},"required":["a","b"]}
	// {5}
	// {Error: invalid arguments: "a" must be an integer; missing required property "b"}
	// {Error: invalid arguments: not valid JSON at byte 7: unexpected end of JSON input (the arguments were cut off; the tool was not run)}
}
