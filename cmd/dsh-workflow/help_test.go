package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/workflow"
)

var update = flag.Bool("update", false, "write testdata/help.txtar")

// commands calls f with each command and the words that lead to it.
func commands(c *cobra.Command, words []string, f func(*cobra.Command, []string)) {
	f(c, words)
	for _, sub := range c.Commands() {
		if sub.Name() != "help" && !sub.Hidden {
			commands(sub, append(words[:len(words):len(words)], sub.Name()), f)
		}
	}
}

// plain is a command line without --home.
func (s *shelf) plain(stdout, stderr io.Writer, args []string) env {
	e := s.env(stdout, stderr, nil)
	e.args, e.environ = args, []string{"DSH_HOME=" + s.home}
	return e
}

// TestHelp holds the help of every command, each of which has an example that its
// own flags understand. After a change: go test ./cmd/dsh-workflow -run Help -update
func TestHelp(t *testing.T) {
	s := newShelf(t)
	var got txtar.Archive
	commands(rootCommand(s.env(io.Discard, io.Discard, nil)), nil, func(c *cobra.Command, words []string) {
		if strings.Contains(c.CommandPath(), " completion") {
			return // cobra's own; its help says how to install it
		}
		if c.Example == "" || c.Short == "" {
			t.Errorf("%s has no example, or says nothing about itself", c.CommandPath())
		}
		for _, line := range strings.Split(c.Example, "\n") {
			if !strings.HasPrefix(line, "  ") || !strings.Contains(line, "dsh-workflow ") {
				t.Errorf("%s: %q is no example", c.CommandPath(), line)
			}
			checkFlags(t, c, line)
		}
		var out bytes.Buffer
		if code := run(s.plain(&out, io.Discard, append(words, "--help"))); code != exitOK {
			t.Errorf("%s --help: exit code %d", c.CommandPath(), code)
		}
		got.Files = append(got.Files, txtar.File{Name: c.CommandPath(), Data: out.Bytes()})
	})
	path := filepath.Join("testdata", "help.txtar")
	if *update {
		if err := os.WriteFile(path, txtar.Format(&got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(txtar.Format(&got))); d != "" {
		t.Errorf("go test ./cmd/dsh-workflow -run Help -update\n%s", d)
	}
}

// checkFlags looks for the flags of an example in the command that it calls.
func checkFlags(t *testing.T, c *cobra.Command, line string) {
	t.Helper()
	_, call, _ := strings.Cut(line, "dsh-workflow ")
	words := strings.Fields(call)
	called, rest, err := c.Root().Find(words)
	if err != nil {
		t.Errorf("%q: %v", line, err)
		return
	}
	for _, w := range rest {
		name, _, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
		switch {
		case strings.HasPrefix(w, "--") && called.Flags().Lookup(name) == nil && called.InheritedFlags().Lookup(name) == nil,
			len(w) == 2 && w[0] == '-' && called.Flags().ShorthandLookup(name) == nil:
			t.Errorf("%q: %s has no %s", line, called.CommandPath(), w)
		}
	}
}

// TestNobodyReadsStdout has each command that prints write into a pipe that is
// closed: it says nothing and ends as if SIGPIPE had ended it, or with the code of
// what went wrong beside that.
func TestNobodyReadsStdout(t *testing.T) {
	s := newShelf(t)
	j := s.open("wf_1", "one", 0)
	s.write(j, 1, append(begun("one"), workflow.RunEnded{Status: workflow.StatusFailed})...)
	s.close(j)
	for name, text := range map[string]string{"ok.js": "return 'x'.repeat(1e6)", "fails.js": "throw new Error('boom')"} {
		if err := os.WriteFile(filepath.Join(s.home, name), []byte("export const meta = { name: 'n', description: 'd' }\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	calls := map[string]int{
		"version": exitPipe, "list --output json": exitPipe, "runs": exitPipe, "runs list --output json": exitPipe, "runs show last": exitPipe,
		"runs show last --output json": exitPipe, "logs last": exitPipe, "logs last -f --output json": exitPipe, "--version": exitPipe,
		"run ok.js --model sim --trust -q": exitPipe, "run ok.js --model sim --trust -q --output json": exitPipe, "run ok.js --model sim --trust -q --output stream-json": exitPipe,
		"run fails.js --model sim --trust -q --output json": exitPipe, "runs gc --keep 1 --dry-run": exitPipe, "check ok.js --format json": exitPipe,
	}
	commands(rootCommand(s.env(io.Discard, io.Discard, nil)), nil, func(_ *cobra.Command, words []string) {
		calls[strings.Join(append(words, "--help"), " ")] = exitPipe
	})
	for call, want := range calls {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		var stderr bytes.Buffer
		code := run(s.plain(w, &stderr, strings.Fields(call)))
		w.Close()
		if code != want || stderr.Len() > 0 {
			t.Errorf("%s: exit code %d, want %d; stderr %q", call, code, want, stderr.String())
		}
	}
	if runtime.GOOS != "linux" {
		return
	}
	for _, call := range []string{"version", "runs", "run ok.js --model sim --trust -q", "logs last"} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip(err)
		}
		var stderr bytes.Buffer
		code := run(s.plain(full, &stderr, strings.Fields(call)))
		full.Close()
		if code != exitFailed || !strings.Contains(stderr.String(), "could not be written") || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%s on a full disk: exit code %d, stderr %q", call, code, stderr.String())
		}
	}
}
