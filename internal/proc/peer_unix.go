//go:build unix && !linux

package proc

import "syscall"

func peerAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
