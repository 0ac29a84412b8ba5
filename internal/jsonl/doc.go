// Package jsonl keeps files of one JSON value a line: appended, synced,
// repaired and locked.
//
// [Open] gives the one writer of a file. It mends what a crash or another
// program left: a line without an end is cut, and lines that are no JSON value,
// runs of NUL, empty lines and values that share a line are put right, with the
// damaged original kept beside the file. [CreateNew] is for files whose names are
// used once. [Scan] reads a file without changing
// it and without a lock, also while it is being written.
//
// Nothing is passed over in silence: whatever cannot be read is reported with
// the number of its line.
package jsonl
