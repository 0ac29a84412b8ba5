// Package atomicfile writes whole files so that a reader, also one after a
// crash, finds the old content or the new one and nothing in between.
package atomicfile
