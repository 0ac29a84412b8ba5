// Package lint finds what is wrong with a workflow script, or most likely not
// meant, by looking at it. Nothing of the script runs.
//
// # What it knows
//
// Names are resolved as the language does it, so a shadowed agent is no hook, and
// `const ask = agent` is one. What an expression gives is followed through
// constants, through variables of which every assignment is seen, through
// functions of the script that give an agent's answer on, and through the lists
// of parallel(), pipeline(), map() and filter(). What is not certain counts as
// unknown, and nothing is said about it.
//
// A name counts as tested at a place when a test of it must have been passed on
// the way there: the condition around it, the left side of && or ||, an if before
// it that leaves, an assignment. A test that this package does not understand
// counts as one. There is no loop of analysis: each node is looked at once, and
// the time grows with the length of the script.
//
// Where a throw is caught (a try, a thunk of parallel(), a stage of pipeline()),
// an answer that is used untested is none of our business: the runtime turns it
// into null and says so.
//
// # What it says
//
// A [Finding] has the id of its [Rule], a place and a way out. An error is what
// the runtime refuses whenever the line is reached, a warning is what runs and is
// hardly meant. docs/rules has a page for each rule.
//
// All functions are pure and may be called from any goroutine.
package lint
