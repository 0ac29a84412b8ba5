package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// killScript makes 60 calls. Each has a number, and the server answers them in the
// order of the numbers: so what the script comes to is known, although what it
// asks for depends on completion order, on races and on timers.
const killScript = `
export const meta = { name: 'kill', description: 'sixty agents' }
const shuffle = (n, by) => Array.from({ length: n }, (_, i) => (i * 7 + by) % n)
const seen = [], all = []
const ask = (n, text) => { const p = agent(text + ' #' + n + '# @@mock [{"text":"' + text + '"}]', { label: 'o' + n }); all.push(p); return p }
const sleep = (ms) => new Promise((go) => setTimeout(() => go('slept ' + ms), ms))
const second = shuffle(20, 3)
const fan = await parallel(shuffle(20, 5).map((n) => () => ask(n, 'first ' + n).then((v) => {
  seen.push(v)
  return ask(20 + second[seen.length - 1], v + ' came ' + seen.length)
})))
const races = []
for (let i = 0; i < 6; i++) {
  const late = i % 2
  races.push(await Promise.race([ask(40 + 2 * i + late, 'x' + i), ask(41 + 2 * i - late, 'y' + i + ' after ' + races.length)]))
}
const timed = []
for (let i = 0; i < 4; i++) {
  timed.push(await Promise.race([ask(52 + 2 * i, 'quick ' + i), sleep(600000)]))
  const slow = ask(53 + 2 * i, 'slow ' + i + timed.join())
  timed.push(await Promise.race([slow.then(() => sleep(600000)), sleep(1)]))
  await slow
}
return { seen, fan, races, timed, all: await Promise.all(all) }`

// gatekeeper stands before the model server. It lets the request of call n
// through when the ends of all calls below n are in the journal, counts, and
// kills.
//
// Concurrency: handlers run on their own goroutines; mu guards all but the fields
// that the test sets before a process starts.
type gatekeeper struct {
	runs  string // folder of runs
	proxy http.Handler

	mu     sync.Mutex
	end    end
	offset int64
	labels map[workflow.Seq]int // calls by number, in the present history
	done   map[int]bool
	asked  map[int]bool // since the process started
}

// end is when the process is killed.
type end struct {
	at    int // the call at whose request it is; -1 never
	pause time.Duration
	kill  func()
}

// set says when the process that is started next is killed.
func (g *gatekeeper) set(e end) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.end = e
}

func (g *gatekeeper) planned() end {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.end
}

var numbered = regexp.MustCompile(`#(\d+)# @@mock`)

func (g *gatekeeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	found := numbered.FindAllSubmatch(body, -1)
	if err != nil || len(found) == 0 {
		http.Error(w, "not a call of the script", http.StatusBadRequest)
		return
	}
	n, _ := strconv.Atoi(string(found[len(found)-1][1]))
	for !g.turn(n) {
		select {
		case <-r.Context().Done():
			return
		case <-time.After(time.Millisecond):
		}
	}
	e := g.planned()
	if n == e.at && e.pause == 0 {
		e.kill()
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	g.proxy.ServeHTTP(w, r)
	if n == e.at && e.pause > 0 {
		time.AfterFunc(e.pause, e.kill)
	}
}

// turn says whether call n may be answered.
func (g *gatekeeper) turn(n int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked[n] = true
	g.read()
	for below := range n {
		if !g.done[below] {
			return false
		}
	}
	return true
}

// read takes what the journal has more. g.mu is held.
func (g *gatekeeper) read() {
	paths, _ := filepath.Glob(filepath.Join(g.runs, "*", "journal.jsonl"))
	if len(paths) != 1 {
		return
	}
	file, err := os.Open(paths[0])
	if err != nil {
		return
	}
	defer file.Close()
	more, _ := io.ReadAll(io.NewSectionReader(file, g.offset, 1<<30))
	for {
		line, rest, whole := bytes.Cut(more, []byte("\n"))
		if !whole {
			return
		}
		g.offset += int64(len(line)) + 1
		more = rest
		var rec workflow.Record
		if json.Unmarshal(line, &rec) != nil {
			continue
		}
		switch f := rec.Fact.(type) {
		case workflow.AgentQueued:
			n, _ := strconv.Atoi(f.Label[1:])
			g.labels[f.Seq] = n
		case workflow.AgentEnded:
			if f.Outcome == subagent.Completed {
				g.done[g.labels[f.Seq]] = true
			}
		}
	}
}

// begin prepares for another process and returns the calls that have ended.
func (g *gatekeeper) begin() map[int]bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.offset, g.labels, g.done, g.asked = 0, map[workflow.Seq]int{}, map[int]bool{}, map[int]bool{}
	g.read()
	return maps.Clone(g.done)
}

// TestKilledRunsAreResumed kills the process of a run at random moments, ten
// times a run, and resumes it: the value is that of a run that nobody kills, no
// call that has completed is sent again, and no end is missing or double.
//
// SOAK=1 kills two hundred times instead of twenty.
//
// proves: C13, C15
func TestKilledRunsAreResumed(t *testing.T) {
	runs := 2
	if os.Getenv("SOAK") != "" {
		runs = 20
	}
	s := newSite(t)
	s.write("home", "kill.js", killScript)
	target, err := url.Parse(s.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	target.Path = ""
	var want string
	killed := 0
	for i := range runs + 1 {
		home := t.TempDir()
		proxy := httputil.NewSingleHostReverseProxy(target)
		proxy.ErrorLog = log.New(io.Discard, "", 0) // clients are killed
		g := &gatekeeper{runs: filepath.Join(home, "workflow", "runs"), proxy: proxy}
		front := httptest.NewServer(g)
		kills := 10
		if i == 0 {
			kills = 0
		}
		res, n := s.killing(g, front.URL, home, kills)
		front.Close()
		killed += n
		switch {
		case i == 0:
			want = string(res.Value)
		case string(res.Value) != want:
			t.Errorf("run %d: value %s\nwant %s", i, res.Value, want)
		}
		if res.Agents.Started != 60 || res.Agents.Completed != 60 || res.Status != workflow.StatusCompleted {
			t.Errorf("run %d: %s %+v", i, res.Status, res.Agents)
		}
		checkKilled(t, g.runs)
	}
	t.Logf("%d runs were killed %d times", runs, killed)
	if killed < runs*8 {
		t.Errorf("only %d kills", killed)
	}
}

// killing runs the script, kills its process so often, and resumes it to the end.
func (s *site) killing(g *gatekeeper, url, home string, kills int) (res workflow.Result, killed int) {
	s.t.Helper()
	args := []string{"run", filepath.Join(s.home, "kill.js"), "--base-url", url + "/v1", "--model", "mock", "--concurrency", "32", "--yes"}
	for {
		done := g.begin()
		e := end{at: -1}
		if kills > 0 && len(done) < 58 {
			kills--
			e.at = len(done) + rand.IntN(min(59-len(done), 8))
			e.pause = time.Duration(rand.IntN(4)) * time.Millisecond
		}
		cmd := exec.Command(s.binary, append(args, "--home", home, "--output", "json", "-q")...)
		cmd.Dir, cmd.Env = s.repo, append(os.Environ(), "DSH_API_KEY="+secret)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		var once sync.Once
		started := make(chan struct{})
		e.kill = func() { once.Do(func() { <-started; _ = cmd.Process.Kill() }) }
		g.set(e)
		err := cmd.Start()
		if err != nil {
			s.t.Fatal(err)
		}
		close(started)
		err = cmd.Wait()
		g.mu.Lock()
		for n := range done {
			if g.asked[n] {
				s.t.Errorf("call %d had completed and was sent again", n)
			}
		}
		g.mu.Unlock()
		if err == nil {
			if err := json.Unmarshal(out.Bytes(), &res); err != nil {
				s.t.Fatal(err)
			}
			return res, killed
		}
		if e.at < 0 || cmd.ProcessState.ExitCode() >= 0 {
			s.t.Fatalf("%v: %s\n%s", err, errs.Bytes(), out.Bytes())
		}
		killed++
		ids, _ := filepath.Glob(filepath.Join(g.runs, "wf_*", "run.json"))
		if len(ids) == 1 {
			args = []string{"resume", filepath.Base(filepath.Dir(ids[0]))}
		}
	}
}

// checkKilled holds the one journal of a folder of runs: no call was paid for
// twice, and every history has at most one end for a call.
func checkKilled(t *testing.T, runs string) {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join(runs, "*", "journal.jsonl"))
	if len(paths) != 1 {
		t.Fatalf("journals %q", paths)
	}
	raw, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	paid, ended := map[string]int{}, map[workflow.Seq]bool{}
	for i, line := range bytes.Split(bytes.TrimSpace(raw), []byte("\n")) {
		var rec workflow.Record
		if err := json.Unmarshal(line, &rec); err != nil || rec.N != i+1 {
			t.Fatalf("line %d: %v, record %d", i+1, err, rec.N)
		}
		switch f := rec.Fact.(type) {
		case workflow.RunResumed:
			ended = map[workflow.Seq]bool{}
		case workflow.AgentEnded:
			if ended[f.Seq] {
				t.Errorf("line %d: a second end of call %d", i+1, f.Seq)
			}
			ended[f.Seq] = true
			if f.ValueRef == 0 && f.Outcome == subagent.Completed {
				paid[fmt.Sprint(f.Key, f.Occ)]++
			}
		}
	}
	for call, n := range paid {
		if n != 1 {
			t.Errorf("%s was paid for %d times", call, n)
		}
	}
	if len(paid) != 60 || len(ended) != 60 {
		t.Errorf("%d calls were paid for, %d have an end", len(paid), len(ended))
	}
}

// TestResumeEndsWhatAKilledRunLeft kills a run while its agent's command runs. The
// command goes on, until the run is resumed.
func TestResumeEndsWhatAKilledRunLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are found by their marks on Linux only")
	}
	s := newSite(t)
	s.write("home", "left.js", `
export const meta = { name: 'left', description: 'd' }
return await agent('wait @@mock [{"tool":"bash","args":{"command":"echo $$ > pid; exec sleep 300","description":"wait"}},{"text":"waited"}]')`)
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(s.binary, append(args, "--base-url", s.server.URL, "--model", "mock", "--home", s.home, "-q", "--trust")...)
		cmd.Dir, cmd.Env = s.repo, append(os.Environ(), "DSH_API_KEY="+secret)
		return cmd
	}
	run := command("run", filepath.Join(s.home, "left.js"))
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	for deadline := time.Now().Add(30 * time.Second); pid == 0 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		raw, _ := os.ReadFile(filepath.Join(s.repo, "pid"))
		pid, _ = strconv.Atoi(string(bytes.TrimSpace(raw)))
	}
	if err := run.Process.Kill(); err != nil || pid == 0 {
		t.Fatal(err, pid)
	}
	_ = run.Wait() // it was killed
	if err := syscall.Kill(pid, 0); err != nil {
		t.Fatalf("the command ended with its run: %v", err)
	}
	out, err := command("resume", "last", "--skip", "1", "--allow-failures").CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		if state, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); !bytes.Contains(state, []byte(") Z ")) {
			t.Errorf("process %d still runs: %v", pid, err)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
