// Package language gives a realm of the engine what Node 22 has and the engine
// lacks or does otherwise: regular expressions with all flags, JSON with the
// texts of V8, Intl for the common forms, and the newer functions of the
// library.
//
// [Install] puts in place what must be there from the start; the rest is made
// when a script first names it, because most scripts name little of it.
//
// All of it belongs to the goroutine that owns the realm.
package language
