// Package llm holds the words that every room above it speaks about a language
// model: messages made of blocks, one request, the chunks of one streamed
// answer, usage counters, failures with a code, and the policy that decides
// whether a failed attempt is tried again.
//
// The package does no I/O. Implementations of [Model] live in its sub-folders
// (llm/openai speaks HTTP, llm/sim answers without a network).
//
// Values of these types are data: once a value has been handed to another room
// nobody changes it, so slices may be shared between goroutines without a copy.
package llm
