// Package eventlog is an append-only log in memory that is read with cursors.
//
// Nobody is pushed at: a reader says from which index it wants to read and gets
// every entry from there on, in order, each exactly once. A reader that comes
// late, one that is slow and one that comes back after a break are the same
// code; there are no buffers to size, no drops and nothing to unsubscribe.
package eventlog
