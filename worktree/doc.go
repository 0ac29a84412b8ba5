// Package worktree gives agents git worktrees of their own, and people what the
// agents left in them.
//
// [Open] finds the repository of a folder. [Repository.Add] makes a tree on a new
// branch from a commit, [Repository.Settle] commits whatever lies uncommitted in
// it and says what there is, and [Repository.Remove] takes tree and branch away.
// A tree has what is in its commit: no file that git does not track, none that it
// ignores, and submodules are empty.
//
// The [Book] of a run lists its trees in a file, so that they are found again
// without the run. [Repository.Apply], [Repository.Diff] and [Repository.Merged]
// serve who wants the work of the agents.
//
// Everything is done by the git program. It gets no secret of the environment,
// asks nothing on a terminal, and where it works for an agent it runs no hook.
package worktree
