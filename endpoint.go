package dsh

import (
	"context"
	"fmt"

	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/llm/openai"
	"github.com/dsh-go/dsh-workflow/llm/sim"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// endpoint is the model of a harness and what is known about it.
type endpoint struct {
	config  config.Endpoint
	model   llm.Model
	profile openai.Profile // the zero value has every effort
}

func endpointOf(c Config) (*endpoint, error) {
	e := &endpoint{config: c.Endpoint, model: c.Model}
	switch {
	case e.model != nil:
	case c.Endpoint.Provider == config.Sim:
		e.model = sim.New(sim.Config{})
	default:
		e.profile = openai.ProfileFor(c.Endpoint.BaseURL)
		m, err := openai.New(openai.Config{
			Provider: c.Endpoint.Provider, BaseURL: c.Endpoint.BaseURL, Key: c.Endpoint.Key, Profile: e.profile,
			UserAgent: "dsh-workflow/" + c.Version,
		})
		if err != nil {
			return nil, err
		}
		e.model = m
	}
	return e, nil
}

// route resolves what a call asks for and says what it had to change.
func (e *endpoint) route(r subagent.Route) (subagent.Route, []workflow.Warning) {
	var changes []workflow.Warning
	model, note := config.Model(r.Model, e.config.Model)
	if note != "" {
		changes = append(changes, workflow.Warning{Code: "MODEL_ALIAS", Message: note})
	}
	r.Model = model
	if len(e.profile.Efforts) == 0 || r.Effort == "" {
		return r, changes
	}
	if level, exact := e.profile.Effort(r.Effort); !exact {
		changes = append(changes, workflow.Warning{
			Code:    workflow.EffortMapped,
			Message: fmt.Sprintf("%s has no effort %q; %q is used", e.config.Provider, r.Effort, level),
		})
	}
	return r, changes
}

// resolve gives the model for a route that was resolved before.
func (e *endpoint) resolve(_ context.Context, r subagent.Route) (llm.Model, llm.Config, error) {
	if r.Provider != "" && r.Provider != e.config.Provider {
		return nil, llm.Config{}, &llm.Error{
			Kind:    llm.CodeInvalidRequest,
			Message: fmt.Sprintf("no provider is named %q; this run has %q", r.Provider, e.config.Provider),
		}
	}
	c := llm.Config{Provider: e.config.Provider, Model: r.Model, Effort: r.Effort}
	if c.Model == "" {
		c.Model = e.config.Model
	}
	return e.model, c, nil
}
