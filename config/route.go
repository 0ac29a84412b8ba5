package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Route says who serves the model that a call of a script asks for, and under
// which name. def is the endpoint of the run. Members that the call left out are
// empty. note is what the author should know: an alias that is mapped to nothing
// became the default. The model is empty if the call named a provider that has no
// default of its own.
//
// On the simulated model, and on an endpoint that was chosen by its URL, every
// call stays there: who chose it meant all of them, unless a call names another
// provider.
func (s *Settings) Route(def Endpoint, provider, model string) (to, id, note string) {
	if def.Provider == Sim && (provider == "" || s.provides(provider)) {
		id, note = s.meant(def, model)
		return Sim, id, note
	}
	if provider != "" {
		return provider, s.modelOf(def, provider, model), ""
	}
	id, note = s.meant(def, model)
	if id == def.Model {
		return def.Provider, id, note
	}
	if def.Provider != Custom || s.ours(id) {
		if to, name, ok := s.split(id); ok && to != "" {
			return to, name, note
		}
	}
	return def.Provider, id, note
}

// meant resolves aliases.
func (s *Settings) meant(def Endpoint, model string) (id, note string) {
	low := strings.ToLower(model)
	target, mapped := s.File.Aliases[low]
	switch {
	case model == "", mapped && target == inherit, !mapped && low == inherit:
		return def.Model, ""
	case mapped:
		return target, ""
	case slices.Contains(knownAliases, low):
		return def.Model, fmt.Sprintf("the alias %q is mapped to no model; %s is used for it", model, def.Model)
	}
	return model, ""
}

// ours reports whether a file says who serves a model: names of models on an
// endpoint that serves those of many vendors look like ours.
func (s *Settings) ours(id string) bool {
	provider, _, named := strings.Cut(id, "/")
	return s.written[keyOf("models", id)] || named && s.Written(provider)
}

// modelOf is the model of a call that names its provider.
func (s *Settings) modelOf(def Endpoint, provider, model string) string {
	id, _ := s.meant(def, model)
	if rest, ok := strings.CutPrefix(id, provider+"/"); ok && rest != "" {
		return rest
	}
	if id != def.Model || provider == def.Provider || model != "" && !strings.EqualFold(model, inherit) {
		return id
	}
	if to, _, ok := s.split(id); ok && to == provider {
		return id
	}
	for _, v := range vendors() {
		if v.name == provider {
			return v.model
		}
	}
	return ""
}

// Known is a model that the configuration knows something about.
type Known struct {
	Model    string   `json:"model"`
	Provider string   `json:"provider,omitempty"` // empty for the default one
	Context  int      `json:"context,omitempty"`  // tokens; 0 if unknown
	Price    *Price   `json:"price"`              // null if unknown
	Aliases  []string `json:"aliases"`
	Origin   Origin   `json:"origin"`
}

// Known lists the models that are known, by name; those that only an alias names
// are among them.
func (s *Settings) Known() []Known {
	found := map[string]*Known{}
	for id, m := range s.File.Models {
		provider, _, _ := s.split(id)
		found[id] = &Known{Model: id, Provider: provider, Context: m.Context, Price: m.Price, Aliases: []string{}, Origin: s.originOf("models", id)}
	}
	for _, alias := range slices.Sorted(maps.Keys(s.File.Aliases)) {
		target := s.File.Aliases[alias]
		if target == inherit {
			continue
		}
		provider, id, _ := s.split(target)
		if found[id] == nil {
			found[id] = &Known{Model: id, Provider: provider, Aliases: []string{}, Origin: s.originOf("aliases", alias)}
		}
		found[id].Aliases = append(found[id].Aliases, alias)
	}
	var all []Known
	for _, id := range slices.Sorted(maps.Keys(found)) {
		all = append(all, *found[id])
	}
	return all
}

// Tokens count what a request used; the counters do not overlap.
type Tokens struct{ Input, Cached, Output int }

// Cost is what tokens of a model cost in US dollars. known is false where the
// price is not.
func (s *Settings) Cost(provider, model string, t Tokens) (usd float64, known bool) {
	m, ok := s.File.Models[model]
	if !ok || m.Price == nil || m.Provider != "" && m.Provider != provider {
		m, ok = s.File.Models[provider+"/"+model]
	}
	if !ok || m.Price == nil || m.Price.Input == nil || m.Price.Output == nil {
		return 0, false
	}
	cached := m.Price.Input
	if m.Price.Cached != nil {
		cached = m.Price.Cached
	}
	const million = 1e6
	return (float64(t.Input)**m.Price.Input + float64(t.Cached)**cached + float64(t.Output)**m.Price.Output) / million, true
}
