package worktree_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/worktree"
)

// site is a repository with one commit, and a folder for trees.
type site struct {
	t     *testing.T
	top   string
	trees string
	env   []string
	repo  *worktree.Repository
}

func newSite(t *testing.T) *site {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, top: filepath.Join(base, "repo"), trees: filepath.Join(base, "run", "worktrees")}
	s.env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOME="+base)
	s.git(base, "init", "-q", "-b", "main", s.top)
	s.git(s.top, "config", "user.name", "Ada")
	s.git(s.top, "config", "user.email", "ada@example.org")
	s.write("a.txt", "one\n")
	s.write(".gitignore", "*.log\n")
	s.git(s.top, "add", "-A")
	s.git(s.top, "commit", "-qm", "first")
	s.repo = s.open(s.env)
	return s
}

func (s *site) open(env []string) *worktree.Repository {
	s.t.Helper()
	r, err := worktree.Open(s.t.Context(), s.top, env)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *site) git(dir string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// write writes a file below the checkout, or below an absolute folder.
func (s *site) write(name, text string) {
	s.t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.top, name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) add(seq int) worktree.Tree {
	s.t.Helper()
	t, err := s.repo.Add(s.t.Context(), worktree.Spec{Run: "wf_1", Seq: seq, Folder: s.trees})
	if err != nil {
		s.t.Fatal(err)
	}
	return t
}

func (s *site) settle(t worktree.Tree) worktree.Left {
	s.t.Helper()
	left, err := s.repo.Settle(s.t.Context(), t, "agent work")
	if err != nil {
		s.t.Fatal(err)
	}
	return left
}

// clean fails the test unless the repository is sound and has nothing of ours.
func (s *site) clean() {
	s.t.Helper()
	if out := s.git(s.top, "fsck", "--strict", "--no-dangling"); out != "" {
		s.t.Errorf("git fsck: %s", out)
	}
	if out := s.git(s.top, "branch", "--list", "dsh/*"); out != "" {
		s.t.Errorf("branches are left: %s", out)
	}
	if out := s.git(s.top, "worktree", "list", "--porcelain"); strings.Count(out, "worktree ") != 1 {
		s.t.Errorf("worktrees are left: %s", out)
	}
	if left, _ := os.ReadDir(s.trees); len(left) > 0 {
		s.t.Errorf("folders are left: %v", left)
	}
	locks, _ := filepath.Glob(filepath.Join(s.top, ".git", "*.lock"))
	if len(locks) > 0 {
		s.t.Errorf("locks are left: %v", locks)
	}
}
