package inprocess

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/prompt"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/tool"
)

// DefaultName is the name of the provider unless [Config] says otherwise.
const DefaultName = "spawn"

// MaxRejections is how many turns of a child may end in a structured result that
// is refused before the child has failed.
const MaxRejections = 5

// Mind is the model of a child, how it is asked, and what is done about requests
// that fail. Without a Retry the policy of [Config] holds.
type Mind struct {
	Model  llm.Model
	Config llm.Config
	Retry  *llm.Retry
}

// Resolver finds the model for a route, whose empty members are left to it. An
// error fails the start; its code is kept. It may be called from any goroutine.
type Resolver func(ctx context.Context, route subagent.Route) (Mind, error)

// Fixed is a resolver that always answers with m. The members of a route that
// are set take the place of those of config.
func Fixed(m llm.Model, config llm.Config) Resolver {
	return func(_ context.Context, route subagent.Route) (Mind, error) {
		c := config
		if route.Provider != "" {
			c.Provider = route.Provider
		}
		if route.Model != "" {
			c.Model = route.Model
		}
		if route.Effort != "" {
			c.Effort = route.Effort
		}
		return Mind{Model: m, Config: c}, nil
	}
}

// Site is where a child is about to live.
type Site struct {
	Session string // id of the child and of its session
	Run     string // id of the run that it belongs to; may be empty
	Cwd     string // absolute; may be empty
	Root    string // absolute; may be empty
	Depth   int    // 1 for a child of a top-level run
	Trusted bool   // the user trusts the project of Root
	Guided  bool   // and that of Cwd: its instruction files count
}

// Config is what children are made of.
type Config struct {
	Name    string   // of the provider; empty means DefaultName
	Resolve Resolver // must be set

	// Tools gives the tools of one child; nil means none. Children may share a
	// registry whose tools tell them apart by [tool.Call]. It may be called from
	// any goroutine; an error fails the start. Of these tools, a child in a folder
	// that the user does not trust has those that are harmless.
	Tools func(ctx context.Context, site Site) (*tool.Registry, error)
	// Closed is called once for each child that was started, when none of its
	// tools will run again; until then a child may be tried again. It may be
	// called from any goroutine, must not block, and may be nil.
	Closed func(site Site)
	// Sections are the deployment's. One that has the name of a section of ours
	// takes its place. A section "tool:<name>" is left out where the child was
	// denied that tool.
	Sections []prompt.Section
	// Instructions finds the instruction files of one child; nil, and a nil result,
	// mean none. Children may share a result. It may be called from any goroutine.
	Instructions func(Site) *prompt.Instructions

	MaxDepth    int // zero means subagent.DefaultMaxDepth, negative allows no child
	MaxSteps    int // of a turn; zero means agent.DefaultMaxSteps
	MaxParallel int // tool calls at once; zero means agent.DefaultMaxParallel
	Retry       llm.Retry
	Home        string // the harness home, for tools; may be empty

	NewID  func() string    // makes session and message ids; nil makes UUIDs
	Now    func() time.Time // nil means time.Now
	Random func() float64   // for the jitter of retries, called from any goroutine; nil means none
	Log    *slog.Logger     // warnings about instruction files; nil drops them
}

func (c Config) withDefaults() Config {
	if c.Name == "" {
		c.Name = DefaultName
	}
	if c.Tools == nil {
		c.Tools = func(context.Context, Site) (*tool.Registry, error) { return tool.NewRegistry() }
	}
	if c.Instructions == nil {
		c.Instructions = func(Site) *prompt.Instructions { return nil }
	}
	if c.Closed == nil {
		c.Closed = func(Site) {}
	}
	if c.MaxDepth == 0 {
		c.MaxDepth = subagent.DefaultMaxDepth
	}
	if c.NewID == nil {
		c.NewID = uuid.NewString
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}
