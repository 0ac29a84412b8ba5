package proc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// HideSecrets makes the secrets of this process's environment unreadable to the
// processes that it starts: /proc shows the memory that the kernel filled at the
// start, so the values of variables that [Scrub] takes out are overwritten there,
// and the process may no longer be traced by others of its user. Values that
// were read before stay valid. Only a main function calls it, before anything
// else runs.
func HideSecrets() error {
	start, end, err := environment()
	if err != nil {
		return err
	}
	area := unsafe.Slice((*byte)(unsafe.Pointer(start)), int(uintptr(end)-uintptr(start)))
	for _, entry := range bytes.Split(area, []byte{0}) {
		if name, value, ok := bytes.Cut(entry, []byte("=")); ok && private(string(name)) {
			clear(value)
		}
	}
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// environment is where the kernel put the environment of this process.
func environment() (start, end unsafe.Pointer, err error) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return nil, nil, err
	}
	// The name of the program, in parentheses, may hold anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const first, envStart, envEnd = 3, 50, 51 // as proc(5) numbers them
	if len(fields) <= envEnd-first {
		return nil, nil, fmt.Errorf("/proc/self/stat has %d fields", len(fields))
	}
	from, err := strconv.ParseUint(string(fields[envStart-first]), 10, 64)
	if err != nil {
		return nil, nil, err
	}
	to, err := strconv.ParseUint(string(fields[envEnd-first]), 10, 64)
	if err != nil {
		return nil, nil, err
	}
	if from == 0 || to < from {
		return nil, nil, fmt.Errorf("the place of the environment is not known")
	}
	return at(from), at(to), nil
}

// at makes a pointer of an address that the kernel named. The memory is not of
// the Go heap and stays where it is.
func at(address uint64) unsafe.Pointer {
	p := uintptr(address)
	return *(*unsafe.Pointer)(unsafe.Pointer(&p))
}
