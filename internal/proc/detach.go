package proc

import (
	"io"
	"os"
)

// Daemon is a process that outlives the one that starts it.
type Daemon struct {
	Path string   // absolute
	Args []string // without the program's name
	Dir  string   // absolute working directory
	Env  []string // whole, as NAME=value
	// Stdin is what it reads; nil is nothing. What it writes goes to Stdout and
	// Stderr until it calls [Silence] or ends.
	Stdin          *os.File
	Stdout, Stderr io.Writer
}
