// Package dsh puts the harness together: it is the one place that knows every
// room. A program that wants to run workflows opens a [Harness] and starts runs
// on its engine:
//
//	h, err := dsh.Open(dsh.Config{Home: home, Endpoint: config.Endpoint{Provider: config.Sim, Model: config.Sim}})
//	run, err := h.Engine().Start(ctx, workflow.Request{Source: script, Root: dir})
//	result, err := run.Wait(ctx)
//
// A run's agents may change files, run commands and follow the instruction files of
// a project only where [Config.Trusts] says that the user trusts it; left out, they
// have the tools read, glob and grep, confined to the run's root.
//
// Scripts run inside this process. What guards the realm has contains mistakes
// of a script; it is no border against one that wants to do harm, and agents run
// commands with the rights of the process.
package dsh
