package workflow

import (
	"math"
	"runtime"
	"time"
)

// Limits bound one run. A zero member means its default.
type Limits struct {
	AtOnce   int           `json:"atOnce"`                 // agents at once; min(16, max(2, CPUs-2))
	Agents   int           `json:"agents"`                 // agent() calls a run; 1000
	Items    int           `json:"items"`                  // items of one parallel() or pipeline(); 4096
	Source   int           `json:"source"`                 // bytes of a script; 512 KiB
	Tokens   int           `json:"budgetTokens,omitempty"` // output tokens of all agents; none. Overrun by at most what those at work use beyond the mean
	USD      float64       `json:"budgetUsd,omitempty"`    // what the run may cost; none
	Log      int           `json:"log"`                    // bytes that a run logs, and as many of warnings; 16 MiB
	Sync     time.Duration `json:"syncNs"`                 // one synchronous stretch of script; 5 s
	Deadline time.Duration `json:"deadlineNs"`             // wall time of the run; none
	Grace    time.Duration `json:"graceNs"`                // for children to stop once they were cancelled; 5 s
	Stall    time.Duration `json:"stallNs"`                // silence of a model; the provider's default
	Write    time.Duration `json:"writeWaitNs"`            // how long a full or failing disk is waited for; 30 s
}

// DefaultLimits are the limits of a run on this machine that asks for none. It is
// their only home. Without a bound are Deadline, and Stall, which is the provider's.
func DefaultLimits() Limits {
	return Limits{
		AtOnce: min(16, max(2, runtime.NumCPU()-2)), Agents: 1000, Items: 4096, Source: 512 << 10, Log: 16 << 20,
		Sync: 5 * time.Second, Grace: 5 * time.Second, Write: 30 * time.Second,
	}
}

// limitsOf checks limits and fills in the defaults.
func limitsOf(l Limits) (Limits, error) {
	for name, v := range map[string]int64{
		"atOnce": int64(l.AtOnce), "agents": int64(l.Agents), "items": int64(l.Items), "source": int64(l.Source), "log": int64(l.Log), "budgetTokens": int64(l.Tokens),
		"sync": int64(l.Sync), "deadline": int64(l.Deadline), "grace": int64(l.Grace), "stall": int64(l.Stall), "write": int64(l.Write),
	} {
		if v < 0 {
			return l, newError(InvalidArgument, "limit %s must not be negative, got %d", name, v)
		}
	}
	if !(l.USD >= 0) || math.IsInf(l.USD, 0) {
		return l, newError(InvalidArgument, "limit budgetUsd must be a number of dollars from 0, got %v", l.USD)
	}
	return l.Over(DefaultLimits()), nil
}

// Over lays l over base, member by member.
func (l Limits) Over(base Limits) Limits {
	orInt(&l.AtOnce, base.AtOnce)
	orInt(&l.Agents, base.Agents)
	orInt(&l.Items, base.Items)
	orInt(&l.Source, base.Source)
	orInt(&l.Log, base.Log)
	orInt(&l.Tokens, base.Tokens)
	if l.USD == 0 {
		l.USD = base.USD
	}
	orDuration(&l.Sync, base.Sync)
	orDuration(&l.Deadline, base.Deadline)
	orDuration(&l.Grace, base.Grace)
	orDuration(&l.Stall, base.Stall)
	orDuration(&l.Write, base.Write)
	return l
}

func orInt(v *int, d int) {
	if *v == 0 {
		*v = d
	}
}

func orDuration(v *time.Duration, d time.Duration) {
	if *v == 0 {
		*v = d
	}
}
