package main

import (
	"os"
	"syscall"
)

// maxRSS is the peak resident memory of an ended process, in bytes.
func maxRSS(p *os.ProcessState) int64 { return p.SysUsage().(*syscall.Rusage).Maxrss << 10 }
