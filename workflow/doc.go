// Package workflow runs one script as one run: it admits the script's agent()
// calls, numbers them, gives them slots, starts a child for each, records what
// happened and settles the run.
//
// [Engine.Start] checks a script and begins a [Run]. A run writes [Record]s, the
// only truth about it: a record stands on disk before the script sees the result
// that it records, and the order of the records is the order in which results
// and timers reached the script. Observers follow the records with a cursor
// ([Run.Follow]) and are never in the way; [Run.Wait] gives the [Result].
//
// What a run needs is declared here and built elsewhere: a [Realm] that runs the
// script, a [Store] that keeps the records, and the providers of subagents.
//
// An ordinary failure of an agent gives the script null and one entry in
// [Result.Failures]; misuse and faults of the machinery are errors with a
// [Code]. A limit ends admission and keeps what has ended.
package workflow
