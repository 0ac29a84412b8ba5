package atomicfile

// SyncDir does nothing: Windows has no such call, its file system journals the
// entries of a folder.
func SyncDir(string) error { return nil }
