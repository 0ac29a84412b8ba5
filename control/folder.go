//go:build unix

package control

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// maxSocket is the longest path that a socket can have on every system.
const maxSocket = 100

// Folder makes and checks the folder for the sockets of this user: dsh in runtime,
// the value of XDG_RUNTIME_DIR, or /tmp/dsh-<uid> where that is empty or too long.
// Nobody but the user may enter it. The error is a [*Failure].
func Folder(runtime string) (string, error) {
	dir := fmt.Sprintf("/tmp/dsh-%d", os.Getuid())
	if filepath.IsAbs(runtime) && len(runtime)+len("/dsh/wf_01234567890123456789012345.sock") < maxSocket {
		dir = filepath.Join(runtime, "dsh")
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return "", &Failure{CodeFolder, fmt.Sprintf("no folder for control sockets: %v", err)}
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", &Failure{CodeFolder, fmt.Sprintf("no folder for control sockets: %v", err)}
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(owner.Uid) != os.Getuid() || info.Mode().Perm()&0o077 != 0 {
		return "", &Failure{CodeFolder, fmt.Sprintf("%s is not a folder that only this user can enter: remove it, or set XDG_RUNTIME_DIR", dir)}
	}
	return dir, nil
}
