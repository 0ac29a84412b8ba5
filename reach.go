package dsh

import (
	"context"
	"fmt"
	"strings"

	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/llm/openai"
)

// Reach asks an endpoint for its list of models, which costs nothing. version is
// that of the program. The error is an [*llm.Error].
func Reach(ctx context.Context, c config.Endpoint, version string) (openai.Reach, error) {
	m, err := client(c, version)
	if err != nil {
		return openai.Reach{}, err
	}
	defer m.Close()
	return m.List(ctx)
}

// probePrompt asks for next to nothing.
const probePrompt = "Answer with the word ok and nothing else."

// Probe asks the model of an endpoint one short question, which the provider
// charges for, and returns what it used. An answer that is cut at the limit of
// tokens is one. The error is an [*llm.Error].
func Probe(ctx context.Context, c config.Endpoint, version string) (llm.Usage, error) {
	m, err := client(c, version)
	if err != nil {
		return llm.Usage{}, err
	}
	defer m.Close()
	var usage llm.Usage
	for chunk, err := range m.Stream(ctx, llm.Request{
		Config:   llm.Config{Provider: c.Provider, Model: c.Model, MaxTokens: 64},
		Messages: []llm.Message{{Role: llm.RoleUser, Content: []llm.Block{llm.Text{Text: probePrompt}}}},
	}) {
		if err != nil {
			return usage, err
		}
		if report, ok := chunk.(llm.UsageReport); ok {
			usage = report.Usage
		}
	}
	return usage, nil
}

// Advice says what a user can do about a failed request to an endpoint.
func Advice(err error, c config.Endpoint, keyEnv string) string {
	failed := llm.AsError(err)
	switch failed.Kind {
	case llm.CodeAuth, llm.CodeMissingKey:
		if keyEnv == "" {
			return "name the variable of its key: keyEnv in config.yaml, or --api-key-env"
		}
		return fmt.Sprintf("check the key in the variable %s", keyEnv)
	case llm.CodeQuota:
		return "the account has no credit left: top it up, or use another provider"
	case llm.CodeTimeout, llm.CodeTransport:
		return fmt.Sprintf("is %s right, is the server up, and does the network let you out (HTTPS_PROXY)?", c.BaseURL)
	case llm.CodeMalformed:
		return "is the base URL complete? Most end in /v1"
	case llm.CodeUnknownModel:
		return "choose another model with --model or defaults.model"
	case llm.CodeRateLimit:
		return "wait a while, or lower concurrency of the provider"
	case llm.CodeInvalidRequest:
		if strings.Contains(failed.Message, "encryption") {
			return "write https, or leave the key out"
		}
	}
	return "ask those who run the endpoint, or use another one"
}
