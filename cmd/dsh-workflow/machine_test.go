package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// published compiles a schema of docs.
func published(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "docs", name+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := jsonschema.NewCompiler().Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, line []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, line)
	}
}

// said runs the binary and returns its stdout.
func (s *site) said(args ...string) []byte {
	s.t.Helper()
	cmd := exec.Command(s.binary, append(args, "--home", s.home)...)
	cmd.Dir, cmd.Env = s.repo, append(os.Environ(), "DSH_API_KEY="+secret)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	_ = cmd.Run() // the exit code is tested elsewhere
	if out.Len() == 0 {
		s.t.Fatalf("%v said nothing: %s", args, stderr.String())
	}
	return out.Bytes()
}

// TestMachineOutputMatchesTheSchemas validates each line of real streams, of runs
// that go well, badly and not at all, and holds the logs against what is on disk.
func TestMachineOutputMatchesTheSchemas(t *testing.T) {
	s := newSite(t)
	stream, envelope := published(t, "stream-json"), published(t, "envelope")
	base := []string{"--base-url", s.server.URL, "--model", "mock", "--output"}
	script := func(name, text string) string {
		s.write("home", name, text)
		return filepath.Join(s.home, name)
	}
	runs := []string{
		script("looks.js", strings.Replace(twoPhases, "WAIT", "0", 1)),
		script("limit.js", "export const meta = { name: 'l', description: 'd' }\nsetTimeout(() => {}, 1)\nawait parallel([1, 2, 3].map((n) => () => agent('n' + n)))"),
		script("throws.js", "export const meta = { name: 't', description: 'd', extra: 1 }\nphase('')\nthrow new Error('boom')"),
		script("wrong.js", "export const meta = 7"),
	}
	for _, r := range runs {
		text := s.said(append([]string{"run", r, "--max-agents", "2"}, append(base, "stream-json")...)...)
		lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
		for _, l := range lines {
			validate(t, stream, l)
		}
		validate(t, envelope, lines[len(lines)-1])
		validate(t, envelope, s.said(append([]string{"run", r}, append(base, "json")...)...))
	}
	dirs, err := filepath.Glob(filepath.Join(s.home, "workflow", "runs", "wf_*"))
	if err != nil || len(dirs) != 6 {
		t.Fatalf("%d runs, %v", len(dirs), err)
	}
	id := filepath.Base(dirs[0])
	journal, err := os.ReadFile(filepath.Join(dirs[0], "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.said("logs", id, "--output", "json"); !bytes.Equal(got, journal) {
		t.Errorf("the log is not the journal:\n%s\n%s", got, journal)
	}
	sessions, err := filepath.Glob(filepath.Join(dirs[0], "sessions", "*.jsonl"))
	if err != nil || len(sessions) != 2 {
		t.Fatalf("%d sessions, %v", len(sessions), err)
	}
	for _, path := range sessions {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, events, _ := bytes.Cut(text, []byte("\n")) // the header comes first
		if got := s.said("logs", id, strings.TrimSuffix(filepath.Base(path), ".jsonl"), "--output", "json"); !bytes.Equal(got, events) {
			t.Errorf("the log is not the session:\n%s\n%s", got, events)
		}
	}
	result, err := os.ReadFile(filepath.Join(dirs[0], "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	validate(t, envelope, result)
}
