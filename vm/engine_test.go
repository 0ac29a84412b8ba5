package vm_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh-workflow/vm"
	"github.com/dsh-go/dsh-workflow/vm/process"
)

// overProcess is the argument that has the tests of this package run their
// scripts in processes.
const overProcess = "-over-process"

// TestMain bounds regular expressions before anything compiles one, as a main
// function would.
func TestMain(m *testing.M) {
	process.Main()
	vm.BoundRegex(4 * time.Second)
	if n := len(os.Args) - 1; os.Args[n] == overProcess {
		os.Args = os.Args[:n]
		vm.OverProcess = true
		engine := process.New(process.Config{})
		vm.TestEngine = func(o vm.Options) interface {
			Run(context.Context, vm.Script, vm.Host) (vm.Result, error)
		} {
			return process.Realm{Engine: engine, Options: o}
		}
	}
	os.Exit(m.Run())
}

// language are tests of what happens before a script runs, or inside of the
// realm, where the process makes no difference.
const language = "Differential|URL|Schemas|Fault|OneToken|Diagnosis|Complexity|Stray|ParseError|Excerpt|Outline|Dates"

// TestOverProcess is the suite of this seam run by its other implementation: all
// tests that only see a realm from outside.
func TestOverProcess(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if os.Args[len(os.Args)-1] == overProcess || testing.Short() {
		t.Skip("this is that run, or a short one")
	}
	args := []string{"-test.short", "-test.count=1", "-test.timeout=5m", "-test.skip=" + language}
	for _, a := range os.Args[1:] {
		if strings.HasPrefix(a, "-test.v") {
			args = append(args, a)
		}
	}
	out, err := exec.CommandContext(t.Context(), self, append(args, overProcess)...).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
