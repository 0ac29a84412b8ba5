package builtin

import (
	_ "embed"
	"strings"

	"github.com/dsh-go/dsh-workflow/tool"
)

// Options configures the tools. The zero value works; commands then have an
// empty environment.
type Options struct {
	// Env is the environment of the harness as NAME=value entries. bash passes it
	// on without secrets. grep looks for ripgrep in its PATH.
	Env []string
	// Observed is the agents' memory of files. Nil makes a new one.
	Observed *Observed
	// Unguarded lets write and edit change files that the agent has not seen, in
	// whatever state they are.
	Unguarded bool
	// Locks makes changes of one file wait for each other. Share one between all
	// tools of a process. Nil makes a new one.
	Locks *Locks
	// Shell is the program that runs commands, called with -c. Without a slash it
	// is looked up in the PATH of Env. Empty means bash.
	Shell string
	// ParallelTodos lets an agent have several tasks in progress at once.
	ParallelTodos bool

	sieveFrom int64 // zero means the constant; tests search small trees too
}

func (o Options) withDefaults() Options {
	if o.Observed == nil {
		o.Observed = NewObserved()
	}
	if o.Locks == nil {
		o.Locks = NewLocks()
	}
	if o.sieveFrom == 0 {
		o.sieveFrom = sieveFrom
	}
	if o.Shell == "" {
		o.Shell = "bash"
	}
	return o
}

//go:embed read.md
var readDoc string

//go:embed write.md
var writeDoc string

//go:embed edit.md
var editDoc string

//go:embed bash.md
var bashDoc string

// New makes the tools read, write, edit, bash, glob, grep and todo_write. Agents may share them:
// [tool.Call] says for whom they work. An output that is too long to show goes to
// a file in its Outputs and stays there, so that the model can read it.
func New(o Options) []tool.Tool {
	o = o.withDefaults()
	f := files{seen: o.Observed, locks: o.Locks, unguarded: o.Unguarded}
	return []tool.Tool{
		readTool(f),
		tool.Of("write", strings.TrimSpace(writeDoc), f.write),
		tool.Of("edit", strings.TrimSpace(editDoc), f.edit),
		tool.Of("bash", strings.TrimSpace(bashDoc), shell{env: o.Env, path: o.Shell}.run),
		globTool(),
		grepTool(grepper{rg: newRipgrep(o.Env), from: o.sieveFrom}),
		todoTool(o.ParallelTodos),
	}
}

// Section is a piece of a system prompt that belongs to a tool.
type Section struct {
	Name  string
	Order float64
	Text  string
}

// Sections gives the prompt sections of the tools, to be used for those that an
// agent has.
func Sections() []Section {
	return []Section{
		{"tool:read", 100, "Use the read tool to look at files instead of printing them with bash. Read a file before you change it."},
		{"tool:write", 101, "Use the write tool to create a file or to replace all of it; to change a part of a file, use edit."},
		{"tool:edit", 102, "Use the edit tool for changes of existing files. Copy old_string exactly from the file, without the line numbers that read shows, and with enough lines around it to be unique."},
		{"tool:glob", 103, "Use the glob tool to find files by their names instead of running find or ls with bash."},
		{"tool:grep", 104, "Use the grep tool to search in files instead of running grep or rg with bash. Narrow a search that finds too much with path and include."},
		{"tool:bash", 105, "Check the [exit code: N] marker at the end of every bash result: a non-zero code means that the command failed, and you investigate before you go on."},
	}
}
