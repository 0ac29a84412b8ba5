// Package builtin has the tools that work on the machine itself: read, write,
// edit, bash, glob and grep; and todo_write.
//
// Paths of arguments start at the call's working directory. write and edit stay
// inside the call's root, symbolic links resolved; the others may leave it, but
// read, glob and grep not in a confined call. A
// file that an agent changes must be in the state in which the agent last saw
// it, which [Observed] remembers for each. Changes are atomic: a reader sees the old file
// or the new one, and a failure leaves the old one.
//
// glob and grep are an engine of this package: globs of doublestar, regular
// expressions of RE2, our own reader of ignore files. A search opens regular files
// only, follows no link that it meets, and has 30 s. Where ripgrep is installed, a
// grep of many bytes asks it which files are worth reading; what is found, and how
// it is shown, does not depend on that.
//
// todo_write changes nothing on the machine: the list that an agent keeps of its
// tasks is a note in its session log, and lasts as long as the turn.
//
// Failures carry the codes of this package as [tool.Error], and their texts say
// what to do.
package builtin
