// Package syntax is the tree of a script in words of our own: small, uniform,
// with parents, and without a trace of the parser that read the text. Package vm
// makes it; whoever looks at scripts without running them reads it.
//
// A tree is not changed once it is made, so any number of goroutines may read it.
package syntax
