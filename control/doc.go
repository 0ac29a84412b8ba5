// Package control lets one process speak to the process of a run.
//
// A process that runs something listens on a Unix socket ([Listen]) in a folder
// that only its user can enter ([Folder]), and answers one [Request] on each
// connection. Another one asks with [Ask]. Requests and replies are one line of
// JSON each, of at most [MaxLine] bytes.
//
// The package knows nothing about runs: whoever listens gives the meaning.
package control
