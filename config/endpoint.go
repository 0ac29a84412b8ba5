package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Endpoint is a model to use and how to reach it.
type Endpoint struct {
	Provider string // sim, custom, deepseek, openai or a name of the configuration
	Model    string // may be empty where a call has to name one
	BaseURL  string
	Key      string // may be empty where none is needed
	Profile  string // empty finds it by the host
	// Concurrency is how many requests the endpoint takes at once; 0 is no limit.
	Concurrency int
	Retry       Retry
}

// Error is a choice that cannot be served. Its text says what to do.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// Code returns INVALID_CONFIG.
func (e *Error) Code() string { return "INVALID_CONFIG" }

func refuse(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Resolve finds the endpoint for a choice without any file. lookup gives the
// value of an environment variable, or the empty string.
func Resolve(c Choice, lookup func(string) string) (Endpoint, error) {
	s, err := Load(Sources{Choice: c, Lookup: lookup})
	if err != nil {
		return Endpoint{}, err
	}
	return s.Default()
}

// Default is the endpoint and the model of agents that name none. The error is
// an [*Error].
func (s *Settings) Default() (Endpoint, error) {
	model, from := s.File.Defaults.Model, s.originOf("defaults", "model")
	custom, overridden := s.File.Providers[Custom]
	switch {
	case model == Sim && (!overridden || s.originOf("providers", Custom, "baseUrl").Layer != FromFlag):
		return Endpoint{Provider: Sim, Model: Sim}, nil
	case model == Sim && from.Layer == FromFlag:
		return Endpoint{}, refuse("--model sim is simulated and takes no --base-url; name the endpoint's model, or leave --base-url out")
	case overridden && custom.BaseURL == "":
		return Endpoint{}, refuse("--api-key-env names the key for --base-url: give --base-url too")
	case overridden && (model == "" || from.file()):
		return Endpoint{}, refuse("--base-url needs --model: the name of a model that the endpoint serves")
	case overridden:
		e, err := s.Endpoint(Custom)
		e.Model = model
		return e, err
	}
	provider, id, err := s.find(model)
	if err != nil {
		return Endpoint{}, err
	}
	e, err := s.Endpoint(provider)
	e.Model = id
	return e, err
}

// find says who serves the default model.
func (s *Settings) find(model string) (provider, id string, err error) {
	if target, ok := s.File.Aliases[strings.ToLower(model)]; ok {
		model = target
	} else if slices.Contains(knownAliases, strings.ToLower(model)) {
		return "", "", refuse("the alias %q is mapped to no model: write aliases.%s into %s, or name a model", model, strings.ToLower(model), fileName)
	}
	if provider, id, ok := s.split(model); ok && provider != "" {
		return provider, id, nil
	}
	if provider, _, named := strings.Cut(model, "/"); named && !s.knows(model) {
		return "", "", refuse("%s; for any other endpoint use --base-url URL --model NAME", s.noProvider(provider))
	}
	if provider = s.likely(model); provider != "" {
		return provider, model, nil
	}
	return s.firstVendor(model)
}

// split finds the provider that a name of a model names. ok says that the name is
// known; the provider is empty when it is left to the default one.
func (s *Settings) split(model string) (provider, id string, ok bool) {
	m, known := s.File.Models[model]
	if m.Provider != "" {
		return m.Provider, model, true
	}
	if provider, id, named := strings.Cut(model, "/"); named && s.provides(provider) && id != "" {
		return provider, id, true
	}
	return "", model, known
}

func (s *Settings) knows(model string) bool {
	_, ok := s.File.Models[model]
	return ok
}

// likely guesses who serves a model that is named without a provider: that of
// the default which a file names, else the only one that a file has.
func (s *Settings) likely(model string) string {
	if model == "" {
		return ""
	}
	if provider, _, ok := s.split(s.model); ok && provider != "" {
		return provider
	}
	var own []string
	for _, name := range slices.Sorted(maps.Keys(s.File.Providers)) {
		if s.Written(name) {
			own = append(own, name)
		}
	}
	switch {
	case len(own) == 1:
		return own[0]
	case strings.HasPrefix(model, "deepseek"):
		return "deepseek"
	}
	return ""
}

// firstVendor picks the vendor whose key is set.
func (s *Settings) firstVendor(model string) (provider, id string, err error) {
	for _, v := range vendors() {
		if s.lookup(s.File.Providers[v.name].KeyEnv) == "" {
			continue
		}
		if model == "" {
			model = v.model
		}
		if model == "" {
			return "", "", refuse("%s is set; name a model with --model", s.File.Providers[v.name].KeyEnv)
		}
		return v.name, model, nil
	}
	if model != "" {
		return "", "", refuse("no key for the model %q: set DEEPSEEK_API_KEY or OPENAI_API_KEY, or use --base-url URL --model %s (key in DSH_API_KEY), or try it without a key: --model sim", model, model)
	}
	return "", "", refuse("no model: set DEEPSEEK_API_KEY or OPENAI_API_KEY, or use --base-url URL --model NAME (key in DSH_API_KEY), or write defaults.model into %s, or try it without a key: --model sim", fileName)
}

// Endpoint is a provider and its key; the model is left empty. The error is an
// [*Error]: there is no such provider, or its variable is not set.
func (s *Settings) Endpoint(provider string) (Endpoint, error) {
	if provider == Sim {
		return Endpoint{Provider: Sim}, nil
	}
	p, ok := s.File.Providers[provider]
	if !ok {
		return Endpoint{}, refuse("%s", s.noProvider(provider))
	}
	e := Endpoint{
		Provider: provider, BaseURL: p.BaseURL, Profile: p.Profile, Concurrency: p.Concurrency, Retry: p.Retry,
	}
	if p.KeyEnv == "" {
		return e, nil
	}
	e.Key = s.lookup(p.KeyEnv)
	from := s.originOf("providers", provider, "keyEnv")
	switch {
	case e.Key != "":
	case provider == Custom && p.KeyEnv == varKey && from.Name != "--api-key-env":
		// The endpoint of --base-url may need none.
	case from.Layer == FromFlag:
		return Endpoint{}, refuse("%s: the variable %s is not set", from, p.KeyEnv)
	case from.file():
		return Endpoint{}, refuse("the provider %s needs its key: set the variable %s (named in %s), or remove keyEnv if it needs none; without a key, try: --model sim", provider, p.KeyEnv, from)
	default:
		return Endpoint{}, refuse("the provider %s needs %s; without a key, try: --model sim", provider, p.KeyEnv)
	}
	return e, nil
}

// KeyVariables names the variables that hold the keys of providers.
func (s *Settings) KeyVariables() []string {
	var names []string
	for _, p := range s.File.Providers {
		if p.KeyEnv != "" {
			names = append(names, p.KeyEnv)
		}
	}
	return names
}
