package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// env is everything that the command takes from its process. Nothing else in
// the module reads arguments, the environment or the standard streams.
type env struct {
	args    []string // without the program's name
	environ []string // NAME=value
	dir     string   // working directory
	home    string   // the user's home directory, may be empty
	// terminal says that somebody sits at both stdin and stderr, and can be asked.
	terminal bool
	stdin    io.Reader
	stdout   io.Writer
	stderr   io.Writer
	// detaching is set by a command that leaves a process behind on purpose.
	detaching *bool
}

func processEnv() (env, error) {
	dir, err := os.Getwd()
	if err != nil {
		return env{}, fmt.Errorf("the working directory is not accessible: %w", err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // $DSH_HOME or --home can still name the place of runs
	}
	return env{
		args: os.Args[1:], environ: os.Environ(), dir: dir, home: home,
		terminal: terminalOf(os.Stdin) != nil && terminalOf(os.Stderr) != nil,
		stdin:    os.Stdin, stdout: os.Stdout, stderr: os.Stderr, detaching: new(bool),
	}, nil
}

// lookup gives the value of a variable, or the empty string.
func (e env) lookup(name string) string {
	for i := len(e.environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(e.environ[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// harnessHome is the folder of runs: --home, $DSH_HOME or ~/.dsh.
func (e env) harnessHome(flag string) (string, error) {
	switch {
	case flag != "":
		return e.abs(flag), nil
	case strings.TrimSpace(e.lookup("DSH_HOME")) != "":
		return e.abs(e.lookup("DSH_HOME")), nil
	case e.home != "":
		return filepath.Join(e.home, ".dsh"), nil
	}
	return "", usage("there is no home directory: set DSH_HOME or give --home")
}

// agentsHome is the second folder of user-wide AGENTS.md; it may be empty.
func (e env) agentsHome() string {
	if v := strings.TrimSpace(e.lookup("DSH_AGENTS_HOME")); v != "" {
		return e.abs(v)
	}
	if e.home == "" {
		return ""
	}
	return filepath.Join(e.home, ".agents")
}

// abs resolves a path of the command line, with a leading ~ for the home.
func (e env) abs(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && e.home != "" {
		path = filepath.Join(e.home, rest)
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(e.dir, path)
}
