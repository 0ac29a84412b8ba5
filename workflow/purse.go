package workflow

import (
	"context"
	"fmt"
	"sync"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/subagent"
)

// purse holds agents back for which a budget has no room. Each agent at work counts
// as what those that have ended used on average; before the first end nothing is
// known, and as many start as have slots. So a budget is overrun by at most what
// the agents at work use beyond that.
//
// Concurrency: every method may be called from any goroutine.
type purse struct {
	tokens int     // output tokens of the run; 0 is no bound
	usd    float64 // US dollars; 0 is no bound

	mu      sync.Mutex
	used    amount // by agents that have ended, those of an earlier time included
	ended   int
	working int
	change  chan struct{} // closed when an agent ends
}

// amount is what agents use of the budgets.
type amount struct {
	tokens int
	usd    float64
}

func newPurse(l Limits) *purse {
	return &purse{tokens: l.Tokens, usd: l.USD, change: make(chan struct{})}
}

// take counts an agent in that is about to start. It waits while there is no room
// and others are at work, and fails when there is none at all; the error is an
// *Error, or the cause of ctx.
func (p *purse) take(ctx context.Context) error {
	for {
		p.mu.Lock()
		err := p.full()
		if err == nil {
			err = p.over(p.with(p.working + 1))
		}
		if err == nil {
			p.working++
			p.mu.Unlock()
			return nil
		}
		alone, change := p.working == 0, p.change
		p.mu.Unlock()
		if alone {
			return err
		}
		select {
		case <-change:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// give counts an agent out. end is nil for one that did not start.
func (p *purse) give(end *AgentEnded) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.working--
	if end != nil {
		p.count(*end)
	}
	close(p.change)
	p.change = make(chan struct{})
}

// replayed counts an agent that ran at an earlier time.
func (p *purse) replayed(end AgentEnded) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count(end)
}

// empty is why no agent can be admitted any more; nil if some can.
func (p *purse) empty() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.full()
}

// count, with, full and over are called with mu held.
func (p *purse) count(end AgentEnded) {
	p.used.tokens += end.Usage.OutputTokens
	if end.CostUSD != nil {
		p.used.usd += *end.CostUSD
	}
	if end.Usage != (llm.Usage{}) {
		p.ended++
	}
}

// with is what the run will have used when so many more have ended.
func (p *purse) with(more int) amount {
	if p.ended == 0 {
		return p.used
	}
	share := float64(more) / float64(p.ended)
	return amount{p.used.tokens + int(share*float64(p.used.tokens)), p.used.usd * (1 + share)}
}

// full tells that a budget is used up.
func (p *purse) full() error {
	switch {
	case p.tokens > 0 && p.used.tokens >= p.tokens:
		return p.tokensGone()
	case p.usd > 0 && p.used.usd >= p.usd:
		return p.moneyGone()
	}
	return nil
}

// over tells that a sum is more than a budget.
func (p *purse) over(sum amount) error {
	switch {
	case p.tokens > 0 && sum.tokens > p.tokens:
		return p.tokensGone()
	case p.usd > 0 && sum.usd > p.usd:
		return p.moneyGone()
	}
	return nil
}

func (p *purse) tokensGone() error {
	return newError(TokenBudget, "the budget of %d output tokens has no room for another agent: %d agents used %d; resume with a higher --budget-tokens to go on",
		p.tokens, p.ended, p.used.tokens)
}

func (p *purse) moneyGone() error {
	return newError(MoneyBudget, "the budget of %s has no room for another agent: %d agents cost %s; resume with a higher --budget-usd to go on",
		dollars(p.usd), p.ended, dollars(p.used.usd))
}

func dollars(usd float64) string { return fmt.Sprintf("$%.4g", usd) }

// priced refuses a route whose cost nobody knows, where a budget of money is to be
// kept.
func (c Config) priced(l Limits, route subagent.Route) error {
	if l.USD == 0 {
		return nil
	}
	if c.Cost != nil {
		if _, known := c.Cost(route, llm.Usage{OutputTokens: 1}); known {
			return nil
		}
	}
	return newError(InvalidArgument, "a budget in dollars needs the price of the model %q, which is not known: give it under models in the configuration, or use a budget of tokens", route.Model)
}
