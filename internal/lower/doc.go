// Package lower rewrites script bodies into JavaScript that the engine has:
// async generators and for await become generators and promises, functions in
// blocks are hoisted, and types of TypeScript are taken off. What it gives knows
// where each place was in the author's text.
//
// The work is esbuild's, which recurses over the source: the caller bounds size
// and nesting first.
package lower
