package worktree_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dsh-go/dsh-workflow/worktree"
)

func TestTreeHasTheCommitAndNothingElse(t *testing.T) {
	s := newSite(t)
	s.write("a.txt", "changed and not committed\n")
	s.write("untracked.txt", "x")
	tree := s.add(3)
	if tree.Branch != "dsh/wf_1/3" || tree.Path != filepath.Join(s.trees, "3") {
		t.Errorf("the tree is %+v", tree)
	}
	if got, _ := os.ReadFile(filepath.Join(tree.Path, "a.txt")); string(got) != "one\n" {
		t.Errorf("a.txt is %q, not what the commit has", got)
	}
	if _, err := os.Stat(filepath.Join(tree.Path, "untracked.txt")); err == nil {
		t.Error("an untracked file is in the tree")
	}
	if n, err := s.repo.Uncommitted(t.Context()); n != 2 || err != nil {
		t.Errorf("%d uncommitted files, %v; want 2", n, err)
	}
	left := s.settle(tree)
	if left.Changed() || left.Commits != 0 {
		t.Errorf("an untouched tree is said to hold %+v", left)
	}
	if err := s.repo.Remove(t.Context(), tree); err != nil {
		t.Fatal(err)
	}
	if err := s.repo.Remove(t.Context(), tree); err != nil {
		t.Errorf("to remove what is gone: %v", err)
	}
	s.clean()
}

func TestSettleKeepsEveryKindOfWork(t *testing.T) {
	for name, c := range map[string]struct {
		work    func(s *site, tree worktree.Tree)
		commits int
		files   []string
	}{
		"uncommitted and untracked": {func(s *site, tree worktree.Tree) {
			s.write(filepath.Join(tree.Path, "a.txt"), "two\n")
			s.write(filepath.Join(tree.Path, "dir", "new.txt"), "new\n")
			s.write(filepath.Join(tree.Path, "build.log"), "ignored\n")
		}, 1, []string{"a.txt", "dir/new.txt"}},
		"a git that was killed": {func(s *site, tree worktree.Tree) {
			s.write(filepath.Join(tree.Path, "b.txt"), "b\n")
			s.write(filepath.Join(tree.Admin, "index.lock"), "")
		}, 1, []string{"b.txt"}},
		"deleted": {func(s *site, tree worktree.Tree) {
			_ = os.Remove(filepath.Join(tree.Path, "a.txt"))
		}, 1, []string{"a.txt"}},
		"its own commits": {func(s *site, tree worktree.Tree) {
			s.write(filepath.Join(tree.Path, "b.txt"), "b\n")
			s.git(tree.Path, "add", "-A")
			s.git(tree.Path, "commit", "-qm", "mine")
			s.write(filepath.Join(tree.Path, "c.txt"), "c\n")
		}, 2, []string{"b.txt", "c.txt"}},
		"on a branch of its own": {func(s *site, tree worktree.Tree) {
			s.git(tree.Path, "checkout", "-qb", "feature")
			s.write(filepath.Join(tree.Path, "b.txt"), "b\n")
			s.git(tree.Path, "add", "-A")
			s.git(tree.Path, "commit", "-qm", "mine")
		}, 1, []string{"b.txt"}},
		"on no branch": {func(s *site, tree worktree.Tree) {
			s.git(tree.Path, "checkout", "-q", "--detach")
			s.write(filepath.Join(tree.Path, "b.txt"), "b\n")
		}, 1, []string{"b.txt"}},
		"committed, then gone back": {func(s *site, tree worktree.Tree) {
			s.write(filepath.Join(tree.Path, "b.txt"), "b\n")
			s.git(tree.Path, "add", "-A")
			s.git(tree.Path, "commit", "-qm", "mine")
			s.git(tree.Path, "checkout", "-q", "--detach", tree.Base)
		}, 1, []string{"b.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			tree := s.add(1)
			c.work(s, tree)
			left := s.settle(tree)
			if !left.Changed() || left.Commits != c.commits {
				t.Errorf("%d commits are left, want %d: %+v", left.Commits, c.commits, left)
			}
			if head := s.git(s.top, "rev-parse", tree.Branch); head != left.Head {
				t.Errorf("the branch is at %s, the head is %s", head, left.Head)
			}
			got := s.git(s.top, "diff", "--name-only", tree.Base, tree.Branch)
			if got != strings.Join(c.files, "\n") {
				t.Errorf("the branch changes %q, want %q", got, c.files)
			}
			if again := s.settle(tree); again != left {
				t.Errorf("settled again it is %+v, was %+v", again, left)
			}
		})
	}
}

func TestDivergedWorkIsSaidAndKept(t *testing.T) {
	s := newSite(t)
	tree := s.add(1)
	s.write(filepath.Join(tree.Path, "b.txt"), "b\n")
	first := s.settle(tree)
	s.git(tree.Path, "checkout", "-qb", "other", tree.Base)
	s.write(filepath.Join(tree.Path, "c.txt"), "c\n")
	_, err := s.repo.Settle(t.Context(), tree, "m")
	if err == nil || !strings.Contains(err.Error(), "both are kept") {
		t.Errorf("the error is %v", err)
	}
	if head := s.git(s.top, "rev-parse", tree.Branch); head != first.Head {
		t.Error("the branch lost its commit")
	}
	if got := s.git(s.top, "show", "other:c.txt"); got != "c" {
		t.Error("what the agent did on its other branch is lost")
	}
}

func TestManyTreesAtOnce(t *testing.T) {
	s := newSite(t)
	other := s.open(s.env) // as another process would have it
	trees := make([]worktree.Tree, 32)
	var all sync.WaitGroup
	for i := range trees {
		repo := s.repo
		if i%2 == 1 {
			repo = other
		}
		all.Go(func() {
			tree, err := repo.Add(t.Context(), worktree.Spec{Run: "wf_1", Seq: i + 1, Folder: s.trees})
			if err != nil {
				t.Error(err)
				return
			}
			s.write(filepath.Join(tree.Path, "a.txt"), tree.Branch)
			if left, err := repo.Settle(t.Context(), tree, "m"); err != nil || left.Commits != 1 {
				t.Errorf("%+v, %v", left, err)
			}
			trees[i] = tree
		})
	}
	all.Wait()
	for _, tree := range trees {
		if got := s.git(s.top, "show", tree.Branch+":a.txt"); got != tree.Branch {
			t.Errorf("%s holds the work of %s", tree.Branch, got)
		}
		all.Go(func() {
			if err := other.Remove(t.Context(), tree); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s.clean()
}

func TestWhereThereIsNothingToBeginFrom(t *testing.T) {
	s := newSite(t)
	outside := t.TempDir()
	bare := filepath.Join(outside, "bare.git")
	s.git(outside, "init", "-q", "--bare", bare)
	for _, dir := range []string{outside, bare, filepath.Join(s.top, ".git")} {
		_, err := worktree.Open(t.Context(), dir, s.env)
		if kind(err) != worktree.NoRepository {
			t.Errorf("%s: %v", dir, err)
		}
	}
	empty := filepath.Join(outside, "empty")
	s.git(outside, "init", "-q", empty)
	r, err := worktree.Open(t.Context(), empty, s.env)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Add(t.Context(), worktree.Spec{Run: "wf_1", Seq: 1, Folder: s.trees}); kind(err) != worktree.NoCommit {
		t.Errorf("no commit: %v", err)
	}
	if _, err := s.repo.Add(t.Context(), worktree.Spec{Run: "wf_1", Seq: 1, Folder: s.trees, Base: "--help"}); kind(err) != worktree.NoCommit {
		t.Errorf("a base that looks like a flag: %v", err)
	}
	if _, err := worktree.Open(t.Context(), s.top, []string{"PATH=" + outside}); kind(err) != worktree.NoGit {
		t.Errorf("no git: %v", err)
	}
	s.clean()
}

func TestFailedAddLeavesNothing(t *testing.T) {
	s := newSite(t)
	s.git(s.top, "branch", "dsh") // no branch dsh/... can stand beside it
	_, err := s.repo.Add(t.Context(), worktree.Spec{Run: "wf_1", Seq: 1, Folder: s.trees})
	if kind(err) != worktree.Failed || !strings.Contains(err.Error(), "refs/heads/dsh") {
		t.Errorf("the error is %v", err)
	}
	s.clean()
}

func TestTakenNames(t *testing.T) {
	s := newSite(t)
	s.add(1)
	second := s.add(1)
	if second.Branch != "dsh/wf_1/1-2" || second.Path != filepath.Join(s.trees, "1-2") {
		t.Errorf("the second tree of a call is %+v", second)
	}
}

// What the repository or the agent sets up must not run when we work for an agent.
func TestNothingForeignRuns(t *testing.T) {
	s := newSite(t)
	ran := filepath.Join(t.TempDir(), "ran")
	for _, hook := range []string{"post-checkout", "pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"} {
		s.write(filepath.Join(s.top, ".git", "hooks", hook), "#!/bin/sh\ntouch "+ran+"\nexit 1\n")
		if err := os.Chmod(filepath.Join(s.top, ".git", "hooks", hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	tree := s.add(1)
	s.write(filepath.Join(tree.Path, "b.txt"), "b\n")
	// An agent may point its tree at a repository with settings of its choice.
	evil := t.TempDir()
	s.git(evil, "init", "-q", ".")
	s.git(evil, "config", "core.fsmonitor", "touch "+ran+"; false")
	s.write(filepath.Join(tree.Path, ".git"), "gitdir: "+filepath.Join(evil, ".git")+"\n")
	if left := s.settle(tree); left.Commits != 1 {
		t.Errorf("left: %+v", left)
	}
	if err := s.repo.Remove(t.Context(), tree); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a hook or helper ran")
	}
}

func TestVariablesOfAHookDoNotBendUs(t *testing.T) {
	s := newSite(t)
	other := newSite(t)
	s.repo = s.open(append(s.env, "GIT_DIR="+filepath.Join(other.top, ".git"), "GIT_INDEX_FILE=/nowhere/index"))
	tree := s.add(1)
	s.write(filepath.Join(tree.Path, "b.txt"), "b\n")
	s.settle(tree)
	if got := other.git(other.top, "branch", "--list", "dsh/*"); got != "" {
		t.Errorf("the other repository got %s", got)
	}
	if got := s.git(s.top, "show", tree.Branch+":b.txt"); got != "b" {
		t.Errorf("the branch has %q", got)
	}
}

func TestRemoveTakesStubbornTrees(t *testing.T) {
	s := newSite(t)
	lib := newSite(t)
	s.git(s.top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.top, "lib")
	s.git(s.top, "commit", "-qm", "with a submodule")
	elsewhere := filepath.Join(t.TempDir(), "mine")
	s.git(s.top, "worktree", "add", "-q", elsewhere)
	if err := os.Rename(elsewhere, elsewhere+".unmounted"); err != nil {
		t.Fatal(err)
	}
	tree := s.add(1)
	s.git(tree.Path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	s.write(filepath.Join(tree.Path, "cache", "x", "f"), "f")
	for _, dir := range []string{filepath.Join(tree.Path, "cache", "x"), filepath.Join(tree.Path, "cache")} {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.repo.Remove(t.Context(), tree); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(tree.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is there: %v", err)
	}
	if list := s.git(s.top, "worktree", "list"); !strings.Contains(list, elsewhere) {
		t.Errorf("a worktree of the user was forgotten: %s", list)
	}
}

func kind(err error) worktree.Kind {
	var e *worktree.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}
