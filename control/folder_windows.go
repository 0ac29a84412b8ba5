package control

// Folder says that there is none: runs of this system have no control socket.
func Folder(string) (string, error) {
	return "", &Failure{CodeFolder, "control sockets are not supported on this system"}
}
