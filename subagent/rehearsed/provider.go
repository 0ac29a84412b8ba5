package rehearsed

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/subagent"
)

// Asked is what one agent was asked.
type Asked struct {
	Seq      int
	Label    string
	Model    string
	Chars    int // of the prompt
	Schema   bool
	Worktree bool // it would have got one
}

// Provider rehearses children. Any goroutine may use it; mu guards asked.
type Provider struct {
	inner subagent.Provider
	fail  Share
	turns *Turns // nil lets everybody answer at once

	mu    sync.Mutex
	asked []Asked
}

var (
	_ subagent.Provider = (*Provider)(nil)
	_ subagent.Capable  = (*Provider)(nil)
)

// Wrap makes a provider that starts its children with inner, except for those
// that fail. With turns they answer one after another.
func Wrap(inner subagent.Provider, fail Share, turns *Turns) *Provider {
	return &Provider{inner: inner, fail: fail, turns: turns}
}

// Name is that of the wrapped provider.
func (p *Provider) Name() string { return p.inner.Name() }

// Capabilities are those of the wrapped provider, and worktrees, which a
// rehearsal does not need to make.
func (p *Provider) Capabilities() subagent.Capabilities {
	has := subagent.Capabilities{Schema: true, Tools: true, Type: true}
	if limited, ok := p.inner.(subagent.Capable); ok {
		has = limited.Capabilities()
	}
	has.Worktree = true
	return has
}

// Start notes the request, and plays it unless its call is one that fails.
func (p *Provider) Start(ctx context.Context, req subagent.Request) (subagent.Child, error) {
	seq := seqOf(req.Call)
	p.mu.Lock()
	p.asked = append(p.asked, Asked{
		Seq: seq, Label: req.Label, Model: req.Route.Model, Chars: utf8.RuneCountInString(req.Prompt), Schema: req.Schema != nil, Worktree: req.Worktree,
	})
	p.mu.Unlock()
	child, err := p.play(ctx, req, seq)
	if err != nil || p.turns == nil {
		return child, err
	}
	return p.turns.hold(req.Lineage.Run, seq, child), nil
}

func (p *Provider) play(ctx context.Context, req subagent.Request, seq int) (subagent.Child, error) {
	if p.fail.Picks(seq) && ctx.Err() == nil {
		return failed{id: uuid.NewString(), share: p.fail.Fraction}, nil
	}
	return p.inner.Start(ctx, req)
}

// seqOf is the number of a call, 0 if its id holds none.
func seqOf(id subagent.CallID) int {
	text := string(id)
	n, err := strconv.Atoi(text[strings.LastIndexByte(text, '/')+1:])
	if err != nil {
		return 0
	}
	return n
}

// Waiting says that the script of a run waits, or is over; see [Turns].
func (p *Provider) Waiting(run string, over bool) {
	if p.turns != nil {
		p.turns.Waiting(run, over)
	}
}

// Asked lists what was asked so far, in the order of the calls.
func (p *Provider) Asked() []Asked {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := slices.Clone(p.asked)
	slices.SortFunc(out, func(a, b Asked) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}

// failed is a child that was made to fail.
type failed struct {
	id    string
	share float64
}

func (f failed) ID() string { return f.id }

func (f failed) Wait(context.Context) (subagent.Result, error) {
	return subagent.Result{Outcome: subagent.Failed, Failure: &subagent.Failure{
		Code: string(llm.CodeServer), Message: fmt.Sprintf("simulated: the dry run makes %g%% of the agents fail", f.share*100),
	}}, nil
}

func (f failed) Close() error { return nil }
