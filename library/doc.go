// Package library finds workflows that people keep in folders and call by name.
//
// It looks in .dsh/workflows and .claude/workflows of the working directory and
// of every folder above it up to the root of the repository (nearest first), then
// in the workflows folder of the harness, then in ~/.claude/workflows. Without a
// repository the working directory stands alone. A file ending in .js or .mjs is
// a workflow; its name is that of its meta statement, or the file's own when it
// has none. Nothing of a script is ever run to list it. Of equal names the first
// wins; what is shadowed, and every file that is skipped, is listed with the
// reason.
//
// # Safety
//
// [CheckName] is the one validator of names: those that a user asks for, those of
// files and those of meta statements. A folder is opened through [os.Root], so a
// link that leads out of it is refused and nothing outside is read; a pipe never
// blocks the reader. Nothing here writes.
//
// # Trust
//
// A project can name its workflows as it likes and shadow those of the user. So its
// folders are opened only where [Places] says that the user trusts it; else they
// are listed as skipped.
//
// All functions are safe for concurrent use; values share nothing with the disk
// once they are returned.
package library
