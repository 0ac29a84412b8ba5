package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const many = `providers:
  corp: {baseUrl: https://corp.example/v1, keyEnv: CORP_KEY}
  local: {baseUrl: http://127.0.0.1:8080/v1, profile: generic, concurrency: 2}
models:
  big: {provider: corp, price: {input: 2, cached: 1, output: 10}}
  tiny: {provider: local}
  qwen/qwen3: {provider: local, price: {input: 0, output: 0}}
  local/free: {price: {input: 1, output: 1}}
aliases: {haiku: tiny, sonnet: corp/mid, opus: inherit, cheap: qwen/qwen3}
defaults: {model: big}
`

// Where a call of a script goes, from what it says and what the files say.
func TestRoute(t *testing.T) {
	keys := []string{"CORP_KEY", "c", "DEEPSEEK_API_KEY", "d"}
	for _, c := range []struct {
		choice          Choice
		provider, model string
		to, id, note    string
	}{
		{Choice{}, "", "", "corp", "big", ""},
		{Choice{}, "", "inherit", "corp", "big", ""},
		{Choice{}, "", "INHERIT", "corp", "big", ""},
		{Choice{}, "", "haiku", "local", "tiny", ""},
		{Choice{}, "", "Haiku", "local", "tiny", ""},
		{Choice{}, "", "sonnet", "corp", "mid", ""},
		{Choice{}, "", "opus", "corp", "big", ""},
		{Choice{}, "", "cheap", "local", "qwen/qwen3", ""},
		{Choice{}, "", "fable", "corp", "big", `the alias "fable" is mapped to no model; big is used for it`},
		{Choice{}, "", "tiny", "local", "tiny", ""},
		{Choice{}, "", "deepseek/x", "deepseek", "x", ""},
		{Choice{}, "", "local/free", "local", "free", ""},
		{Choice{}, "", "never-heard-of", "corp", "never-heard-of", ""},
		{Choice{}, "", "org/model", "corp", "org/model", ""},
		{Choice{}, "local", "", "local", "", ""},
		{Choice{}, "corp", "", "corp", "big", ""},
		{Choice{}, "deepseek", "", "deepseek", "deepseek-v4-flash", ""},
		{Choice{}, "local", "anything", "local", "anything", ""},
		{Choice{}, "local", "local/anything", "local", "anything", ""},
		{Choice{}, "local", "haiku", "local", "tiny", ""},
		{Choice{}, "gone", "x", "gone", "x", ""},
		{Choice{Model: "sim"}, "", "haiku", "sim", "tiny", ""},
		{Choice{Model: "sim"}, "corp", "big", "sim", "big", ""},
		{Choice{Model: "sim"}, "gone", "big", "gone", "big", ""},
		{Choice{Model: "sim"}, "", "fable", "sim", "sim", `the alias "fable" is mapped to no model; sim is used for it`},
		{Choice{Model: "m", BaseURL: "http://h/v1"}, "", "deepseek/x", "custom", "deepseek/x", ""},
		{Choice{Model: "m", BaseURL: "http://h/v1"}, "", "corp/x", "corp", "x", ""},
		{Choice{Model: "m", BaseURL: "http://h/v1"}, "deepseek", "x", "deepseek", "x", ""},
		{Choice{Model: "haiku"}, "", "", "local", "tiny", ""},
		{Choice{Model: "local/other"}, "", "next", "local", "next", ""},
		{Choice{Model: "unheard"}, "", "", "corp", "unheard", ""},
	} {
		s := place(t, many, "")
		s.Choice, s.Lookup = c.choice, env(keys...)
		settings := load(t, s)
		def, err := settings.Default()
		if err != nil {
			t.Errorf("%+v: %v", c.choice, err)
			continue
		}
		to, id, note := settings.Route(def, c.provider, c.model)
		if d := cmp.Diff([]string{c.to, c.id, c.note}, []string{to, id, note}); d != "" {
			t.Errorf("%+v, provider %q, model %q:\n%s", c.choice, c.provider, c.model, d)
		}
	}
}

func TestEndpointOfAProvider(t *testing.T) {
	s := place(t, many, "")
	s.Lookup = env("CORP_KEY", "c")
	settings := load(t, s)
	got, err := settings.Endpoint("corp")
	if err != nil || got.Key != "c" || got.BaseURL != "https://corp.example/v1" || got.Concurrency != 64 {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = settings.Endpoint("local")
	if err != nil || got.Key != "" || got.Profile != "generic" || got.Concurrency != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := settings.Endpoint("deepseek"); err == nil || !strings.Contains(err.Error(), "needs DEEPSEEK_API_KEY") {
		t.Error(err)
	}
	if _, err := settings.Endpoint("crop"); err == nil || !strings.Contains(err.Error(), `no provider is named "crop"; did you mean corp?`) {
		t.Error(err)
	}
	s.Lookup = env()
	if _, err := load(t, s).Default(); err == nil || !strings.Contains(err.Error(), "set the variable CORP_KEY (named in "+UserFile(s.Home)+":2)") {
		t.Error(err)
	}
	s.Choice = Choice{BaseURL: "http://h/v1"}
	if _, err := load(t, s).Default(); err == nil || !strings.Contains(err.Error(), "--base-url needs --model") {
		t.Errorf("the default of a file is no model of another endpoint: %v", err)
	}
}

func TestCost(t *testing.T) {
	s := load(t, place(t, many, ""))
	for _, c := range []struct {
		provider, model string
		tokens          Tokens
		want            float64
		known           bool
	}{
		{"corp", "big", Tokens{Input: 1e6, Cached: 2e6, Output: 1e5}, 2 + 2 + 1, true},
		{"other", "big", Tokens{Input: 1}, 0, false},
		{"local", "qwen/qwen3", Tokens{Input: 1e6, Output: 1e6}, 0, true},
		{"local", "free", Tokens{Cached: 1e6}, 1, true},
		{"local", "tiny", Tokens{Input: 1}, 0, false},
		{"sim", "sim", Tokens{Input: 1}, 0, false},
	} {
		if got, known := s.Cost(c.provider, c.model, c.tokens); got != c.want || known != c.known {
			t.Errorf("%+v: %v, %v", c, got, known)
		}
	}
}

func TestKnown(t *testing.T) {
	s := load(t, place(t, many, ""))
	var got []string
	for _, k := range s.Known() {
		got = append(got, k.Model+" of "+k.Provider+" as "+strings.Join(k.Aliases, ","))
	}
	want := []string{
		"big of corp as ", "deepseek-v4-flash of deepseek as ", "deepseek-v4-pro of deepseek as ", "local/free of local as ",
		"mid of corp as sonnet", "qwen/qwen3 of local as cheap", "tiny of local as haiku",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
