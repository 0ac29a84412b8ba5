// Package subagenttest has what tests of the subagent seam need: [Scripted], a
// provider whose children do what they are told without a model, and [Run], the
// suite that every provider passes.
//
// Scripted uses timers and channels only, so tests with testing/synctest see
// its delays in virtual time.
package subagenttest
