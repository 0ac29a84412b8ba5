// Package process runs scripts in processes of their own.
//
// An [Engine] starts this very program again with a first argument that no user
// types; [Main], which the main function calls before anything else, turns that
// process into a realm. It has an empty environment, no file but three pipes, a
// session of its own, a bound on its memory that the kernel holds, and, where the
// kernel can, no filesystem, no network and no way to start a program (see
// [Shields]). It is ended when the run ends, and ends when this process does.
//
// Both sides speak frames: a length, then one record. What crosses is what
// crosses [vm.Host] in process, with the same order and the same errors. The host
// trusts nothing that comes over the pipe: frames are bounded, a record that
// makes no sense ends the run, and the death of the realm between any two bytes
// is an ending like any other, with a reason that says whether memory, time or a
// crash was the cause.
package process
