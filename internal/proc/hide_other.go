//go:build !linux

package proc

import "errors"

// HideSecrets is not possible on this system.
func HideSecrets() error { return errors.ErrUnsupported }
