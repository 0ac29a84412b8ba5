//go:build unix

package proc

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// running is a started process.
//
// Concurrency: one goroutine for each stream writes its recorder and ends at
// the stream's end; one waits for the process and closes exited; one waits for
// both streams and closes drained. The goroutine of Run touches the recorders
// only after drained.
type running struct {
	cmd     Cmd
	child   *exec.Cmd
	tree    tree
	streams [2]*os.File
	outputs [2]recorder
	exited  chan struct{} // the child has ended, and may not have been collected
	drained chan struct{}
}

func start(c Cmd, path string, env []string, mark string) (*running, error) {
	r := &running{cmd: c, exited: make(chan struct{}), drained: make(chan struct{})}
	var writers [2]*os.File
	for i, name := range []string{"stdout", "stderr"} {
		reader, writer, err := os.Pipe()
		if err != nil {
			closeAll(r.streams[:], writers[:])
			return nil, err
		}
		r.streams[i], writers[i] = reader, writer
		r.outputs[i] = recorder{keep: c.Keep, cap: c.SpillCap, dir: c.SpillDir, name: name}
	}
	r.child = &exec.Cmd{
		Path: path, Args: append([]string{c.Path}, c.Args...), Dir: c.Dir, Env: env,
		Stdout: writers[0], Stderr: writers[1],
		// A session of its own is a process group of its own that has no terminal
		// to read a password from.
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := r.child.Start(); err != nil {
		closeAll(r.streams[:], writers[:])
		return nil, err
	}
	closeAll(writers[:])
	r.tree = newTree(r.child.Process.Pid, mark)
	go r.drain()
	go func() {
		defer close(r.exited)
		r.awaitExit()
	}()
	return r, nil
}

func (r *running) drain() {
	defer close(r.drained)
	var both sync.WaitGroup
	for i := range r.streams {
		both.Go(func() { _, _ = io.Copy(&r.outputs[i], onlyReader{r.streams[i]}) })
	}
	both.Wait()
}

// onlyReader hides what would let io.Copy bypass the buffer of its own.
type onlyReader struct{ io.Reader }

// finish collects the child and what it wrote. The tree has ended by now; who
// survived SIGKILL may hold a stream open, but not for us.
func (r *running) finish(result *Result) error {
	r.settle(settling)
	for _, s := range r.streams {
		_ = s.SetReadDeadline(time.Now())
	}
	<-r.drained
	closeAll(r.streams[:])
	result.Stdout, result.Stderr = r.outputs[0].finish(), r.outputs[1].finish()
	err := r.collect()
	state := r.child.ProcessState
	if state == nil {
		return err
	}
	result.ExitCode = state.ExitCode()
	result.Signal = signalOf(state)
	return nil
}

// signalOf is the name of the signal that ended a process, or "".
func signalOf(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	return ""
}

func closeAll(groups ...[]*os.File) {
	for _, files := range groups {
		for _, f := range files {
			if f != nil {
				_ = f.Close()
			}
		}
	}
}
