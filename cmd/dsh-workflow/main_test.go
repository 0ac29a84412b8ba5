package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	dsh "github.com/dsh-go/dsh-workflow"
	"github.com/dsh-go/dsh-workflow/llm/llmtest"
	"github.com/dsh-go/dsh-workflow/trust"
)

func TestMain(m *testing.M) {
	dsh.RealmMain()
	testscript.Main(m, map[string]func(){
		"dsh-workflow": func() { os.Exit(start()) },
		"panics":       panics,
	})
}

// panics is a command whose run ends in a panic while its picture is drawn.
func panics() {
	e, err := processEnv()
	if err != nil {
		panic(err)
	}
	out := newOutput(e, runOptions{})
	defer out.restore()
	out.picture.start()
	if _, err := e.stdin.Read(make([]byte, 1)); err != nil {
		panic(err)
	}
	panic("a mistake of ours")
}

// TestScripts runs what a user types. Each script has a home of its own and two
// model servers on loopback: at $MODEL_URL, and at $LOCKED_URL one that wants a
// key; the examples lie in $EXAMPLES. The folder of the script is trusted.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"code": exitCode},
		Setup: func(e *testscript.Env) error {
			s, err := llmtest.New(llmtest.Options{StrictHistory: true, Models: []string{"mock"}})
			if err != nil {
				return err
			}
			e.Defer(s.Close)
			locked, err := llmtest.New(llmtest.Options{Models: []string{"mock"}, Key: "the-key-of-the-locked-one"})
			if err != nil {
				return err
			}
			e.Defer(locked.Close)
			e.Setenv("LOCKED_URL", locked.URL)
			examples, err := filepath.Abs("../../examples")
			if err != nil {
				return err
			}
			e.Setenv("EXAMPLES", examples)
			e.Setenv("SCHEMA", filepath.Join(examples, "..", "docs", "config.schema.json"))
			e.Setenv("MODEL_URL", s.URL)
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			home := filepath.Join(e.WorkDir, "home")
			if err := os.Mkdir(home, 0o700); err != nil {
				return err
			}
			_, err = trust.New(trust.Config{Home: filepath.Join(home, ".dsh"), UserHome: home}).Add(e.WorkDir, true)
			return err
		},
	})
}

// exitCode is the script command "code N program args...": the program must end
// with exit code N.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N program args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
