//go:build unix

package proc

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Start starts the process in a session of its own, which no terminal can end, and
// returns when it has called [Silence] or has ended; exited tells which, and code
// is its exit code then. A caller that is a [Subreaper] must not end its children
// afterwards.
func (d Daemon) Start() (exited bool, code int, err error) {
	child := exec.Cmd{
		Path: d.Path, Args: append([]string{d.Path}, d.Args...), Dir: d.Dir, Env: d.Env,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if d.Stdin != nil {
		child.Stdin = d.Stdin
	}
	// Pipes of our own: what the child wrote before it fell silent is read to the
	// end, though the child goes on.
	var readers, writers [3]*os.File
	for i := range readers {
		if readers[i], writers[i], err = os.Pipe(); err != nil {
			closeAll(readers[:], writers[:])
			return false, 0, err
		}
	}
	defer closeAll(readers[:])
	child.Stdout, child.Stderr, child.ExtraFiles = writers[0], writers[1], writers[2:]
	err = child.Start()
	closeAll(writers[:])
	if err != nil {
		return false, 0, err
	}
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(d.Stdout, readers[0]) })
	both.Go(func() { _, _ = io.Copy(d.Stderr, readers[1]) })
	word := make([]byte, 1)
	n, _ := readers[2].Read(word)
	both.Wait()
	if n == 1 {
		return false, 0, child.Process.Release()
	}
	err = child.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return true, 0, err
	}
	return true, child.ProcessState.ExitCode(), nil
}

// silenceFD is where a daemon says that it is on its own: the first of ExtraFiles.
const silenceFD = 3

// Silence is called by a process that [Daemon.Start] started: what it writes from
// here on goes nowhere, and who started it goes on.
func Silence() error {
	nowhere, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer nowhere.Close()
	for fd := range 3 {
		if err := unix.Dup2(int(nowhere.Fd()), fd); err != nil {
			return err
		}
	}
	said := os.NewFile(silenceFD, "silence")
	if said == nil {
		return errors.New("this process was not started as a daemon")
	}
	_, err = said.Write([]byte{1})
	return errors.Join(err, said.Close())
}
