package builtin

import (
	"io/fs"
	"syscall"
)

// identity is what tells two files, or two states of one, apart beyond size and
// time of change of the content.
func identity(info fs.FileInfo) (dev, ino uint64, ctime int64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, 0
	}
	return uint64(s.Dev), s.Ino, s.Ctim.Nano()
}

func owner(info fs.FileInfo) (uid, gid int, ok bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(s.Uid), int(s.Gid), true
}
