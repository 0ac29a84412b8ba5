//go:build !linux

package process

// confine takes from this process what a realm does not need.
func confine(memory int64) Shields {
	s := watched(memory)
	s.Missing = append(s.Missing, "this system has no way to keep a process from files, network and programs that we use")
	return s
}
