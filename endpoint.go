package dsh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/llm/limit"
	"github.com/dsh-go/dsh-workflow/llm/openai"
	"github.com/dsh-go/dsh-workflow/llm/sim"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/inprocess"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// endpoint is the model of one provider and what is known about it.
type endpoint struct {
	config  config.Endpoint
	model   llm.Model
	profile openai.Profile // the zero value has every effort
}

// endpoints are those of one harness. The default one is there from the start;
// another one is made when a call asks for it, and then kept.
//
// Concurrency: any goroutine may use it; mu guards made.
type endpoints struct {
	settings *config.Settings
	first    *endpoint
	version  string
	played   llm.Model // in a rehearsal it stands for every model

	mu   sync.Mutex
	made map[string]*endpoint
}

func endpointsOf(c Config) (*endpoints, error) {
	e := &endpoints{settings: c.Settings, version: c.Version, made: map[string]*endpoint{}}
	if e.settings == nil {
		none, err := config.Load(config.Sources{})
		if err != nil {
			return nil, err
		}
		e.settings = none
	}
	if c.Rehearsal != nil {
		e.played = sim.New(sim.Config{Unscripted: true})
	}
	chosen := c.Endpoint
	if chosen.Provider == "" && c.Model == nil {
		var err error
		if chosen, err = e.settings.Default(); err != nil {
			return nil, err
		}
	}
	if c.Model != nil {
		e.first = &endpoint{config: chosen, model: c.Model}
		return e, nil
	}
	first, err := e.make(chosen)
	e.first = first
	return e, err
}

// make opens an endpoint; it does no I/O.
func (e *endpoints) make(c config.Endpoint) (*endpoint, error) {
	switch {
	case e.played != nil:
		return &endpoint{config: c, model: e.played, profile: profileOf(c)}, nil
	case c.Provider == config.Sim:
		return &endpoint{config: c, model: sim.New(sim.Config{})}, nil
	}
	m, err := client(c, e.version)
	if err != nil {
		return nil, fmt.Errorf("provider %s: %w", c.Provider, err)
	}
	out := &endpoint{config: c, model: m, profile: m.Profile()}
	if c.Concurrency > 0 {
		out.model = limit.New(m, c.Concurrency)
	}
	return out, nil
}

// client speaks to an endpoint that is not simulated.
func client(c config.Endpoint, version string) (*openai.Model, error) {
	return openai.New(openai.Config{
		Provider: c.Provider, BaseURL: c.BaseURL, Key: c.Key, Profile: profileOf(c), UserAgent: "dsh-workflow/" + version,
	})
}

func profileOf(c config.Endpoint) openai.Profile {
	if c.Provider == config.Sim {
		return openai.Profile{}
	}
	if profile, known := openai.ProfileNamed(c.Profile); known {
		return profile
	}
	return openai.ProfileFor(c.BaseURL)
}

// of finds the endpoint of a provider.
func (e *endpoints) of(provider string) (*endpoint, error) {
	if provider == "" || provider == e.first.config.Provider {
		return e.first, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if found := e.made[provider]; found != nil {
		return found, nil
	}
	c, err := e.settings.Endpoint(provider)
	if err != nil {
		return nil, err
	}
	found, err := e.make(c)
	if err == nil {
		e.made[provider] = found
	}
	return found, err
}

// route resolves what a call asks for and says what it had to change.
func (e *endpoints) route(r subagent.Route) (subagent.Route, []workflow.Warning) {
	var changes []workflow.Warning
	var note string
	r.Provider, r.Model, note = e.settings.Route(e.first.config, r.Provider, r.Model)
	if note != "" {
		changes = append(changes, workflow.Warning{Code: "MODEL_ALIAS", Message: note})
	}
	to, err := e.of(r.Provider)
	if err != nil || len(to.profile.Efforts) == 0 || r.Effort == "" {
		return r, changes // the start of the call says what is wrong with the provider
	}
	if level, exact := to.profile.Effort(r.Effort); !exact {
		changes = append(changes, workflow.Warning{
			Code:    workflow.EffortMapped,
			Message: fmt.Sprintf("%s has no effort %q; %q is used", to.config.Provider, r.Effort, level),
		})
	}
	return r, changes
}

// resolve gives the model for a route that was resolved before.
func (e *endpoints) resolve(_ context.Context, r subagent.Route) (inprocess.Mind, error) {
	to, err := e.of(r.Provider)
	if err != nil {
		return inprocess.Mind{}, &llm.Error{Kind: llm.CodeInvalidRequest, Message: err.Error(), Err: err}
	}
	c := llm.Config{Provider: to.config.Provider, Model: r.Model, Effort: r.Effort}
	if c.Model == "" {
		c.Model = to.config.Model
	}
	if c.Model == "" {
		return inprocess.Mind{}, &llm.Error{
			Kind:    llm.CodeInvalidRequest,
			Message: fmt.Sprintf("the provider %s has no default model: name one with the option model", c.Provider),
		}
	}
	return inprocess.Mind{Model: to.model, Config: c, Retry: retryOf(to.config.Retry)}, nil
}

func retryOf(r config.Retry) *llm.Retry {
	out := llm.Retry{Initial: time.Duration(r.Initial), MaxDelay: time.Duration(r.MaxDelay)}
	switch {
	case r.Max == nil:
	case *r.Max == 0:
		out.Max = -1
	default:
		out.Max = *r.Max
	}
	return &out
}

// cost is the price of what a call used.
func (e *endpoints) cost(r subagent.Route, u llm.Usage) (usd float64, known bool) {
	provider, model := r.Provider, r.Model
	if model == "" {
		model = e.first.config.Model
	}
	return e.settings.Cost(provider, model, config.Tokens{
		Input: u.InputTokens + u.CacheWriteTokens, Cached: u.CacheReadTokens, Output: u.OutputTokens,
	})
}

// close releases the connections of all endpoints.
func (e *endpoints) close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var faults []error
	for _, m := range append([]*endpoint{e.first}, valuesOf(e.made)...) {
		if c, ok := m.model.(interface{ Close() error }); ok {
			faults = append(faults, c.Close())
		}
	}
	return errors.Join(faults...)
}

func valuesOf(made map[string]*endpoint) (all []*endpoint) {
	for _, m := range made {
		all = append(all, m)
	}
	return all
}

// withoutKeys leaves out of an environment what holds the keys of providers,
// whatever these variables are called. It does not change environ.
func withoutKeys(environ []string, s *config.Settings) []string {
	held := s.KeyVariables()
	kept := make([]string, 0, len(environ))
	for _, entry := range environ {
		if name, _, _ := strings.Cut(entry, "="); !slices.Contains(held, name) {
			kept = append(kept, entry)
		}
	}
	return kept
}
