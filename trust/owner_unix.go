//go:build unix

package trust

import (
	"os"
	"strconv"
	"syscall"
)

// ownerOf names the user that a folder belongs to; empty if that cannot be told.
func ownerOf(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return strconv.FormatUint(uint64(stat.Uid), 10)
}
