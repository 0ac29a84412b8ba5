//go:build linux

package proc

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// awaitExit returns when the child has ended but leaves it uncollected, so that
// its id, which names the group and the session, cannot become someone else's.
func (r *running) awaitExit() {
	for {
		err := unix.Waitid(unix.P_PID, r.child.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// collect takes the child's status.
func (r *running) collect() error { return r.child.Wait() }

// tree is the processes that come from one child.
type tree struct {
	root int    // the child's id; 0 for a tree that is known by its mark alone
	mark []byte // NAME=1 as it stands in an environment
	born uint64 // start of the root; nothing older belongs to the tree
	all  bool   // the tree is everything below this process
}

func newTree(root int, mark string) tree {
	t := tree{root: root, mark: []byte(Mark(mark))}
	if p, ok := readProcess(root); ok {
		t.born = p.start
	}
	return t
}

// process is one line of the process table.
type process struct {
	id, parent, group, session int
	state                      byte
	start                      uint64 // in ticks since boot; with the id it is unique
}

func (p process) dead() bool { return p.state == 'Z' || p.state == 'X' }

// readProcess reads /proc/<id>/stat. The name in it, which the process chooses,
// may hold anything, so the fields are counted from the last parenthesis.
func readProcess(id int) (process, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat")
	if err != nil {
		return process{}, false
	}
	at := bytes.LastIndexByte(text, ')')
	if at < 0 {
		return process{}, false
	}
	fields := bytes.Fields(text[at+1:])
	if len(fields) < 20 {
		return process{}, false
	}
	p := process{id: id, state: fields[0][0]}
	p.parent, _ = strconv.Atoi(string(fields[1]))
	p.group, _ = strconv.Atoi(string(fields[2]))
	p.session, _ = strconv.Atoi(string(fields[3]))
	p.start, _ = strconv.ParseUint(string(fields[19]), 10, 64)
	return p, true
}

// processes reads the table. Who comes or goes meanwhile may be missing.
func processes() []process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	all := make([]process, 0, len(names))
	for _, name := range names {
		if id, err := strconv.Atoi(name); err == nil {
			if p, ok := readProcess(id); ok {
				all = append(all, p)
			}
		}
	}
	return all
}

// members lists the tree, without the root once that is dead. known holds the
// members of earlier looks: the dead have no environment to tell them by.
func (t tree) members(known map[int]uint64) []process {
	all := processes()
	in := make(map[int]bool)
	for _, p := range all {
		if p.start < t.born || p.id == os.Getpid() {
			in[p.id] = t.all && p.id == os.Getpid() // whose children follow below
			continue
		}
		start, seen := known[p.id]
		mine := t.root != 0 && (p.id == t.root || p.session == t.root || p.group == t.root)
		if mine || seen && start == p.start || !t.all && !p.dead() && t.marked(p.id) {
			in[p.id] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if in[p.parent] && !in[p.id] {
				in[p.id], grown = true, true
			}
		}
	}
	var found []process
	for _, p := range all {
		if in[p.id] && p.id != os.Getpid() && (p.id != t.root || !p.dead()) {
			found = append(found, p)
			known[p.id] = p.start
		}
	}
	return found
}

func (t tree) marked(id int) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/environ")
	if err != nil {
		return false
	}
	return slices.ContainsFunc(bytes.Split(env, []byte{0}), func(entry []byte) bool { return bytes.Equal(entry, t.mark) })
}

// end ends the tree and returns who is still there: SIGTERM to all, SIGKILL
// after the grace to all that are left, again and again because they may fork
// meanwhile, until the kernel has had time enough.
func (t tree) end(grace time.Duration) []int {
	known := map[int]uint64{}
	termed := map[int]uint64{}
	started := time.Now()
	for pause := 2 * time.Millisecond; ; pause = min(pause*2, 50*time.Millisecond) {
		left := t.alive(known)
		waited := time.Since(started)
		if len(left) == 0 || waited > grace+2*time.Second {
			return ids(left)
		}
		for _, p := range left {
			if waited >= grace {
				p.signal(unix.SIGKILL)
			} else if start, done := termed[p.id]; !done || start != p.start {
				termed[p.id] = p.start
				p.signal(unix.SIGTERM)
				p.signal(unix.SIGCONT) // who is stopped could not obey
			}
		}
		if rest := grace - waited; rest > 0 {
			pause = min(pause, rest)
		}
		time.Sleep(pause)
	}
}

// alive lists the living members and collects dead ones that we inherited.
func (t tree) alive(known map[int]uint64) []process {
	var left []process
	for _, p := range t.members(known) {
		if !p.dead() {
			left = append(left, p)
		} else if p.parent == os.Getpid() {
			collect(p.id)
		}
	}
	return left
}

func ids(left []process) []int {
	var out []int
	for _, p := range left {
		out = append(out, p.id)
	}
	return out
}

// signal sends to exactly this process, never to one that got its id later.
func (p process) signal(s unix.Signal) {
	fd, err := unix.PidfdOpen(p.id, 0)
	if err != nil {
		if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
			_ = unix.Kill(p.id, s)
		}
		return
	}
	defer func() { _ = unix.Close(fd) }()
	if now, ok := readProcess(p.id); ok && now.start == p.start {
		_ = unix.PidfdSendSignal(fd, s, nil, 0)
	}
}

// collect takes the status of a dead child that nobody waits for.
func collect(id int) {
	var status unix.WaitStatus
	_, _ = unix.Wait4(id, &status, unix.WNOHANG, nil)
}

// EndMarked ends every process that has the mark of that name (see [Mark]), with
// SIGTERM and after the grace with SIGKILL, and returns who is still there, by
// id. It is meant for what an earlier process of the harness left behind.
func EndMarked(name string, grace time.Duration) ([]int, error) {
	return tree{mark: []byte(Mark(name))}.end(grace), nil
}

// EndChildren ends every process below this one, with SIGTERM and after the grace
// with SIGKILL, collects them, and returns who is still there, by id. In a
// process that is a [Subreaper] that is everything it ever started, daemons that
// hide included. It is the last thing that a main function does: a child that
// somebody still waits for is taken from him.
func EndChildren(grace time.Duration) ([]int, error) {
	return tree{all: true}.end(grace), nil
}

// Subreaper makes this process the parent of every orphan below it. It changes
// the whole process for good, so only a main function calls it, and runs [Reap].
func Subreaper() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// Reap collects inherited orphans that have ended, until ctx ends. A dead child
// counts as an orphan when nobody has collected it for a whole round of one
// second, so whoever starts a process must wait for it at once.
func Reap(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	before := map[int]uint64{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			before = reapRound(before)
		}
	}
}

// reapRound collects the dead children that were dead a round ago and returns
// the others.
func reapRound(before map[int]uint64) map[int]uint64 {
	fresh := map[int]uint64{}
	for _, p := range processes() {
		if p.parent != os.Getpid() || !p.dead() {
			continue
		}
		if start, seen := before[p.id]; seen && start == p.start {
			collect(p.id)
		} else {
			fresh[p.id] = p.start
		}
	}
	return fresh
}
