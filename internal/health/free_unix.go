//go:build linux || darwin

package health

import "golang.org/x/sys/unix"

// free is how many bytes this user may still write.
func free(path string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil
}
