package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		name   string
		choice Choice
		env    []string
		want   Endpoint
	}{
		{"sim", Choice{Model: "sim"}, []string{"OPENAI_API_KEY", "k"}, Endpoint{Provider: "sim", Model: "sim"}},
		{"deepseek alone", Choice{}, []string{"DEEPSEEK_API_KEY", "k"},
			Endpoint{Provider: "deepseek", Model: "deepseek-v4-flash", BaseURL: "https://api.deepseek.com", Key: "k"}},
		{"deepseek elsewhere", Choice{Model: "deepseek/x"}, []string{"DEEPSEEK_API_KEY", "k", "DEEPSEEK_BASE_URL", "https://mirror/v1"},
			Endpoint{Provider: "deepseek", Model: "x", BaseURL: "https://mirror/v1", Key: "k"}},
		{"openai", Choice{Model: "gpt-x"}, []string{"OPENAI_API_KEY", "k"},
			Endpoint{Provider: "openai", Model: "gpt-x", BaseURL: "https://api.openai.com/v1", Key: "k"}},
		{"both, by name", Choice{Model: "openai/gpt-x"}, []string{"DEEPSEEK_API_KEY", "d", "OPENAI_API_KEY", "k"},
			Endpoint{Provider: "openai", Model: "gpt-x", BaseURL: "https://api.openai.com/v1", Key: "k"}},
		{"both, by prefix", Choice{Model: "deepseek-r9"}, []string{"DEEPSEEK_API_KEY", "d", "OPENAI_API_KEY", "k"},
			Endpoint{Provider: "deepseek", Model: "deepseek-r9", BaseURL: "https://api.deepseek.com", Key: "d"}},
		{"custom gets its own key only", Choice{Model: "org/qwen", BaseURL: "http://127.0.0.1:1/v1"}, []string{"OPENAI_API_KEY", "k", "DEEPSEEK_API_KEY", "k"},
			Endpoint{Provider: "custom", Model: "org/qwen", BaseURL: "http://127.0.0.1:1/v1"}},
		{"custom key", Choice{Model: "m", BaseURL: "https://h/v1"}, []string{"DSH_API_KEY", "own"},
			Endpoint{Provider: "custom", Model: "m", BaseURL: "https://h/v1", Key: "own"}},
		{"named key", Choice{Model: "m", BaseURL: "https://h/v1", KeyEnv: "MINE"}, []string{"DSH_API_KEY", "own", "MINE", "other"},
			Endpoint{Provider: "custom", Model: "m", BaseURL: "https://h/v1", Key: "other"}},
		{"by variables", Choice{}, []string{"DSH_MODEL", "m", "DSH_BASE_URL", "https://h/v1"},
			Endpoint{Provider: "custom", Model: "m", BaseURL: "https://h/v1"}},
	} {
		got, err := Resolve(c.choice, env(c.env...))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d := cmp.Diff(c.want, got, cmpopts.IgnoreFields(Endpoint{}, "Concurrency", "Retry")); d != "" {
			t.Errorf("%s:\n%s", c.name, d)
		}
	}
}

func TestResolveRefuses(t *testing.T) {
	for _, c := range []struct {
		choice Choice
		env    []string
		text   string
	}{
		{Choice{}, nil, "--model sim"},
		{Choice{Model: "gpt-x"}, nil, "--model sim"},
		{Choice{}, []string{"OPENAI_API_KEY", "k"}, "name a model with --model"},
		{Choice{Model: "openai/x"}, []string{"DEEPSEEK_API_KEY", "k"}, "needs OPENAI_API_KEY"},
		{Choice{Model: "acme/x"}, []string{"DEEPSEEK_API_KEY", "k"}, `no provider is named "acme"`},
		{Choice{Model: "sim", BaseURL: "http://h/v1"}, nil, "takes no --base-url"},
		{Choice{BaseURL: "http://h/v1"}, nil, "--base-url needs --model"},
		{Choice{Model: "m", BaseURL: "h/v1"}, nil, "http or https URL"},
		{Choice{Model: "m", BaseURL: "ftp://h/v1"}, nil, "http or https URL"},
		{Choice{Model: "m", BaseURL: "https://user:sekret@h/v1"}, nil, "must not hold credentials"},
		{Choice{Model: "m", BaseURL: "https://h/v1", KeyEnv: "NOPE"}, nil, "NOPE is not set"},
		{Choice{Model: "m", KeyEnv: "NOPE"}, []string{"NOPE", "k"}, "give --base-url too"},
	} {
		_, err := Resolve(c.choice, env(c.env...))
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%+v: %v, want %q", c.choice, err, c.text)
		}
		if err != nil && strings.Contains(err.Error(), "sekret") {
			t.Errorf("the error holds a secret: %v", err)
		}
	}
}
