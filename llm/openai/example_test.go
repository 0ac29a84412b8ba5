package openai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/llm/openai"
)

func ExampleModel() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"Good "}}]}

data: {"choices":[{"index":0,"delta":{"content":"morning."}}]}

data: {"model":"small-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3}}

data: [DONE]

`)
	}))
	defer server.Close()

	model, err := openai.New(openai.Config{Provider: "local", BaseURL: server.URL + "/v1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer model.Close()
	request := llm.Request{
		Config:   llm.Config{Model: "small"},
		Messages: []llm.Message{{Role: llm.RoleUser, Content: []llm.Block{llm.Text{Text: "Greet me."}}}},
	}
	var answer llm.Assembler
	for chunk, err := range model.Stream(context.Background(), request) {
		if err != nil {
			fmt.Println(llm.AsError(err).Code(), err)
			return
		}
		answer.Add(chunk)
	}
	usage, _ := answer.Usage()
	fmt.Println(answer.Blocks()[0].(llm.Text).Text, answer.Finish().Served, usage.InputTokens, usage.OutputTokens)
	// Output: Good morning. small-1 9 3
}

func ExampleProfile_Effort() {
	profile := openai.ProfileFor("https://api.deepseek.com")
	word, exact := profile.Effort("medium")
	fmt.Println(profile.Name, word, exact)
	// Output: deepseek high false
}
