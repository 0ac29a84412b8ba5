//go:build linux || darwin

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestTrustOnATerminal is asked before the first run in a project, and not before
// the second one.
func TestTrustOnATerminal(t *testing.T) {
	s := newSite(t)
	s.write("home", "script.js", `export const meta = { name: 'look', description: 'd' }
return await agent('x @@mock [{"tool":"write","args":{"file_path":"made","content":"x"}},{"text":"done"}]')`)
	begin := func(term string) *seat {
		cmd := exec.Command(s.binary, "run", filepath.Join(s.home, "script.js"), "--home", s.home, "--base-url", s.server.URL, "--model", "mock")
		return sitAt(t, cmd, s.repo, pty.Winsize{Rows: 24, Cols: 200}, append(os.Environ(), "DSH_API_KEY="+secret, "TERM="+term))
	}
	made := func() bool {
		_, err := os.Stat(filepath.Join(s.repo, "made"))
		return err == nil
	}

	c := begin("dumb")
	c.await("Do you trust ", "It brings: AGENTS.md.", "Trust it? [y]es, [n]o (both are remembered), or Enter for not this time:")
	c.key("\r")
	if code, text := c.end(); code != 0 || !strings.Contains(text, "is not trusted") || made() {
		t.Errorf("code %d, made %t:\n%s", code, made(), text)
	}
	c = begin("xterm")
	c.await("Trust it?")
	c.key("y\r")
	if code, text := c.end(); code != 0 || strings.Contains(text, "is not trusted") || !made() || c.stdout.String() != "done\n" {
		t.Errorf("code %d, made %t, stdout %q:\n%s", code, made(), c.stdout.String(), text)
	}
	c = begin("xterm")
	if code, text := c.end(); code != 0 || strings.Contains(text, "Trust it?") {
		t.Errorf("code %d, asked again:\n%s", code, text)
	}
}
