//go:build !unix

package proc

import "errors"

// Start is not supported on this system.
func (Daemon) Start() (exited bool, code int, err error) { return false, 0, errors.ErrUnsupported }

// Silence is not supported on this system.
func Silence() error { return errors.ErrUnsupported }
