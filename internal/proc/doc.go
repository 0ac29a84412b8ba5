// Package proc runs a child process and answers for its whole tree.
//
// [Run] starts the child in a session of its own, without a terminal and with
// an empty standard input, keeps the tail of each output stream, and returns
// when the tree has ended: descendants that outlive the child are ended too, so
// that "sleep 600 & echo ok" takes no longer than its echo. When the context
// ends or the time is up, the tree gets SIGTERM, and SIGKILL after a grace.
//
// What belongs to the tree differs by system. On Linux it is every process of
// the child's session or group, every descendant that can be followed, and every
// process that still has the mark which Run puts into the environment, so that a
// daemon which made a session of its own is found. A program that drops its
// environment, its session and its parents at once is not found then, but by
// [EndChildren] when the harness ends. On other Unix systems the tree is the
// process group. Windows is not supported.
//
// A process that calls [Subreaper] becomes the parent of orphans below it, which
// keeps the descent visible. It must then collect them with [Reap], and ends what
// is left with [EndChildren].
package proc
