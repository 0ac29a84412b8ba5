//go:build !race

package inprocess_test

// share divides proofs of size.
const share = 1
