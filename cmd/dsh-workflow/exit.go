package main

import (
	"errors"
	"fmt"

	"github.com/dsh-go/dsh-workflow/workflow"
)

// Exit codes.
const (
	exitOK        = 0
	exitFailed    = 1
	exitInvalid   = 2
	exitFailures  = 3
	exitLimit     = 4
	exitInterrupt = 130
	exitPipe      = 141
)

// exitError ends the command with a code. An empty message prints nothing.
type exitError struct {
	code    int
	message string
}

func (e *exitError) Error() string { return e.message }

// Code is that of the envelope of a command that ran nothing.
func (e *exitError) Code() string { return string(workflow.InvalidArgument) }

// usage is a fault of the command line: nothing ran.
func usage(format string, args ...any) error {
	return &exitError{exitInvalid, fmt.Sprintf(format, args...)}
}

// codeOf gives the exit code of a command that ended with err.
func codeOf(err error) int {
	var e *exitError
	if errors.As(err, &e) {
		return e.code
	}
	if err != nil {
		return exitFailed
	}
	return exitOK
}

// codeOfResult gives the exit code of a run. signalled is the code that a
// signal asked for, 0 if none came.
func codeOfResult(r workflow.Result, o runOptions, signalled int) int {
	switch r.Status {
	case workflow.StatusCompleted:
		return exitOK
	case workflow.StatusWithFailed:
		all := r.Agents.Failed == r.Agents.Started
		switch {
		case all && o.failIfAllFailed:
			return exitFailed
		case o.allowFailures:
			return exitOK
		}
		return exitFailures
	case workflow.StatusLimit:
		return exitLimit
	case workflow.StatusCancelled:
		if signalled != 0 {
			return signalled
		}
		return exitInterrupt
	case workflow.StatusInvalid:
		return exitInvalid
	case workflow.StatusFailed, workflow.StatusRunning:
	}
	return exitFailed
}
