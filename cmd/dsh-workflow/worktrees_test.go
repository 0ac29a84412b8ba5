package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// command runs the binary in the repository of the site and returns its output
// and exit code.
func (s *site) command(args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	cmd := exec.Command(s.binary, append(args, "--home", s.home)...)
	cmd.Dir = s.repo
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the code tells
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// TestWorktrees has agents change the same repository at once, each in a worktree
// of its own, and takes what they left through every command.
func TestWorktrees(t *testing.T) {
	s := newSite(t)
	s.write("repo", "a.txt", "one\n")
	s.git("config", "user.name", "Ada")
	s.git("config", "user.email", "ada@example.org")
	s.git("add", "-A")
	s.git("commit", "-qm", "first")
	res := s.run(`
export const meta = { name: 'trees', description: 'd' }
const mock = (text, ...steps) => text + ' @@mock ' + JSON.stringify(steps)
const write = (file, content) => ({ tool: 'bash', args: { command: 'printf %s ' + content + ' > ' + file + '; pwd', description: 'd' } })
const isolation = 'worktree'
return await parallel([
  () => agent(mock('one', write('a.txt', 'from-one'), { text: 'done 1' }), { isolation, label: 'first' }),
  () => agent(mock('two', write('a.txt', 'from-two'), { text: 'done 2' }), { isolation }),
  () => agent(mock('three', write('c.txt', 'from-three'), { tool: 'structured_output', args: { ok: true } }), { isolation, schema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'], additionalProperties: false } }),
  () => agent(mock('four', { text: 'looked only' }), { isolation }),
])`)
	if got := string(res.Value); got != `["done 1","done 2",{"ok":true},"looked only"]` {
		t.Fatalf("the value is %s: %+v", got, res.Failures)
	}
	if got := s.read("a.txt"); got != "one\n" {
		t.Errorf("the checkout has %q", got)
	}
	list, _, _ := s.command("worktrees", "list", "last")
	if strings.Count(list, "kept") != 3 || !strings.Contains(list, "first") || strings.Contains(list, "/4 ") {
		t.Errorf("the list is\n%s", list)
	}
	if diff, _, _ := s.command("worktrees", "diff", "last", "1"); !strings.Contains(diff, "+from-one") || strings.Contains(diff, "from-two") {
		t.Errorf("the diff is\n%s", diff)
	}
	if _, errs, code := s.command("runs", "rm", "last"); code != exitInvalid || !strings.Contains(errs, "3 worktrees with work that is not merged") {
		t.Errorf("rm: %d, %s", code, errs)
	}
	out, errs, code := s.command("worktrees", "apply", "last")
	if code != exitFailed || !strings.Contains(out, "agent 2: CONFLICT in a.txt") || strings.Count(out, ": merged dsh/") != 2 || !strings.Contains(errs, "1 of 3 branches conflict") {
		t.Errorf("apply: %d\n%s%s", code, out, errs)
	}
	if a, c := s.read("a.txt"), s.read("c.txt"); a != "from-one" || c != "from-three" {
		t.Errorf("merged: %q, %q", a, c)
	}
	if out, _, _ := s.command("worktrees", "gc"); strings.Count(out, "removed dsh/") != 2 || !strings.Contains(out, "/2: 1 commit not merged") {
		t.Errorf("gc:\n%s", out)
	}
	if out, _, code := s.command("worktrees", "gc", "last", "--force"); code != 0 || !strings.Contains(out, "removed dsh/") {
		t.Errorf("gc --force: %d\n%s", code, out)
	}
	if out, _, code := s.command("runs", "rm", "last"); code != 0 || !strings.Contains(out, "removed wf_") {
		t.Errorf("rm: %d\n%s", code, out)
	}
	s.sound()
}

// sound fails the test unless the repository is whole and holds nothing of ours.
func (s *site) sound() {
	s.t.Helper()
	for _, args := range [][]string{{"fsck", "--strict", "--no-dangling"}, {"branch", "--list", "dsh/*"}, {"status", "--porcelain"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = s.repo
		out, err := cmd.CombinedOutput()
		if err != nil || len(out) > 0 {
			s.t.Errorf("git %v: %v: %s", args, err, out)
		}
	}
	locks, _ := filepath.Glob(filepath.Join(s.repo, ".git", "*.lock"))
	trees, _ := os.ReadDir(filepath.Join(s.repo, ".git", "worktrees"))
	if len(locks)+len(trees) > 0 {
		s.t.Errorf("left in .git: %v, %v", locks, trees)
	}
}
