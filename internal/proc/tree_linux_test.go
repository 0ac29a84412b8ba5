//go:build linux

package proc

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// nothingLeft fails if a process that bash started for this test lives.
func nothingLeft(t *testing.T) {
	t.Helper()
	for _, p := range (tree{mark: []byte(Mark(t.Name()))}).members(map[int]uint64{}) {
		if !p.dead() {
			t.Errorf("process %d is left", p.id)
		}
	}
}

func TestSessionOfItsOwnDoesNotEscape(t *testing.T) {
	within(t, 2*time.Second, func() {
		r := run(t, bash(t, "setsid sleep 600 >/dev/null 2>&1 </dev/null & setsid bash -c 'sleep 600 & wait' & sleep 0.1; echo ok"))
		if string(r.Stdout.Tail) != "ok\n" {
			t.Errorf("got %+v", r)
		}
	})
}

func TestOtherCallsAreLeftAlone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := bash(t, "touch there; sleep 600")
	done := make(chan Result)
	go func() {
		r, _ := Run(ctx, c)
		done <- r
	}()
	awaitFile(t, filepath.Join(c.Dir, "there"))
	if _, err := Run(t.Context(), bash(t, "sleep 600 & echo ok")); err != nil {
		t.Fatal(err)
	}
	select {
	case r := <-done:
		t.Errorf("the end of one call ended another: %+v", r)
	default:
	}
	cancel()
	<-done
	nothingLeft(t)
}

func TestForksDuringKill(t *testing.T) {
	c := bash(t, "trap '' TERM; f() { sleep 0.01; (trap '' TERM; f) & sleep 0.05; }; f; while :; do (trap '' TERM; sleep 0.03) & sleep 0.01; done")
	c.Timeout, c.Grace = 200*time.Millisecond, 100*time.Millisecond
	run(t, c)
}

func TestEndMarked(t *testing.T) {
	name := t.Name()
	cmd := exec.Command("setsid", "--fork", "sleep", "600")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), Mark(name)}
	other := exec.Command("sleep", "600")
	other.Env = []string{Mark(name + "x")}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Wait() }()
	defer func() { _ = other.Process.Kill() }()
	if left, err := EndMarked(name, time.Second); err != nil || left != nil {
		t.Errorf("left %v, %v", left, err)
	}
	nothingLeft(t)
	if p, ok := readProcess(other.Process.Pid); !ok || p.dead() {
		t.Error("a process of another mark was ended")
	}
}

func TestProcessNameCannotConfuseTheTable(t *testing.T) {
	dir := t.TempDir()
	odd := filepath.Join(dir, "a) Z 1 1")
	if err := os.Symlink("/bin/sleep", odd); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(odd, "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	if p, ok := readProcess(cmd.Process.Pid); !ok || p.parent != os.Getpid() || p.dead() {
		t.Errorf("got %+v", p)
	}
}

// TestSubreaperLeavesNoZombie runs in a process of its own, since being a
// subreaper cannot be undone.
func TestSubreaperLeavesNoZombie(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROC_TEST_ROLE=reaper")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Errorf("%v: %s", err, out.String())
	}
}

func reaperRole() int {
	if err := Subreaper(); err != nil {
		fmt.Println(err)
		return 1
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go Reap(ctx)
	// It has no mark, no known session and no parent but us.
	hidden := "setsid env -i bash -c 'sleep 600 & exec sleep 600' >/dev/null 2>&1 & echo ok; sleep 0.1"
	for _, script := range []string{hidden, "sleep 600 & setsid sleep 600 & echo ok", "setsid sh -c 'exec env -i true' & echo ok"} {
		c := Cmd{Path: "bash", Args: []string{"-c", script}, Dir: "/", Env: []string{"PATH=" + os.Getenv("PATH")}}
		if r, err := Run(ctx, c); err != nil || !strings.HasPrefix(string(r.Stdout.Tail), "ok") {
			fmt.Printf("%+v %v\n", r, err)
			return 1
		}
	}
	for start := time.Now(); children() > 1; time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > 8*time.Second {
			fmt.Println("dead children are left")
			return 1
		}
	}
	left, err := EndChildren(time.Second)
	if n := children(); err != nil || left != nil || n != 0 {
		fmt.Println("children are left:", n, left, err)
		return 1
	}
	return 0
}

func children() int {
	n := 0
	for _, p := range processes() {
		if p.parent == os.Getpid() {
			n++
		}
	}
	return n
}
