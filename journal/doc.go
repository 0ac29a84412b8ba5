// Package journal keeps the records of runs: [Dir] on disk, [Memory] for tests
// and for embedders that want no traces.
//
// A run on disk is one folder, named by the run's id:
//
//	run.json       what is fixed about the run, and which process started it
//	script.js      the source as it was given, byte for byte
//	journal.jsonl  the records, one a line: the only truth
//	result.json    the envelope, once the run has ended
//	sessions/      one session log for each agent
//	lock           held while a writer is at work; names its process
//
// Folders have mode 0700 and files 0600. Whole files are written beside their
// place and renamed, so they are never half there. A record counts once it is
// durable: a crash leaves at most a torn last line, which the next writer cuts.
//
// Reading needs no lock and changes nothing. What cannot be read is reported
// with its line, and reading goes on behind it.
package journal
