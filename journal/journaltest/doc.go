// Package journaltest is the conformance suite of stores for runs: whatever
// implements [workflow.Store] and can read its runs back passes [Run].
package journaltest
