// Package llmtest holds what tests of language models need: a server that speaks
// the OpenAI chat-completions protocol on the loopback address and plays the
// scripts of package sim, and [Run], the suite that every llm.Model has to pass.
//
// # Server
//
// [New] and [Start] open a server. What it answers is written into the prompt: a
// user message with a line `@@mock [STEP, …]` scripts the conversation, see
// package sim for the notation. Without a script, a request that offers a
// structured-output tool gets a smallest valid instance of its schema, any other
// one "mock:" and eight hexadecimal digits of the newest user text.
//
// A server can also be as strict as the strictest real ones: it checks keys,
// models and histories, and refuses with 429 what comes too often or too much at
// once. It keeps the exact bytes of each request.
//
// The command llm/llmtest/llmserver is the same server for the command line.
package llmtest
