//go:build !linux && !darwin

package main

// terminal stands for a terminal that this system's streams never are.
type terminal struct{}

func terminalOf(any) *terminal           { return nil }
func (*terminal) foreground() bool       { return false }
func (*terminal) size() (int, int)       { return 0, 0 }
func (*terminal) hush()                  {}
func (*terminal) forget()                {}
func (*terminal) restore()               {}
func (*picture) onSuspend(chan struct{}) {}
