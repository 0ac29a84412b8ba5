package dsh

import (
	"context"
	"fmt"

	"github.com/dsh-go/dsh-workflow/vm"
	"github.com/dsh-go/dsh-workflow/vm/process"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// RealmKind says where scripts run.
type RealmKind string

const (
	// RealmInProcess runs scripts in this process. It contains mistakes: a script
	// that wants to can still use up the memory and the processors of the program.
	RealmInProcess RealmKind = "inprocess"
	// RealmProcess runs each script in a process of its own, which is this program
	// started again: its main function must call [RealmMain] first.
	RealmProcess RealmKind = "process"
	// RealmWarm is RealmProcess with one process kept ready, for programs that start
	// many runs.
	RealmWarm RealmKind = "warm"
)

// RealmMain turns this process into the realm of a script, if it was started to
// be one, and then does not return. A program that uses [RealmProcess] or
// [RealmWarm] calls it before anything else in its main function.
func RealmMain() { process.Main() }

// Shields starts the process of a script, asks what keeps it in on this system,
// and ends it.
func Shields(ctx context.Context) (process.Shields, error) {
	e := process.New(process.Config{})
	defer e.Close()
	return e.Probe(ctx)
}

// realms makes the realms of a harness; nil engine means in process.
type realms struct{ engine *process.Engine }

func realmsOf(kind RealmKind) (*realms, error) {
	switch kind {
	case "", RealmInProcess:
		return &realms{}, nil
	case RealmProcess, RealmWarm:
		return &realms{process.New(process.Config{Warm: kind == RealmWarm})}, nil
	}
	return nil, fmt.Errorf("realm must be %s, %s or %s, got %q", RealmInProcess, RealmProcess, RealmWarm, kind)
}

// limits has a script in a process of its own run as long as that may.
func (r *realms) limits(l workflow.Limits) workflow.Limits {
	if r.engine != nil && l.Sync == 0 {
		l.Sync = process.DefaultSync
	}
	return l
}

// realm is the factory for workflow; nil leaves it to the default there.
func (r *realms) realm() func(workflow.Limits) workflow.Realm {
	if r.engine == nil {
		return nil
	}
	return func(l workflow.Limits) workflow.Realm {
		return process.Realm{Engine: r.engine, Options: vm.Options{SyncLimit: l.Sync, MaxItems: l.Items, MaxSource: l.Source}}
	}
}

// Close ends the process that waits for a script.
func (r *realms) Close() error {
	if r.engine == nil {
		return nil
	}
	return r.engine.Close()
}
