package vm

import (
	"context"
	"testing"
	"testing/synctest"
)

// TestEngine runs the scripts of the tests that only see a realm from outside.
var TestEngine = func(o Options) interface {
	Run(context.Context, Script, Host) (Result, error)
} {
	return InProcess{Options: o}
}

// OverProcess is set when TestEngine is not the one in process.
var OverProcess = false

// bubble runs a test in virtual time, which no process has.
func bubble(t *testing.T, f func(*testing.T)) {
	t.Helper()
	if OverProcess {
		t.Skip("virtual time ends at the process")
	}
	synctest.Test(t, f)
}
