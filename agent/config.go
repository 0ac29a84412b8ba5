package agent

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/tool"
)

// The defaults of a Config.
const (
	DefaultMaxSteps    = 200
	DefaultMaxParallel = 10
)

// Config is what an agent is made of. It is read once, by [New].
type Config struct {
	// Session is the log that the agent drives. It must be balanced (no open turn)
	// and belong to this agent alone while the agent lives.
	Session *session.Log
	// Model answers the requests.
	Model llm.Model
	// Route chooses and tunes the model in the first request. Later requests begin
	// with what the one before had.
	Route llm.Config
	// Tools are offered to the model and run for it. Nil offers none.
	Tools *tool.Registry
	// Prompt gives the system text of a step. It is asked once a step, and an error
	// ends the turn. Nil sends no system text.
	Prompt func(ctx context.Context) (string, error)
	// Hooks take part in the loop.
	Hooks Hooks
	// Retry is the policy for attempts that fail.
	Retry llm.Retry
	// MaxSteps ends a turn that has made so many requests and wants another one,
	// with reason max-steps. Zero means DefaultMaxSteps.
	MaxSteps int
	// MaxParallel is how many tool calls may run at once. Zero means
	// DefaultMaxParallel, 1 runs them one by one.
	MaxParallel int
	// Stall is the longest silence of a stream; see [llm.Request].
	Stall time.Duration
	// Place is where tools work. An empty Cwd is that of the session, an empty Root
	// is Cwd.
	Place
	// Random gives numbers in [0,1) for the jitter of delays. Nil means no jitter.
	// It is called by one goroutine at a time.
	Random func() float64
	// NewID makes message ids. Nil makes UUIDs. It is called from any goroutine.
	NewID func() string
}

// Place is handed to each tool; see [tool.Call].
type Place struct {
	Cwd, Root, Home, Outputs string
	Confined                 bool
}

// Hooks are the places where rooms above take part in the loop. Each may be nil,
// and each is called on the goroutine of Run. What a hook adds reaches the model
// only by way of the log.
type Hooks struct {
	// PreStep sees what was claimed for a step and gives the messages that enter it
	// instead, in order; a claimed message that is kept or changed keeps its id.
	// Messages need no id of their own. This is where instructions are put before
	// the first prompt, and where a history that has grown too long is compacted.
	// An error ends the turn; [ErrBlocked] as a part of it refuses the input.
	PreStep func(ctx context.Context, p Proposal) ([]llm.Message, error)
	// Request may change the route of one request. Its input is the route of the
	// request before.
	Request func(ctx context.Context, route llm.Config) (llm.Config, error)
	// Recover is asked when a request has failed for good, by a failure that the
	// retry policy does not cover or no longer covers. True closes the step and
	// opens another one: the hook has changed the history so that the next request
	// differs. It must bound how often it says so.
	Recover func(ctx context.Context, failure *llm.Error) (bool, error)
	// Stopping is asked when a turn is about to end by itself. Messages that it
	// gives steer the turn, which goes on with another step. An error ends the turn.
	Stopping func(ctx context.Context, s Stop) ([]llm.Message, error)
}

// Proposal is a step that has not begun. Turn and Step count from 1.
type Proposal struct {
	Turn, Step int
	Claimed    []llm.Message // may be empty after the first step
}

// Stop is a turn that is about to end.
type Stop struct {
	Turn, Step int
	Text       string // what the last message of the model says; may be empty
	Concluded  bool   // a tool asked for the end
	MaxTokens  bool   // some answer of the turn was cut at the token limit
}

// ErrBlocked is wrapped by an error of [Hooks.PreStep] that refuses the claimed
// input: the model is not asked. A turn that has had no step ends as blocked,
// any other one as it stands.
var ErrBlocked = errors.New("input is blocked")

// withDefaults checks the configuration and fills in what is left out.
func (c Config) withDefaults() (Config, error) {
	refuse := func(text string) (Config, error) {
		return Config{}, &Error{Kind: CodeConfig, Message: text}
	}
	switch {
	case c.Session == nil:
		return refuse("agent has no session")
	case c.Model == nil:
		return refuse("agent has no model to ask")
	case c.MaxSteps < 0:
		return refuse("the number of steps must be positive")
	case c.MaxParallel < 0:
		return refuse("the number of parallel tool calls must be positive")
	}
	if c.MaxSteps == 0 {
		c.MaxSteps = DefaultMaxSteps
	}
	if c.MaxParallel == 0 {
		c.MaxParallel = DefaultMaxParallel
	}
	if c.Cwd == "" {
		c.Cwd = c.Session.Header().Cwd
	}
	if c.Root == "" {
		c.Root = c.Cwd
	}
	if c.NewID == nil {
		c.NewID = uuid.NewString
	}
	if c.Random == nil {
		c.Random = func() float64 { return 0.5 }
	}
	if c.Tools == nil {
		none, err := tool.NewRegistry()
		if err != nil {
			return refuse(err.Error())
		}
		c.Tools = none
	}
	if c.Prompt == nil {
		c.Prompt = func(context.Context) (string, error) { return "", nil }
	}
	c.Hooks = c.Hooks.withDefaults()
	return c, nil
}

// withDefaults replaces absent hooks by ones that change nothing.
func (h Hooks) withDefaults() Hooks {
	if h.PreStep == nil {
		h.PreStep = func(_ context.Context, p Proposal) ([]llm.Message, error) { return p.Claimed, nil }
	}
	if h.Request == nil {
		h.Request = func(_ context.Context, route llm.Config) (llm.Config, error) { return route, nil }
	}
	if h.Recover == nil {
		h.Recover = func(context.Context, *llm.Error) (bool, error) { return false, nil }
	}
	if h.Stopping == nil {
		h.Stopping = func(context.Context, Stop) ([]llm.Message, error) { return nil, nil }
	}
	return h
}
