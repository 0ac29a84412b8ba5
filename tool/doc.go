// Package tool defines what a tool is, data and a function, and the registry
// that checks, guards, bounds and runs one.
//
// A [Tool] is written by hand or made by [Of], which takes the schema of the
// arguments from a Go type. A [Registry] is an immutable set of tools that is
// built for each agent. Whatever a model sends and whatever a tool does,
// [Registry.Run] gives exactly one [Result] whose text is valid, printable and
// bounded: faults of the model are results that it can correct, a denial of a
// guard is a result that names the reason, a panic of a tool is a result that
// calls it our bug.
package tool
