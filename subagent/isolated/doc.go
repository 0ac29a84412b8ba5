// Package isolated gives children of another provider git worktrees of their own.
//
// A child that asks for one starts in a fresh tree of the repository that its
// working directory lies in. When it has ended, what it changed is a commit on a
// branch, which its result names; a tree in which nothing changed is removed. The
// trees of a run stand in worktrees.json of its folder.
package isolated
