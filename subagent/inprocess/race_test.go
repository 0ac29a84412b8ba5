//go:build race

package inprocess_test

// share divides proofs of size: the race detector makes them slow and their
// memory its own.
const share = 10
