package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	dsh "github.com/dsh-go/dsh-workflow"
	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/internal/health"
)

// configured are the checks of what the configuration says.
func (d *doctor) configured() []health.Check {
	if d.settings == nil {
		var all []health.Check
		for _, f := range d.faults {
			all = append(all, fixed("config", health.Finding{Level: health.Fail, Text: f.String(), Do: "mend it: docs/configuration.md has every key"}))
		}
		return all
	}
	all := []health.Check{fixed("config", d.files())}
	def, err := d.settings.Default()
	if err != nil {
		all = append(all, fixed("model", health.Finding{Level: health.Fail, Text: "there is no model for agents that name none", Do: err.Error()}))
	} else {
		all = append(all, fixed("model", health.Good("%s of %s", def.Model, def.Provider)))
	}
	for _, name := range d.used(def.Provider) {
		all = append(all, health.Check{Name: name, Run: func(ctx context.Context) health.Finding { return d.endpoint(ctx, name, def) }})
	}
	return all
}

// fixed is a check whose finding is known.
func fixed(name string, f health.Finding) health.Check {
	return health.Check{Name: name, Run: func(context.Context) health.Finding { return f }}
}

func (d *doctor) files() health.Finding {
	switch s := d.settings; {
	case s.Ignored != "":
		return health.Finding{Level: health.Warn, Text: s.Ignored + " does not count: the folder is not trusted", Do: "read it, and trust the folder if it is right"}
	case s.User == "" && s.Project == "":
		return health.Good("no file: what is built in, variables and flags count")
	}
	return health.Good("valid")
}

// used are the providers that somebody set up: in a file, by a flag, or by
// setting a key.
func (d *doctor) used(def string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(d.settings.File.Providers)) {
		p := d.settings.File.Providers[name]
		if name == def || d.settings.Written(name) || p.KeyEnv != "" && d.env.lookup(p.KeyEnv) != "" && p.BaseURL != "" {
			names = append(names, name)
		}
	}
	return names
}

// endpoint checks the key of a provider and asks it for its models. What is
// needed only by calls that name the provider is a warning.
func (d *doctor) endpoint(ctx context.Context, name string, def config.Endpoint) health.Finding {
	bad := health.Warn
	if name == def.Provider {
		bad = health.Fail
	}
	e, err := d.settings.Endpoint(name)
	if err != nil {
		return health.Finding{Level: bad, Text: "has no key", Do: err.Error()}
	}
	keyEnv := d.settings.File.Providers[name].KeyEnv
	reach, err := dsh.Reach(ctx, e, versionText())
	if err != nil {
		return health.Finding{Level: bad, Text: fmt.Sprintf("%s: %v", e.BaseURL, err), Do: dsh.Advice(err, e, keyEnv)}
	}
	text := fmt.Sprintf("%s answers in %s", e.BaseURL, reach.Took.Round(time.Millisecond))
	if e.Key != "" {
		text += fmt.Sprintf(", the key in %s is taken", keyEnv)
	}
	if off := time.Since(reach.Date).Abs(); !reach.Date.IsZero() && off > maxSkew {
		return health.Finding{Level: health.Warn, Text: fmt.Sprintf("%s; its clock and ours are %s apart", text, off.Round(time.Second)), Do: "set the clock of this machine: certificates and resumes depend on it"}
	}
	switch {
	case reach.Models == nil:
		return health.Good("%s; it has no list of models", text)
	case name == def.Provider && !slices.Contains(reach.Models, def.Model):
		return health.Finding{Level: health.Warn, Text: fmt.Sprintf("%s; the model %s is none of its %d", text, def.Model, len(reach.Models)), Do: "choose another model, or go on if the endpoint has it nevertheless (--probe asks it)"}
	}
	return health.Good("%s; %d models", text, len(reach.Models))
}

// maxSkew is how far two clocks may be apart.
const maxSkew = 2 * time.Minute

// ask puts one question to the default model.
func (d *doctor) ask(ctx context.Context) health.Finding {
	e, err := d.settings.Default()
	if err != nil {
		return health.Finding{Level: health.Fail, Text: "there is no model to ask", Do: err.Error()}
	}
	if e.Provider == config.Sim {
		return health.Good("the simulated model needs no question")
	}
	began := time.Now()
	usage, err := dsh.Probe(ctx, e, versionText())
	if err != nil {
		return health.Finding{Level: health.Fail, Text: err.Error(), Do: dsh.Advice(err, e, d.settings.File.Providers[e.Provider].KeyEnv)}
	}
	return health.Good("%s answered in %s, %d tokens in, %d out", e.Model, time.Since(began).Round(time.Millisecond),
		usage.InputTokens+usage.CacheReadTokens+usage.CacheWriteTokens, usage.OutputTokens)
}
