package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dsh-go/dsh-workflow/internal/similar"
)

// The providers that no file can define.
const (
	Sim    = "sim"    // the simulated model, and its provider
	Custom = "custom" // the endpoint of --base-url or DSH_BASE_URL
)

// pairing holds the rule that a key goes only where its owner sends it: who
// changes the URL of a provider names the key beside it, and a project takes no
// variable to another place that belongs to a provider already. places are what
// the layer itself says.
func pairing(before, after File, places map[key]Origin) (faults Faults) {
	for _, name := range slices.Sorted(maps.Keys(after.Providers)) {
		was, is := before.Providers[name], after.Providers[name]
		at, moved := places[keyOf("providers", name, "baseUrl")]
		_, named := places[keyOf("providers", name, "keyEnv")]
		if moved && !named && was.KeyEnv != "" && was.BaseURL != is.BaseURL {
			faults = append(faults, Fault{at, keyOf("providers", name, "baseUrl").String(), fmt.Sprintf(
				"changes where the key of %s goes: if that is meant, write keyEnv: %s beside it, else the name of another variable", was.KeyEnv, was.KeyEnv)})
		}
		at, named = places[keyOf("providers", name, "keyEnv")]
		if !named || at.Layer != FromProject {
			continue
		}
		if is.KeyEnv == varKey {
			faults = append(faults, Fault{at, keyOf("providers", name, "keyEnv").String(), fmt.Sprintf(
				"%s belongs to the endpoint that the user names with --base-url: name another variable", varKey)})
			continue
		}
		if owner, taken := ownerOf(before, is); taken {
			faults = append(faults, Fault{at, keyOf("providers", name, "keyEnv").String(), fmt.Sprintf(
				"%s belongs to %s at %s: the file of a project cannot send it elsewhere; write this provider into the file of the user ($DSH_HOME/config.yaml), or name another variable",
				is.KeyEnv, owner, before.Providers[owner].BaseURL)})
		}
	}
	return faults
}

// ownerOf finds a provider that sends the same variable to another place.
func ownerOf(f File, p Provider) (string, bool) {
	for _, name := range slices.Sorted(maps.Keys(f.Providers)) {
		if q := f.Providers[name]; q.KeyEnv == p.KeyEnv && q.BaseURL != p.BaseURL {
			return name, true
		}
	}
	return "", false
}

// check finds what no layer alone can show.
func (s *Settings) check() (faults Faults) {
	add := func(k key, format string, args ...any) {
		faults = append(faults, Fault{s.originOf(k.names()...), k.String(), fmt.Sprintf(format, args...)})
	}
	for _, name := range slices.Sorted(maps.Keys(s.File.Providers)) {
		k := keyOf("providers", name)
		if name != Custom && s.File.Providers[name].BaseURL == "" && !s.says(k.with("baseUrl")) {
			add(k, "has no baseUrl: write the URL of the endpoint, with its /v1")
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.File.Models)) {
		k := keyOf("models", id)
		m := s.File.Models[id]
		if m.Provider != "" && !s.provides(m.Provider) {
			add(k.with("provider"), "%s", s.noProvider(m.Provider))
		}
		if m.Price == nil {
			continue
		}
		for name, v := range map[string]*float64{"input": m.Price.Input, "output": m.Price.Output} {
			if v == nil && !s.says(k.with("price").with(name)) {
				add(k.with("price"), "has no %s: a price needs input and output", name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.File.Aliases)) {
		if problem := s.aliasProblem(name); problem != "" {
			add(keyOf("aliases", name), "%s", problem)
		}
	}
	if o := s.originOf("defaults", "model"); o.file() {
		if problem := s.targetProblem(s.File.Defaults.Model); problem != "" {
			add(keyOf("defaults", "model"), "%s", problem)
		}
	}
	slices.SortStableFunc(faults, compareFaults)
	return faults
}

func compareFaults(a, b Fault) int {
	if a.Origin.Name != b.Origin.Name {
		return strings.Compare(a.Origin.Name, b.Origin.Name)
	}
	return a.Origin.Line - b.Origin.Line
}

// says reports whether a layer has the value, a faulty one too.
func (s *Settings) says(k key) bool {
	_, ok := s.origins[k]
	return ok
}

// provides reports whether there is such a provider, a faulty one too.
func (s *Settings) provides(name string) bool {
	_, ok := s.File.Providers[name]
	return ok || name == Sim || s.says(keyOf("providers", name))
}

func (s *Settings) noProvider(name string) string {
	known := s.providerNames()
	text := "no provider is named " + shown(name)
	if meant, ok := closest(name, known); ok {
		text += "; did you mean " + meant + "?"
	}
	return text + " (known: " + strings.Join(known, ", ") + ")"
}

// providerNames lists what a model can name.
func (s *Settings) providerNames() []string {
	names := slices.Sorted(maps.Keys(s.File.Providers))
	return append(slices.DeleteFunc(names, func(n string) bool { return n == Custom }), Sim)
}

// knownAliases are names that scripts use for "a small one" or "the best one" of
// another product, and inherit for the default.
var knownAliases = []string{"haiku", "sonnet", "opus", "fable", inherit}

const inherit = "inherit"

func (s *Settings) aliasProblem(name string) string {
	low := strings.ToLower(name)
	if low != name {
		return "aliases are written in lower case: " + low
	}
	if !slices.Contains(knownAliases, name) {
		if meant, ok := similar.Closest(name, knownAliases, 1); ok {
			return fmt.Sprintf("is too near to the alias %s to be another one", meant)
		}
	}
	target := s.File.Aliases[name]
	if _, chain := s.File.Aliases[strings.ToLower(target)]; target == inherit && name != inherit || target == Sim {
		return ""
	} else if chain || slices.Contains(knownAliases, strings.ToLower(target)) {
		return fmt.Sprintf("leads to another alias, %s: write the name of a model", shown(target))
	}
	return s.targetProblem(target)
}

// targetProblem says why a text of a file is no model of this configuration. A
// name without a provider may be any model of the default one.
func (s *Settings) targetProblem(model string) string {
	provider, _, named := strings.Cut(model, "/")
	if _, known := s.File.Models[model]; known || !named || s.provides(provider) {
		return ""
	}
	return s.noProvider(provider) + "; for a model whose name has a slash, write it down below models with its provider"
}
