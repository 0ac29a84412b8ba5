//go:build unix

package atomicfile

import "os"

// SyncDir makes the entries of a folder durable: a new or renamed file can be
// found again after a loss of power only then.
func SyncDir(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer file.Close()
	return file.Sync()
}
