// Package inprocess starts subagents in this process: each child is an agent of
// our own with the whole stack, a session log of its own, instructions, system
// prompt, tools and retries.
//
// # What a child is told
//
// The system text is the deployment's sections and, after them, that the agent
// was delegated to, that a script reads its last message, and, where a schema
// was asked for, that the result is structured. The history begins with the
// instruction files of the child's folder as one message and then the prompt,
// verbatim, so that siblings share everything up to their own prompt. Between steps
// the child is told which of these files were added, changed or removed, and of
// those in deeper folders once it has read, written or edited a file there. The tool
// that takes a structured result is the last one in the list.
//
// # Structured results
//
// The child reports its value by calling the tool structured_output, whose
// arguments are the value. What the model sent decides:
//
//	valid arguments                  the value; the turn ends without another request
//	slips that schema.Repair mends   the same, and Result.Repaired counts them
//	no JSON, or against the schema   an error that the model reads, at most MaxRejections times
//	prose instead of a call          one reminder; then the only valid value in the
//	                                 prose, flagged Degraded; else STRUCTURED_OUTPUT
//	placeholders after a rejection   the value, flagged Degraded
//
// Once a value is recorded, no later call of the child is run. Mended arguments
// stand in the log as they were mended, and what the model wrote stands in an
// event of type "structured/repaired" behind the turn.
package inprocess
