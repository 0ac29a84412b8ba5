// Package session keeps the event log of one agent. The log is append-only and
// is the only truth: every message that a model sees, and everything else that
// shapes a request, is derived from it, so that any request ever sent can be
// built again, byte for byte.
//
// # Surface
//
// User messages, assistant messages and tool results stand on the surface, in
// order; what they hold is the history that the model sees. A replacement puts
// one event in the place of a window of the surface, and the events that it
// shadows stay in the log. All other events only tell what happened.
//
// # The request of a step
//
// [Rebuild] gives back exactly what was sent, for every attempt, as long as the
// loop keeps this order:
//
//  1. It appends the messages that enter the step, then takes Messages, then
//     appends StepStart. The history of the step is what stood on the surface
//     before its StepStart, for every attempt of the step. A history that has to
//     change before another try, by a compaction say, needs another step.
//  2. It calls RecordHeader after StepStart, and after RetryStarted when another
//     attempt has another header, before the first chunk of that attempt.
//  3. It sends what the log hands back, Messages and RequestHeader, not the
//     values that it appended: the log holds them as their JSON reads.
//  4. It calls Flush before it starts the stream. What the provider has seen is
//     then on disk, and so is, with another Flush, a ToolCall before its tool has
//     side effects.
//
// # What is checked
//
// Every append is checked against the frame (turns and steps are opened, numbered
// and closed in order, and events name the open ones), against the surface, and
// for the shape of its payload. What is refused leaves no trace. The same checks
// run over inherited events.
//
// # On disk
//
// A [FileSink] holds the header and then one event a line. Appends are written
// behind: within 200 ms, or at once when many bytes wait. [Log.Flush] is the
// durable barrier. Events of types that belong to rooms above, or to a later
// version, travel as [Opaque]; a log with a type that is neither known nor
// marked as ignorable is refused as a whole, because leaving an event out could
// change the history.
//
// The package exports more than forty names because each kind of event is a type.
package session
