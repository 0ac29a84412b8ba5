package dsh

import (
	"time"

	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// LimitsOf are the limits of a configuration as a run takes them.
func LimitsOf(l config.Limits) workflow.Limits {
	return workflow.Limits{
		AtOnce: l.Concurrency, Agents: l.Agents, Items: l.Items, Source: l.Source, Log: l.Log,
		Sync: time.Duration(l.Sync), Deadline: time.Duration(l.Deadline), Grace: time.Duration(l.Grace),
		Stall: time.Duration(l.Stall), Write: time.Duration(l.Write),
	}
}

// DefaultLimits are those of runs on this machine for which nobody says otherwise,
// as a configuration has them: the Base of a [config.Sources]. Sync is left out, as
// it depends on where scripts run.
func DefaultLimits() config.Limits {
	l := workflow.DefaultLimits()
	return config.Limits{
		Concurrency: l.AtOnce, Agents: l.Agents, Items: l.Items, Source: l.Source, Log: l.Log,
		Deadline: config.Duration(l.Deadline), Grace: config.Duration(l.Grace),
		Stall: config.Duration(l.Stall), Write: config.Duration(l.Write),
	}
}
