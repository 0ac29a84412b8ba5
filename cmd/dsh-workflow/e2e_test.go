package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dsh-go/dsh-workflow/journal"
	"github.com/dsh-go/dsh-workflow/llm/llmtest"
	"github.com/dsh-go/dsh-workflow/llm/openai"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// binary builds the static binary as a release does, once for all tests.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "dsh-workflow-test")
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, "dsh-workflow")
	cmd := exec.Command("go", "build", "-trimpath", "-o", out, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if b, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, b)
	}
	return out, nil
})

// site is a repository, a home and a model server for one run of the binary.
type site struct {
	t          *testing.T
	binary     string
	repo, home string
	server     *llmtest.Server
}

const secret = "sk-test-0123456789abcdef"

func newSite(t *testing.T) *site {
	t.Helper()
	built, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, binary: built, repo: t.TempDir(), home: filepath.Join(t.TempDir(), "dsh")}
	s.server = llmtest.Start(t, llmtest.Options{StrictHistory: true, Key: secret, Models: []string{"mock"}})
	s.git("init", "-q")
	s.write("repo", "AGENTS.md", "Project rule: tabs.")
	s.write("repo", "sub/AGENTS.md", "Sub rule: be brief.")
	s.write("home", "AGENTS.md", "House rule: no force pushes.")
	return s
}

func (s *site) git(args ...string) {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = s.repo
	if b, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, b)
	}
}

func (s *site) write(where, name, text string) {
	s.t.Helper()
	dir := map[string]string{"repo": s.repo, "home": s.home}[where]
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) read(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.repo, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// run runs a script with the binary and returns its envelope.
func (s *site) run(script string, flags ...string) workflow.Result {
	s.t.Helper()
	s.write("home", "script.js", script)
	args := append([]string{
		"run", filepath.Join(s.home, "script.js"), "--output", "json", "--home", s.home,
		"--base-url", s.server.URL, "--model", "mock", "--trust",
	}, flags...)
	cmd := exec.Command(s.binary, args...)
	cmd.Dir = s.repo
	cmd.Env = append(os.Environ(), "DSH_API_KEY="+secret, "MY_TOKEN=hidden", "PLAIN=visible")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var res workflow.Result
	if jerr := json.Unmarshal(stdout.Bytes(), &res); jerr != nil {
		s.t.Fatalf("%v, %v\nstdout: %s\nstderr: %s", err, jerr, stdout.Bytes(), stderr.Bytes())
	}
	s.t.Logf("stderr:\n%s", stderr.String())
	return res
}

// TestBinaryOverHTTP runs agents that write, edit and read files, run commands,
// meet a 429 and a 500, and return structured results, and checks what is left
// behind: files, result, journal, session logs, and that every request that the
// server saw can be built again from a log, byte for byte.
//
// proves: W138, W193
func TestBinaryOverHTTP(t *testing.T) {
	s := newSite(t)
	res := s.run(`
export const meta = { name: 'e2e', description: 'the whole house', phases: ['Work', 'Judge'] }
const mock = (text, ...steps) => text + ' @@mock ' + JSON.stringify(steps)
phase('Work')
const done = await parallel([
  () => agent(mock('write and edit',
    { tool: 'write', args: { file_path: 'out/a.txt', content: 'one\ntwo\n' } },
    { tool: 'read', args: { file_path: 'out/a.txt' } },
    { tool: 'edit', args: { file_path: 'out/a.txt', old_string: 'two', new_string: 'three' } },
    { text: 'edited' })),
  () => agent(mock('run commands',
    { fail: { status: 429, times: 1, retryAfter: 0.01 }, tool: 'bash', args: { command: 'pwd; echo "plain=$PLAIN token=$MY_TOKEN key=$DSH_API_KEY" > env.txt; tr "\\0" " " < /proc/$PPID/environ > parent.txt; cat parent.txt; exit 3', description: 'look around' } },
    { fail: { status: 500, times: 1 }, reasoning: 'thinking hard', tools: [
      { name: 'read', args: { file_path: 'AGENTS.md' } }, { name: 'read', args: { file_path: 'missing' } } ] },
    { text: 'ran' }), { cwd: 'sub' }),
])
phase('Judge')
const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer', minimum: 1 } }, additionalProperties: false }
const judged = await pipeline(['a', 'b'],
  (x) => agent(mock('judge ' + x, { capture: { n: 0 } }, { capture: { n: '7' } }), { schema }),
  (v, x) => ({ [x]: v.n }))
return { done, judged }`, "--concurrency", "8")

	if res.Status != workflow.StatusCompleted {
		t.Fatalf("%s: %+v, failures %+v", res.Status, res.Error, res.Failures)
	}
	if want := `{"done":["edited","ran"],"judged":[{"a":7},{"b":7}]}`; string(res.Value) != want {
		t.Errorf("value %s, want %s", res.Value, want)
	}
	if res.Agents.Started != 4 || res.Agents.Completed != 4 || len(res.Failures) != 0 {
		t.Errorf("census %+v", res.Agents)
	}
	if got := s.read("out/a.txt"); got != "one\nthree\n" {
		t.Errorf("a.txt is %q", got)
	}
	if got := s.read("sub/env.txt"); got != "plain=visible token= key=\n" {
		t.Errorf("the command saw %q", got)
	}
	if runtime.GOOS == "linux" {
		if got := s.read("sub/parent.txt"); strings.Contains(got, secret) || strings.Contains(got, "hidden") || !strings.Contains(got, "PLAIN=visible") {
			t.Errorf("the environment of the harness reads %q", got)
		}
	}
	if st := s.server.Stats(); st.Failed != 2 {
		t.Errorf("%d requests failed, want the 429 and the 500", st.Failed)
	}
	s.checkJournal(res)
	s.checkRequests(res, 4)
	s.checkNoSecret()
}

// checkJournal holds the journal of a run against its result.
func (s *site) checkJournal(res workflow.Result) {
	s.t.Helper()
	started, ended := 0, 0
	var last workflow.Fact
	for rec, err := range journal.NewDir(filepath.Dir(res.RunDir), journal.Options{}).Records(*res.RunID) {
		if err != nil {
			s.t.Fatal(err)
		}
		switch f := rec.Fact.(type) {
		case workflow.AgentStarted:
			started++
			if _, err := os.Stat(filepath.Join(res.RunDir, "sessions", f.Child+".jsonl")); err != nil {
				s.t.Error(err)
			}
		case workflow.AgentEnded:
			ended++
			if f.Outcome != "completed" || f.Value == nil || f.Usage.OutputTokens == 0 || !strings.HasPrefix(f.Key, "k1:") {
				s.t.Errorf("ended %+v", f)
			}
		}
		last = rec.Fact
	}
	if started != res.Agents.Started || ended != started {
		s.t.Errorf("%d started, %d ended", started, ended)
	}
	if end, ok := last.(workflow.RunEnded); !ok || end.Status != res.Status {
		s.t.Errorf("the last record is %+v", last)
	}
	kept, err := os.ReadFile(filepath.Join(res.RunDir, "result.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	var again workflow.Result
	if err := json.Unmarshal(kept, &again); err != nil || again.Status != res.Status {
		s.t.Errorf("result.json: %s, %v", kept, err)
	}
}

// checkRequests rebuilds every request from the session logs and compares the
// bytes with what the server received.
func (s *site) checkRequests(res workflow.Result, sessions int) {
	s.t.Helper()
	logs, err := filepath.Glob(filepath.Join(res.RunDir, "sessions", "*.jsonl"))
	if err != nil || len(logs) != sessions {
		s.t.Fatalf("%d session logs, want %d (%v)", len(logs), sessions, err)
	}
	rebuilt := map[string]int{}
	for _, name := range logs {
		h, events, err := session.Load(name)
		if err != nil {
			s.t.Fatal(err)
		}
		if h.Origin != "subagent" || h.DelegationDepth != 1 || !strings.HasPrefix(filepath.Base(name), h.ID) {
			s.t.Errorf("header %+v", h)
		}
		for _, a := range session.Attempts(events) {
			req, err := session.Rebuild(events, a)
			if err != nil {
				s.t.Fatal(err)
			}
			body, err := openai.Encode(req, openai.ProfileFor(s.server.URL))
			if err != nil {
				s.t.Fatal(err)
			}
			rebuilt[string(body)]++
		}
	}
	seen := map[string]int{}
	for _, r := range s.server.Requests() {
		seen[string(r.Body)]++
		if !bytes.Contains(r.Body, []byte("You are an AI agent powered by the DeepSeek Harness SDK.")) {
			s.t.Errorf("request %d has no system text", r.N)
		}
		for _, rule := range []string{"House rule: no force pushes.", "Project rule: tabs."} {
			if bytes.Count(r.Body, []byte(rule)) < 1 {
				s.t.Errorf("request %d does not show %q", r.N, rule)
			}
		}
	}
	if !maps.Equal(seen, rebuilt) {
		for body, n := range seen {
			if rebuilt[body] != n {
				s.t.Errorf("sent %d times, rebuilt %d times:\n%s", n, rebuilt[body], body)
			}
		}
		s.t.Errorf("%d kinds of request sent, %d rebuilt", len(seen), len(rebuilt))
	}
}

// checkNoSecret searches every file of the home for the key.
func (s *site) checkNoSecret() {
	s.t.Helper()
	err := filepath.WalkDir(s.home, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		if bytes.Contains(b, []byte(secret)) {
			s.t.Errorf("%s holds the key", p)
		}
		return err
	})
	if err != nil {
		s.t.Error(err)
	}
}

// proves: C22
func TestCutArgumentsAreNotRun(t *testing.T) {
	s := newSite(t)
	res := s.run(`
export const meta = { name: 'cut', description: 'd' }
const mock = (text, ...steps) => text + ' @@mock ' + JSON.stringify(steps)
return await parallel([
  () => agent(mock('cut', { tools: [{ name: 'write', rawArgs: '{"file_path":"cut.txt","content":"half of' }] }, { text: 'told' })),
  () => agent.settled(mock('length', { tools: [{ name: 'write', rawArgs: '{"file_path":"length.txt","content":"half of' }], finish: 'length' }, { text: 'told' })),
])`, "--allow-failures")
	for _, name := range []string{"cut.txt", "length.txt"} {
		if _, err := os.Stat(filepath.Join(s.repo, name)); err == nil {
			t.Errorf("%s was written from arguments that were cut", name)
		}
	}
	var values []json.RawMessage
	if err := json.Unmarshal(res.Value, &values); err != nil || len(values) != 2 || string(values[0]) != `"told"` {
		t.Fatalf("value %s", res.Value)
	}
	if !bytes.Contains(values[1], []byte("MAX_TOKENS")) {
		t.Errorf("settled %s", values[1])
	}
	told := slices.ContainsFunc(s.server.Requests(), func(r llmtest.Recorded) bool {
		return bytes.Contains(r.Body, []byte("invalid arguments"))
	})
	if !told {
		t.Error("the model was not told that its arguments were cut")
	}
	s.checkRequests(res, 2)
}
