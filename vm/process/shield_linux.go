package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/landlock-lsm/go-landlock/landlock"
	kernel "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// confine takes from this process what a realm does not need.
func confine(memory int64) Shields {
	s := watched(memory)
	var bound string
	s.note("memory", boundMemory(hard(memory), &bound))
	if bound != "" {
		s.Memory += ", " + bound
	}
	// No dump of its memory, no file written, no more files than it has.
	s.note("dumps", unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
	s.note("core", unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}))
	s.note("files", unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{}))
	version, err := kernel.LandlockGetABIVersion()
	if err == nil && version > 0 {
		if err = landlock.V7.BestEffort().Restrict(); err == nil {
			s.Filesystem = fmt.Sprintf("landlock, version %d of the kernel's", version)
			if version >= 4 {
				s.Network = "landlock (TCP)"
			}
		}
	}
	s.note("landlock", err)
	if err = filterCalls(); err == nil {
		s.Network, s.Exec = "seccomp", "seccomp"
		if s.Filesystem == "" {
			s.Filesystem = "seccomp"
		} else {
			s.Filesystem += ", and seccomp"
		}
	}
	s.note("seccomp", err)
	return s
}

// boundMemory has the kernel refuse memory that the process would write to
// beyond what it has and a realm's worth more.
func boundMemory(most int64, how *string) error {
	has, err := dataSize()
	if err != nil {
		return err
	}
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &old); err != nil {
		return err
	}
	bound := min(uint64(has+most), old.Max)
	*how = fmt.Sprintf("the kernel at %d MiB (RLIMIT_DATA)", most>>20)
	return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: bound, Max: bound})
}

// dataSize is how much private memory the process has mapped.
func dataSize() (int64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(text)
	const data = 5 // data and stack, in pages
	if len(fields) <= data {
		return 0, fmt.Errorf("/proc/self/statm has %d fields", len(fields))
	}
	pages, err := strconv.ParseInt(string(fields[data]), 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// needed are the calls of a Go program that reads and writes what is open,
// allocates, and runs threads. Names that a machine does not have are skipped.
var needed = [...]string{
	"read", "write", "readv", "writev", "close", "fcntl",
	"mmap", "munmap", "mprotect", "madvise", "mincore", "brk", "mremap", "prctl",
	"futex", "futex_waitv", "sched_yield", "sched_getaffinity", "set_robust_list", "rseq", "membarrier",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall",
	"nanosleep", "clock_nanosleep", "clock_gettime", "gettimeofday", "time",
	"timer_create", "timer_settime", "timer_delete", "setitimer",
	"epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd2", "pipe2", "poll", "ppoll",
	"getpid", "gettid", "tgkill", "getrandom", "exit", "exit_group",
	"arch_prctl", "set_tid_address",
}

// filterCalls lets every other call of the kernel fail, for good. A thread may be
// made, a process not.
func filterCalls() error {
	info, err := arch.GetInfo("")
	if err != nil {
		return err
	}
	var names []string
	for _, name := range needed {
		if _, known := info.SyscallNames[name]; known {
			names = append(names, name)
		}
	}
	return seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true, Flag: seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{
			DefaultAction: seccomp.ActionErrno,
			Syscalls: []seccomp.SyscallGroup{
				{Action: seccomp.ActionAllow, Names: names},
				{Action: seccomp.ActionAllow, NamesWithCondtions: []seccomp.NameWithConditions{{
					Name:       "clone",
					Conditions: []seccomp.Condition{{Argument: 0, Operation: seccomp.BitsSet, Value: unix.CLONE_THREAD}},
				}}},
				// What this one would make cannot be seen: who asks for it as if it did
				// not exist takes the other.
				{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{"clone3"}},
			},
		},
	})
}
