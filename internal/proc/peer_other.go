//go:build !unix

package proc

import (
	"os"
	"syscall"
)

func peerAttributes() *syscall.SysProcAttr { return nil }

func signalOf(*os.ProcessState) string { return "" }

func closeAll(groups ...[]*os.File) {
	for _, files := range groups {
		for _, f := range files {
			if f != nil {
				_ = f.Close()
			}
		}
	}
}
