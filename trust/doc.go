// Package trust remembers which folders the user trusts.
//
// A project that somebody else wrote can bring instructions, workflows, agent
// definitions, skills, settings, hooks and servers, and whoever runs an agent in
// it would follow them without having seen them. So a folder contributes nothing
// until its user has said that it may.
//
// # What is trusted
//
// What is trusted is a project: the folder that [Project] gives, without symbolic
// links. That is the root of the repository that a folder lies in, or the folder
// itself. An entry of a [Store] decides for the project of the same path. It
// decides for a project further down too, if that one is no repository and belongs
// to the same owner; the nearest entry decides. So a repository inside a trusted
// folder is asked about on its own, and an entry for the user's home or for the
// root of the file system speaks for itself alone.
//
// A path stands for what lies there. A project that was moved has to be trusted
// again; a link put in its place leads to another path, and a folder that another
// user put there has another owner: neither inherits anything.
//
// # The store
//
// The store is one file, trust.json in the home of the harness, for its owner
// alone. It is replaced as a whole, and writers wait for each other. A file that
// cannot be read is an error and never an empty store: nothing is trusted then,
// and nothing is written over it.
package trust
