// Package rehearsed wraps a provider for a dry run: it notes what agents were
// asked, lets a share of them fail, and makes no worktrees. What the others answer
// is up to the model of the wrapped provider, which is to be a simulated one.
package rehearsed
