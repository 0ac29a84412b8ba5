// Package subagent is the seam between a run and the agents that it starts: the
// request that describes a child, the handle that one has of it, its result, and
// a registry of the providers that can start one.
package subagent
