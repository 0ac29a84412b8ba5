package config

import (
	"fmt"
	"net/url"
	"strings"
)

// Sim is the name of the built-in simulated model.
const Sim = "sim"

// Choice is what a user said about the model on the command line.
type Choice struct {
	Model   string // an id, "provider/id", or Sim; empty takes a default
	BaseURL string // of an OpenAI-compatible endpoint, with its /v1
	KeyEnv  string // name of the variable that holds the key for BaseURL
}

// Endpoint is the model to use and how to reach it.
type Endpoint struct {
	Provider string // sim, deepseek, openai or custom
	Model    string
	BaseURL  string
	Key      string // may be empty for a custom endpoint
	// Warnings are for the user, in words.
	Warnings []string
}

// Error is a choice that cannot be served. Its text says what to do.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// Code returns INVALID_CONFIG.
func (e *Error) Code() string { return "INVALID_CONFIG" }

func refuse(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// vendor is a provider whose key may only go to its own endpoint.
type vendor struct {
	name, keyEnv, urlEnv, url, model string
}

// vendors returns the known ones; the first whose key is set is the default.
func vendors() []vendor {
	return []vendor{
		{"deepseek", "DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL", "https://api.deepseek.com", "deepseek-v4-flash"},
		{"openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1", ""},
	}
}

// Resolve finds the endpoint for a choice. lookup gives the value of an
// environment variable, or the empty string.
func Resolve(c Choice, lookup func(string) string) (Endpoint, error) {
	if c.Model == "" {
		c.Model = lookup("DSH_MODEL")
	}
	if c.Model == Sim {
		if c.BaseURL != "" {
			return Endpoint{}, refuse("--model sim is simulated and takes no --base-url; name the endpoint's model, or leave --base-url out")
		}
		return Endpoint{Provider: Sim, Model: Sim}, nil
	}
	if c.BaseURL == "" {
		c.BaseURL = lookup("DSH_BASE_URL")
	}
	if c.BaseURL != "" {
		return custom(c, lookup)
	}
	if c.KeyEnv != "" {
		return Endpoint{}, refuse("--api-key-env names the key for --base-url: give --base-url too")
	}
	return known(c.Model, lookup)
}

func custom(c Choice, lookup func(string) string) (Endpoint, error) {
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Endpoint{}, refuse("--base-url must be an http or https URL such as http://127.0.0.1:8080/v1")
	}
	if u.User != nil {
		return Endpoint{}, refuse("--base-url must not hold credentials: put the key into DSH_API_KEY, or name its variable with --api-key-env")
	}
	if c.Model == "" {
		return Endpoint{}, refuse("--base-url needs --model: the name of a model that the endpoint serves")
	}
	e := Endpoint{Provider: "custom", Model: c.Model, BaseURL: c.BaseURL}
	name := c.KeyEnv
	if name == "" {
		name = "DSH_API_KEY"
	}
	e.Key = lookup(name)
	if e.Key == "" && c.KeyEnv != "" {
		return Endpoint{}, refuse("--api-key-env: the variable %s is not set", c.KeyEnv)
	}
	return e, nil
}

// known picks the vendor whose key is set: the one that the model names, else
// the first.
func known(model string, lookup func(string) string) (Endpoint, error) {
	want, id, named := strings.Cut(model, "/")
	if !named {
		want, id = "", model
		if strings.HasPrefix(model, "deepseek") {
			want = "deepseek"
		}
	}
	for _, v := range vendors() {
		if want != "" && want != v.name {
			continue
		}
		key := lookup(v.keyEnv)
		if key == "" {
			if want != "" {
				return Endpoint{}, refuse("the model %q needs %s; without a key, try: --model sim", model, v.keyEnv)
			}
			continue
		}
		e := Endpoint{Provider: v.name, Model: id, BaseURL: lookup(v.urlEnv), Key: key}
		if e.BaseURL == "" {
			e.BaseURL = v.url
		}
		if e.Model == "" {
			e.Model = v.model
		}
		if e.Model == "" {
			return Endpoint{}, refuse("%s is set; name a model with --model", v.keyEnv)
		}
		return e, nil
	}
	if named {
		return Endpoint{}, refuse("no provider is named %q (known: deepseek, openai); for any other endpoint use --base-url URL --model NAME", want)
	}
	if model != "" {
		return Endpoint{}, refuse("no key for the model %q: set DEEPSEEK_API_KEY or OPENAI_API_KEY, or use --base-url URL --model %s (key in DSH_API_KEY), or try it without a key: --model sim", model, model)
	}
	return Endpoint{}, refuse("no model: set DEEPSEEK_API_KEY or OPENAI_API_KEY, or use --base-url URL --model NAME (key in DSH_API_KEY), or try it without a key: --model sim")
}
