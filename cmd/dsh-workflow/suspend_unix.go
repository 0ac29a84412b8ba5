//go:build linux || darwin

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// onSuspend gives the terminal back while the process is stopped by the key for
// it, and takes it again when the process goes on in the foreground. It ends with
// done.
func (p *picture) onSuspend(done chan struct{}) {
	ch := make(chan os.Signal, 2)
	signal.Notify(ch, syscall.SIGTSTP, syscall.SIGCONT)
	defer signal.Stop(ch)
	for {
		select {
		case <-done:
			return
		case s := <-ch:
			if s == syscall.SIGTSTP {
				p.screen.Pause()
				p.tty.restore()
				_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			} else if p.tty.foreground() {
				p.tty.hush()
				p.screen.Start()
			}
		}
	}
}
