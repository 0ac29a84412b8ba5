//go:build !unix

package proc

import (
	"context"
	"errors"
	"time"
)

// running cannot exist on this system.
type running struct {
	cmd     Cmd
	tree    tree
	exited  chan struct{}
	drained chan struct{}
}

type tree struct{}

func (tree) end(time.Duration) []int { return nil }

func (r *running) finish(*Result) error { return errors.ErrUnsupported }

func start(Cmd, string, []string, string) (*running, error) { return nil, errors.ErrUnsupported }

// EndMarked is not possible on this system.
func EndMarked(string, time.Duration) ([]int, error) { return nil, errors.ErrUnsupported }

// EndChildren is not possible on this system.
func EndChildren(time.Duration) ([]int, error) { return nil, errors.ErrUnsupported }

// Subreaper is not possible on this system.
func Subreaper() error { return errors.ErrUnsupported }

// Reap has nothing to do on this system and returns when ctx ends.
func Reap(ctx context.Context) { <-ctx.Done() }
