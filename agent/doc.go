// Package agent drives one session: it claims waiting input, asks the model,
// runs the tools that the model calls, and ends the turn when nothing is owed.
//
// # Turn and step
//
// A turn is one claimed piece of input until the model stops asking for tools. A
// step is one request of a turn with the batch of tool calls that it produced:
//
//	turn/start
//	  inbox splice (claim), user/message…    what enters, before the boundary
//	  step/start                             the request is what the log says here
//	    request/header                       first request, and when it changed
//	    assistant/chunk…                     each appended before it is used
//	    llm/retry, llm/retry-started         a failed attempt stays uncited
//	    assistant/message                    cites the chunks of its own attempt
//	    tool/call…, tool/result…             calls and results in model order
//	  step/end
//	turn/end
//
// Nothing reaches the model that is not in the log first, so the log alone
// rebuilds every request ([session.Rebuild]). The log is flushed before a request
// is sent, before the body of a tool runs, and at the end of a turn.
//
// # Input
//
// [Agent.Followup] waits for a turn of its own. [Agent.Steer] joins the next step
// and starts a turn when none runs. [Agent.Inject] joins the next step, whenever
// that is. Each is durable when it returns nil and the log was flushed. A step
// takes all of the second and third kind; a turn takes one of the first.
//
// # Failures
//
// What goes wrong inside a turn (the model, the prompt, a hook) ends that turn
// with a reason that stands in the log and in [Outcome]; the agent lives on. A
// failing tool is a result that the model sees. [Agent.Run] returns an error only
// when the log cannot be written or Run was misused.
//
// # Cancellation
//
// Ending the context of Run cancels it, and the context's cause is the reason:
// see [Cancel]. Whatever happens after that reads as cancelled. The log stays
// balanced, tool bodies that run are awaited, and waiting input is withdrawn
// unless the cause keeps it.
package agent
