// Package regex matches the regular expressions of ECMAScript 2024 as the
// standard defines them: flags d, i, m, s, u, v and y, named groups,
// look-behind, back-references, property escapes, set operations, and the
// relaxed grammar of the web where neither u nor v is set.
//
// The matcher backtracks on a stack of its own, so no input overflows the stack
// of a goroutine, and asks [Stop] again and again whether it may go on: a match
// that takes for ever can be ended, and is never taken for no match.
//
// A [Regexp] never changes once it is made and may be used by several
// goroutines at once. Texts are slices of UTF-16 units, as in the language.
package regex
