// Package session keeps the event log of one agent. The log is append-only and
// is the only truth: every message that a model sees, and everything else that
// shapes a request, is derived from it, so that any request ever sent can be
// built again, byte for byte.
package session
