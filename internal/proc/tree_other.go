//go:build unix && !linux

package proc

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// awaitExit returns when the child has ended and been collected.
func (r *running) awaitExit() { r.tree.waited = r.child.Wait() }

// collect gives what awaitExit got.
func (r *running) collect() error {
	<-r.exited
	return r.tree.waited
}

// tree is the process group of one child.
type tree struct {
	root   int
	waited error // what Wait said, once the child has ended
}

func newTree(root int, _ string) tree { return tree{root: root} }

// end ends the group: SIGTERM, and after the grace SIGKILL. It returns the
// group's id if somebody is still there.
func (t tree) end(grace time.Duration) []int {
	started := time.Now()
	sig := unix.SIGTERM
	for pause := 2 * time.Millisecond; ; pause = min(pause*2, 50*time.Millisecond) {
		if unix.Kill(-t.root, 0) != nil {
			return nil
		}
		waited := time.Since(started)
		if waited > grace+2*time.Second {
			return []int{t.root}
		}
		if waited >= grace {
			sig = unix.SIGKILL
		}
		if sig != 0 {
			_ = unix.Kill(-t.root, sig)
			_ = unix.Kill(-t.root, unix.SIGCONT)
			sig = 0
		}
		time.Sleep(pause)
	}
}

// EndMarked is not possible on this system.
func EndMarked(string, time.Duration) ([]int, error) { return nil, errors.ErrUnsupported }

// EndChildren is not possible on this system.
func EndChildren(time.Duration) ([]int, error) { return nil, errors.ErrUnsupported }

// Subreaper is not possible on this system.
func Subreaper() error { return errors.ErrUnsupported }

// Reap has nothing to do on this system and returns when ctx ends.
func Reap(ctx context.Context) { <-ctx.Done() }
