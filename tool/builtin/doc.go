// Package builtin has the tools that work on the machine itself: read, write,
// edit and bash.
//
// Paths of arguments start at the call's working directory. write and edit stay
// inside the call's root, symbolic links resolved; read and bash may leave it. A
// file that an agent changes must be in the state in which the agent last saw
// it, which [Observed] remembers for each. Changes are atomic: a reader sees the old file
// or the new one, and a failure leaves the old one.
//
// Failures carry the codes of this package as [tool.Error], and their texts say
// what to do.
package builtin
