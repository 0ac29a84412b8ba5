// Package prompt makes the texts that stand in front of an agent's work: the
// system text, out of ordered sections with variables, and the baseline of
// workspace instructions (AGENTS.md and its relatives) as one message. A [Watch]
// keeps these current: between the steps of an agent it tells what has been added,
// changed or removed since, by what the agent's own history says that it knows.
//
// Both are byte-stable: the same sections, variables and files give the same
// text, whatever the order of registration or the time of day, because a
// provider's prefix cache serves siblings only where their bytes are equal.
//
// Every fact in a prompt has one owner. What a tool does stands in the tool's
// description; a section holds only what is true across calls.
package prompt
