package process

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"strconv"

	"github.com/dsh-go/dsh-workflow/vm"
)

// word is the first argument of a program that is to be a realm.
const word = "__realm"

// Exit codes of a realm.
const (
	exitDone     = 0
	exitOrphaned = 81 // the host is gone or speaks another language
	exitMemory   = 82 // the realm holds more than it may
)

// deepest is how much stack, in bytes, the engine may take before the realm
// ends: far more than the bound on calls needs, and far less than a machine has.
const deepest = 256 << 20

// Main turns this process into a realm and does not return, if that is what it
// was started for. Otherwise it does nothing. It must be the first thing that a
// main function does.
func Main() {
	if len(os.Args) != 3 || os.Args[1] != word {
		return
	}
	memory, err := strconv.ParseInt(os.Args[2], 10, 64)
	if err != nil || memory <= 0 {
		os.Exit(exitOrphaned)
	}
	debug.SetMaxStack(deepest)
	shields := confine(memory)
	os.Exit(serve(os.Stdin, os.Stdout, shields))
}

// serve runs one script for the host at the other end and returns the exit code
// of the process.
func serve(in io.Reader, out io.Writer, shields Shields) int {
	r := &remote{out: out, replies: make(chan *record, 1), settles: map[uint64]vm.Settle{}, fires: map[uint64]func(){}}
	greeting, err := json.Marshal(hello{Protocol: protocol, Prelude: vm.PreludeVersion, Shields: shields})
	if err != nil || r.send(frame(saysHello).blob(greeting)) != nil {
		return exitOrphaned
	}
	vm.Prepare()
	job, err := readFrame(in)
	if err != nil || job.kind != tellsStart {
		return exitOrphaned
	}
	begin, script, err := readStart(job)
	if err != nil {
		return exitOrphaned
	}
	vm.BoundRegex(vm.RegexBound(begin.Options.SyncLimit))
	host := vm.Host(r)
	if begin.Waiter {
		host = waiter{r}
	}
	ended := make(chan error, 1)
	go func() {
		ended <- r.end((vm.InProcess{Options: begin.Options}).Run(context.Background(), script, host))
	}()
	lost := make(chan error, 1)
	go func() { lost <- r.listen(in) }()
	select {
	case err = <-ended:
	case err = <-lost:
	}
	if err != nil {
		return exitOrphaned
	}
	return exitDone
}

// end reports how the script ended.
func (r *remote) end(result vm.Result, err error) error {
	if err == nil {
		w := frame(saysEnd).blob(result.Value)
		if w.fits() {
			return r.send(w)
		}
		err = &vm.ValueError{Path: "workflow result", Reason: "the value is too large to leave the realm"}
	}
	var gone *goneError
	if errors.As(err, &gone) {
		return gone
	}
	text, err := json.Marshal(faultOf(err))
	if err != nil {
		return err
	}
	return r.send(frame(saysFault).blob(text))
}
