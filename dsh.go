package dsh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/internal/proc"
	"github.com/dsh-go/dsh-workflow/journal"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/prompt"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/inprocess"
	"github.com/dsh-go/dsh-workflow/subagent/isolated"
	"github.com/dsh-go/dsh-workflow/subagent/rehearsed"
	"github.com/dsh-go/dsh-workflow/tool"
	"github.com/dsh-go/dsh-workflow/tool/builtin"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// Config says what a harness is made of. It is read once, by [Open].
type Config struct {
	// Home is the absolute folder of the harness: runs lie in workflow/runs below
	// it, and AGENTS.md in it counts for every agent. UsualHome says that it is
	// ~/.dsh; then that is the name that agents see.
	Home      string
	UsualHome bool
	// AgentsHome is the second folder of user-wide instructions; empty means none.
	AgentsHome      string
	UsualAgentsHome bool
	// Memory keeps runs in memory: nothing is written below Home.
	Memory bool
	// Settings are what the configuration says about providers, models, aliases and
	// limits; see [config.Load]. Nil has what is built in.
	Settings *config.Settings
	// Endpoint is the model of agents that name none; left out it is the default of
	// Settings. Model, when it is set, takes its place and gets the endpoint's names.
	Endpoint config.Endpoint
	Model    llm.Model
	// Rehearsal makes every run a dry one, of whose agents this share fails: no model
	// is asked, no tool runs, nothing is written, and timers hardly wait. Answers are
	// made up from the schemas. Nil runs for real.
	Rehearsal *rehearsed.Share
	// Environ is the environment of commands that agents run, as NAME=value;
	// names that look like secrets, and those that Settings name as keys, are left out.
	Environ []string
	Version string // of the program, for records
	// Socket is where this process listens for words to its runs, see package
	// control; it stands in the locks of runs. Empty means nowhere.
	Socket string
	// Trusts says whether the user trusts the project of a folder, an absolute path;
	// see package trust. It is asked about the root of each run, and about
	// repositories below that agents work in, from any goroutine. Nil trusts none:
	// then agents have the tools read, glob and grep only, confined to the root, and
	// instruction files of projects are left out.
	Trusts func(folder string) bool
	// Limits are those of runs that name none, over those of Settings.
	Limits workflow.Limits
	// Realm says where scripts run; default what Settings say, else [RealmInProcess].
	Realm RealmKind
	Log   *slog.Logger // nil drops warnings about instruction files and trust
}

// Harness is an open harness. Any goroutine may use it.
type Harness struct {
	engine    *workflow.Engine
	endpoints *endpoints
	children  subagent.Provider
	realms    *realms
}

// Open makes a harness. It creates no files until a run starts.
func Open(c Config) (*Harness, error) {
	e, err := endpointsOf(c)
	if err != nil {
		return nil, err
	}
	c.Environ = withoutKeys(c.Environ, e.settings)
	runs := filepath.Join(c.Home, "workflow", "runs")
	g := newGate(c)
	spawn, err := children(c, e, g)
	if err != nil {
		return nil, err
	}
	providers, err := subagent.NewRegistry(spawn)
	if err != nil {
		return nil, err
	}
	realms, err := realmsOf(cmp.Or(c.Realm, RealmKind(e.settings.File.Defaults.Realm)))
	if err != nil {
		return nil, err
	}
	cfg := workflow.Config{
		Providers: providers, Store: store(c, runs), Route: e.route, Cost: e.cost, Trusts: g.decide,
		Limits: realms.limits(c.Limits.Over(LimitsOf(e.settings.File.Limits))), Version: c.Version,
		Realm:   realms.realm(),
		EndLeft: endLeft,
	}
	if p, ok := spawn.(*rehearsed.Provider); ok {
		cfg.Pace = hurried
		cfg.Waiting = func(id workflow.RunID, over bool) { p.Waiting(string(id), over) }
	}
	engine, err := workflow.New(cfg)
	if err != nil {
		return nil, errors.Join(err, realms.Close())
	}
	return &Harness{engine: engine, endpoints: e, children: spawn, realms: realms}, nil
}

// children gives all children the same tools, which tell them apart by their
// sessions. Locks are shared too, so that siblings do not change one file at once.
func children(c Config, e *endpoints, g *gate) (subagent.Provider, error) {
	seen := builtin.NewObserved()
	tools, err := tool.NewRegistry(builtin.New(builtin.Options{Env: c.Environ, Observed: seen})...)
	if err != nil {
		return nil, err
	}
	inner := inprocess.Spawn(inprocess.Config{
		Resolve:      e.resolve,
		Tools:        func(context.Context, inprocess.Site) (*tool.Registry, error) { return tools, nil },
		Closed:       func(site inprocess.Site) { seen.Forget(site.Session) },
		Sections:     sections(),
		Instructions: g.instructions,
		Home:         c.Home,
		Random:       rand.Float64,
		Log:          c.Log,
	})
	if c.Rehearsal != nil {
		return rehearsed.Wrap(inner, *c.Rehearsal, rehearsed.NewTurns()), nil
	}
	return isolated.Wrap(inner, isolated.Config{Env: c.Environ}), nil
}

// Engine starts runs.
func (h *Harness) Engine() *workflow.Engine { return h.engine }

// Close releases the connections of the models, and the process that waits for a
// script. Runs must have ended.
func (h *Harness) Close() error { return errors.Join(h.realms.Close(), h.endpoints.close()) }

func store(c Config, runs string) workflow.Store {
	if c.Memory || c.Rehearsal != nil {
		return &journal.Memory{}
	}
	return journal.NewDir(runs, journal.Options{Socket: c.Socket})
}

func sections() []prompt.Section {
	var out []prompt.Section
	for _, s := range builtin.Sections() {
		out = append(out, prompt.Section{Name: s.Name, Order: s.Order, Text: s.Text})
	}
	return out
}

// endLeft ends the commands of an agent whose process is gone. They carry the id
// of its session as their mark.
func endLeft(child string) error {
	left, err := proc.EndMarked(child, time.Second)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil // said in the limits of the README
	case err == nil && len(left) > 0:
		return fmt.Errorf("processes %v", left)
	}
	return err
}
