package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestThousandAgents runs a thousand whole agents through one parallel(), 64 at
// once, in one process, and compares its memory with that of two hundred.
func TestThousandAgents(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the peak memory of a process is read the Linux way")
	}
	s := newSite(t)
	peak := func(n int) int64 {
		s.write("home", "many.js", fmt.Sprintf(`
export const meta = { name: 'many', description: 'd' }
const out = await parallel(Array.from({ length: %d }, (_, i) => () => agent('say ' + i + ' @@mock [{"tool":"bash","args":{"command":"true","description":"d"}},{"text":"ok ' + i + '"}]')))
return out.filter((x, i) => x === 'ok ' + i).length`, n))
		cmd := exec.Command(s.binary, "run", filepath.Join(s.home, "many.js"), "-q", "--home", s.home,
			"--base-url", s.server.URL, "--model", "mock", "--concurrency", "64", "--trust")
		cmd.Dir = s.repo
		cmd.Env = append(os.Environ(), "DSH_API_KEY="+secret)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		peak, err := peakMemory(cmd)
		if err != nil || strings.TrimSpace(out.String()) != fmt.Sprint(n) {
			t.Fatalf("%v: %s", err, out.String())
		}
		return peak
	}
	const growth = 32 << 20
	few := peak(200)
	many := peak(1000)
	t.Logf("peak memory: 200 agents %d MiB, 1000 agents %d MiB", few>>20, many>>20)
	if many > few+growth {
		t.Errorf("1000 agents took %d MiB more than 200, over %d", (many-few)>>20, growth>>20)
	}
}

// peakMemory runs a command and returns the peak of its resident memory in
// bytes, as the kernel kept it. The usage that wait returns cannot serve: at exec
// Linux hands the peak of the parent, here of this test, to the child.
func peakMemory(cmd *exec.Cmd) (int64, error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var peak int64
	for {
		select {
		case err := <-ended:
			return peak, err
		case <-time.After(5 * time.Millisecond):
			peak = max(peak, highWater(cmd.Process.Pid))
		}
	}
}

// highWater is the peak of a running process, in bytes; 0 when it is gone.
func highWater(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmHWM:" {
			kib, _ := strconv.ParseInt(f[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}
