// Package vm runs one workflow script to its settlement and lets a [Host]
// answer the script's calls.
//
// A script is plain JavaScript, the body of an async function: top-level await
// and return are legal, import and require are not. It sees the language and a
// handful of globals (agent, parallel, pipeline, phase, log, args, budget,
// console, timers, structuredClone, URL) and nothing of the machine. Clock and
// randomness throw, because a run must be repeatable. Dates are in UTC,
// whatever the zone of the process is.
//
// [InProcess] runs the script on the caller's goroutine. One goroutine owns the
// realm; agents and timers hand it closures, which it runs one at a time, in
// the order in which they arrived, each with its microtasks drained. Every such
// stretch of script is bounded by [Options.SyncLimit], and the end of the
// context stops the script even in an endless loop. Neither catch nor finally
// bodies run then.
//
// Values cross as JSON text. What leaves the realm is read without running any
// code of the script: accessors and proxies are refused, not asked.
//
// In process the realm contains mistakes, not malice: one huge allocation or
// one slow built-in call cannot be interrupted. A process of its own is the
// place for scripts that nobody trusts.
package vm
