// Package meta reads the meta statement of a workflow script without running
// anything.
//
// A script may begin with
//
//	export const meta = { name: 'review', description: 'Reviews a change' }
//
// where comments, directives such as 'use strict', a byte-order mark and a
// hashbang line may stand before it. The object is read from its syntax tree:
// strings, numbers, booleans, null, arrays, plain objects, templates without
// interpolation. Anything else is reported, all faults together, each with line
// and column. The rest of the script is never parsed here, so a script with a
// broken body still has a readable meta.
//
// Lines are what JavaScript calls lines (LF, CR, CRLF, U+2028, U+2029 end one).
// Lines and columns start at 1, columns count Unicode code points. All functions
// are pure and safe for concurrent use.
package meta
