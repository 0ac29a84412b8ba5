package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dsh-go/dsh-workflow/internal/proc"
	"github.com/dsh-go/dsh-workflow/vm"
)

func TestMain(m *testing.M) {
	Main()
	if len(os.Args) > 2 && os.Args[1] == "__odd" {
		os.Exit(odd[os.Args[2]]())
	}
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// recorder is a host that answers every call and keeps what it was told.
type recorder struct {
	mu    sync.Mutex
	calls []string
	notes []vm.Note
	agent func(vm.AgentCall, vm.Settle) error
}

func (h *recorder) Agent(c vm.AgentCall, settle vm.Settle) error {
	h.mu.Lock()
	h.calls = append(h.calls, c.Prompt)
	h.mu.Unlock()
	if h.agent != nil {
		return h.agent(c, settle)
	}
	go settle(json.RawMessage(`"ok"`), nil)
	return nil
}

func (h *recorder) Phase(string) error { return nil }
func (h *recorder) Note(n vm.Note) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notes = append(h.notes, n)
}
func (h *recorder) Spent(int) float64 { return 7 }
func (h *recorder) After(d time.Duration, fire func()) func() {
	t := time.AfterFunc(d, fire)
	return func() { t.Stop() }
}

func script(body string) vm.Script { return vm.Script{Name: "t", Body: body} }

func codeOf(err error) string {
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		return coded.Code()
	}
	return ""
}

// odd are processes that are no realms: what they do after a proper hello.
var odd = map[string]func() int{
	"exits": func() int { return 3 },
	"panics": func() int {
		panic("a fault of the engine")
	},
	"garbage": func() int {
		_, _ = os.Stdout.WriteString(strings.Repeat("\x00\x00\x00\x09garbage!!", 100))
		return hang()
	},
	"huge": func() int {
		_, _ = os.Stdout.Write([]byte{0xff, 0xff, 0xff, 0xff, 1})
		return hang()
	},
	"half": func() int {
		_, _ = os.Stdout.Write(frame(saysNote).text("log").text("info").text("cut off").bytes()[:9])
		return 0
	},
	"promise": func() int { // ninety megabytes, and then nothing
		_, _ = os.Stdout.Write([]byte{5, 0xa0, 0, 0, byte(saysEnd)})
		return 0
	},
	"unasked": func() int {
		_, _ = os.Stdout.Write(frame(saysSeen).uint(99).bytes())
		_, _ = os.Stdout.Write(frame(saysClear).uint(99).bytes())
		_, _ = os.Stdout.Write(frame(saysFault).blob([]byte(`{"host":5}`)).bytes())
		return hang()
	},
	"twice": func() int {
		for range 2 {
			_, _ = os.Stdout.Write(frame(saysCall).uint(1).text("p").blob(nil).bool(false).uint(1).uint(1).bytes())
		}
		return hang()
	},
	"badjson": func() int {
		_, _ = os.Stdout.Write(frame(saysEnd).blob([]byte(`{"a":`)).bytes())
		return hang()
	},
	"mute": func() int { return hang() },
	"memory": func() int {
		fmt.Fprintln(os.Stderr, "fatal error: runtime: out of memory")
		return 2
	},
	"confined": confined,
	"host":     dyingHost,
}

// dyingHost starts a realm, names it, and dies as a host does that is killed.
func dyingHost() int {
	c, err := New(Config{}).take(context.Background())
	if err != nil {
		return 1
	}
	begin, err := startFrame(script(`for (;;) {}`), vm.Options{}, &recorder{})
	if err != nil {
		return 1
	}
	_, _ = c.In.Write(begin.bytes())
	fmt.Fprintln(os.Stderr, c.ID())
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return 1
	}
	_ = self.Kill()
	return hang()
}

func hang() int {
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// confined tries what a realm must not be able to do.
func confined() int {
	confine(DefaultMemory)
	report := func(what string, err error) { fmt.Fprintf(os.Stderr, "%s: %v\n", what, err) }
	_, err := os.ReadFile("/etc/hostname")
	report("read", err)
	report("write", os.WriteFile("/tmp/dsh-realm-was-here", nil, 0o600))
	_, err = os.ReadDir("/")
	report("list", err)
	_, err = net.DialTimeout("tcp", "127.0.0.1:1", time.Second)
	report("dial", err)
	_, err = net.Listen("unix", "@dsh-realm")
	report("listen", err)
	report("exec", exec.Command("/bin/true").Run())
	return 0
}

func startOdd(t *testing.T, what string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	peer, err := proc.StartPeer(self, self, "__odd", what)
	if err != nil {
		t.Fatal(err)
	}
	return &child{Peer: peer}
}

// TestOddProcesses plays processes that die between any two frames, or say what
// makes no sense: the run fails with a reason, and nothing else happens.
//
// proves: C06
func TestOddProcesses(t *testing.T) {
	for what, want := range map[string]struct{ code, text string }{
		"exits":   {vm.CodeInternal, "crashed: exit status 3"},
		"panics":  {vm.CodeInternal, "a fault of the engine"},
		"garbage": {vm.CodeInternal, "broke the protocol"},
		"huge":    {vm.CodeInternal, "broke the protocol"},
		"half":    {vm.CodeInternal, "crashed"},
		"promise": {vm.CodeInternal, "crashed"},
		"unasked": {vm.CodeInternal, "broke the protocol"},
		"twice":   {vm.CodeInternal, "broke the protocol"},
		"badjson": {vm.CodeInternal, "broke the protocol"},
		"memory":  {vm.CodeMemory, "out of memory"},
		"mute":    {vm.CodeSyncTimeout, "no sign of life"},
	} {
		h := &recorder{}
		begin, err := startFrame(script(`return 1`), vm.Options{}, h)
		if err != nil {
			t.Fatal(err)
		}
		limit := 10 * time.Second
		if what == "mute" {
			limit = 100 * time.Millisecond // it is waited for
		}
		s := newSession(t.Context(), startOdd(t, what), h, vm.Options{SyncLimit: limit})
		_, err = s.run(begin)
		if codeOf(err) != want.code || !strings.Contains(err.Error(), want.text) {
			t.Errorf("%s: %v", what, err)
		}
		if len(h.notes) > 0 {
			t.Errorf("%s: %v", what, h.notes)
		}
	}
}

// TestConfinement tries, from inside, what the shields are there for. Where the
// kernel has none, they say so.
func TestConfinement(t *testing.T) {
	e := New(Config{})
	defer e.Close()
	s, err := e.Probe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", s)
	if s.Memory == "" {
		t.Error("nothing bounds the memory")
	}
	c := startOdd(t, "confined")
	defer c.end()
	said := c.Exit().Stderr
	up := map[string]string{"read": s.Filesystem, "write": s.Filesystem, "list": s.Filesystem, "dial": s.Network, "listen": s.Network, "exec": s.Exec}
	for line := range strings.Lines(said) {
		what, result, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if up[what] != "" && !strings.Contains(result, "denied") && !strings.Contains(result, "not permitted") {
			t.Errorf("%s: %s, though %s is up", what, result, up[what])
		}
		delete(up, what)
	}
	if len(up) > 0 {
		t.Errorf("not tried: %v\n%s", up, said)
	}
}

// TestKilledFromOutside has the process die while the script waits.
func TestKilledFromOutside(t *testing.T) {
	e := New(Config{})
	defer e.Close()
	var c *child
	h := &recorder{agent: func(vm.AgentCall, vm.Settle) error { c.Kill(); return nil }}
	c, err := e.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	begin, err := startFrame(script(`log('before'); await agent('x'); log('after')`), vm.Options{SyncLimit: time.Second}, h)
	if err != nil {
		t.Fatal(err)
	}
	_, err = newSession(t.Context(), c, h, vm.Options{SyncLimit: time.Second}).run(begin)
	if codeOf(err) != vm.CodeInternal || !strings.Contains(err.Error(), "SIGKILL") || len(h.notes) != 1 {
		t.Error(err, h.notes)
	}
}

func TestCancelEndsTheProcess(t *testing.T) {
	e := New(Config{})
	defer e.Close()
	why := errors.New("operator")
	for _, body := range []string{`for (;;) {}`, `await agent('never')`, `const a = []; a.length = 2 ** 28; a.reverse()`} {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
		h := &recorder{agent: func(vm.AgentCall, vm.Settle) error { return nil }}
		_, err := Realm{Engine: e}.Run(ctx, script(body), h)
		if !errors.Is(err, why) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestHostPanics: a panic in a hook is our bug; it ends the run and no process is
// left.
func TestHostPanics(t *testing.T) {
	e := New(Config{})
	defer e.Close()
	cause := errors.New("bug")
	h := &recorder{agent: func(vm.AgentCall, vm.Settle) error { panic(cause) }}
	_, err := Realm{Engine: e}.Run(t.Context(), script(`try { await agent('x') } catch { return 1 }`), h)
	var p *vm.PanicError
	if !errors.As(err, &p) || !errors.Is(err, cause) || !strings.Contains(string(p.Stack), "Agent") {
		t.Error(err)
	}
}

// TestWarmProcessIsUsedOnce takes the one that is ready, then the next.
func TestWarmProcessIsUsedOnce(t *testing.T) {
	e := New(Config{Warm: true})
	defer e.Close()
	seen := map[*child]bool{}
	for range 3 {
		ready := func() *child {
			e.mu.Lock()
			defer e.mu.Unlock()
			return e.warm
		}
		for ready() == nil {
			time.Sleep(time.Millisecond)
		}
		c := ready()
		if seen[c] {
			t.Fatal("a process was used twice")
		}
		seen[c] = true
		got, err := Realm{Engine: e}.Run(t.Context(), script(`globalThis.left = (globalThis.left || 0) + 1; return [left, await agent('x'), budget.spent()]`), &recorder{})
		if err != nil || string(got.Value) != `[1,"ok",7]` {
			t.Fatal(string(got.Value), err)
		}
		if ready() == c {
			t.Fatal("the process that was used is still on offer")
		}
	}
}

// TestDeadWarmProcessIsReplaced: what dies while it waits costs nobody a run.
func TestDeadWarmProcessIsReplaced(t *testing.T) {
	e := New(Config{Warm: true})
	defer e.Close()
	for {
		e.mu.Lock()
		c := e.warm
		e.mu.Unlock()
		if c != nil {
			c.Kill()
			<-c.Done()
			break
		}
		time.Sleep(time.Millisecond)
	}
	if got, err := (Realm{Engine: e}).Run(t.Context(), script(`return 1`), &recorder{}); err != nil || string(got.Value) != "1" {
		t.Error(string(got.Value), err)
	}
}

func TestNoProgram(t *testing.T) {
	e := New(Config{Program: "/nowhere/at/all"})
	defer e.Close()
	_, err := Realm{Engine: e}.Run(t.Context(), script(`return 1`), &recorder{})
	if codeOf(err) != "REALM_START" || !strings.Contains(err.Error(), "--realm inprocess") {
		t.Error(err)
	}
	e = New(Config{Program: "/bin/echo"})
	_, err = Realm{Engine: e}.Run(t.Context(), script(`return 1`), &recorder{})
	if codeOf(err) != "REALM_START" {
		t.Error(err)
	}
}

// TestRealmEndsWithItsHost kills a host whose script is busy.
func TestRealmEndsWithItsHost(t *testing.T) {
	c := startOdd(t, "host")
	defer c.end()
	id, err := strconv.Atoi(strings.TrimSpace(c.Exit().Stderr))
	if err != nil {
		t.Fatal(err)
	}
	realm, err := os.FindProcess(id)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = realm.Release() }()
	for range 1000 {
		if realm.Signal(syscall.Signal(0)) != nil || zombie(id) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the realm outlived its host")
}

// zombie tells whether a process has ended and only its parent has not noticed.
func zombie(id int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	return err == nil && strings.Contains(string(stat), ") Z ")
}
