package prompt_test

import (
	"fmt"

	"github.com/dsh-go/dsh-workflow/prompt"
)

func ExampleBuild() {
	text, err := prompt.Build([]prompt.Section{
		{Name: "tool:read", Order: 100, Text: "Read a file before you change it."},
		prompt.Persona("You audit the project in {{cwd}}."),
		prompt.Identity(),
	}, []prompt.Variable{{Name: "cwd", Value: "/srv/app"}})
	fmt.Println(text, err)
	// Output:
	// You are an AI agent powered by the DeepSeek Harness SDK.
	//
	// You audit the project in /srv/app.
	//
	// Read a file before you change it. <nil>
}
