package workflow

import "github.com/dsh-go/dsh-workflow/llm"

// cost adds up what calls cost. One of unknown price makes the whole unknown.
type cost struct {
	usd     float64
	priced  bool // at least one call
	unknown bool
}

func (c *cost) add(e AgentEnded) {
	switch {
	case e.CostUSD != nil:
		c.usd += *e.CostUSD
		c.priced = true
	case e.Usage != llm.Usage{}:
		c.unknown = true
	}
}

// known is the sum, nil if it cannot be told.
func (c *cost) known() *float64 {
	if c.unknown || !c.priced {
		return nil
	}
	usd := c.usd
	return &usd
}

// price sets what the usage of a call cost.
func (r *Run) price(c *call, e *AgentEnded) {
	if r.cfg.Cost == nil {
		return
	}
	if usd, ok := r.cfg.Cost(c.route, e.Usage); ok {
		e.CostUSD = &usd
	}
}
