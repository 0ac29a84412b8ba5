package isolated_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/isolated"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
	"github.com/dsh-go/dsh-workflow/worktree"
)

func TestSeam(t *testing.T) {
	subagenttest.Run(t, func(t *testing.T) subagent.Provider {
		return isolated.Wrap(subagenttest.NewScriptedFunc("", func(req subagent.Request) subagenttest.Script {
			switch req.Prompt {
			case subagenttest.PromptHang:
				return subagenttest.Script{Delay: time.Hour}
			case subagenttest.PromptFail:
				again := subagenttest.Script{Outcome: subagent.Failed}
				return subagenttest.Script{Outcome: subagent.Failed, Then: &again}
			case subagenttest.PromptValue:
				return subagenttest.Script{Value: json.RawMessage(subagenttest.Value)}
			}
			return subagenttest.Script{Reply: subagenttest.Reply}
		}), isolated.Config{})
	})
}

// rig is a repository with a provider whose children do in their folder what the
// test says before they begin to wait.
type rig struct {
	t        *testing.T
	top, run string
	provider subagent.Provider
	inner    *subagenttest.Scripted
}

func newRig(t *testing.T, work func(cwd string), script subagenttest.Script) *rig {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, top: filepath.Join(base, "repo"), run: filepath.Join(base, "run")}
	r.git(base, "init", "-q", r.top)
	r.write(filepath.Join(r.top, "sub", "a.txt"), "one\n")
	r.git(r.top, "add", "-A")
	r.git(r.top, "-c", "user.name=Ada", "-c", "user.email=a@b", "commit", "-qm", "first")
	r.inner = subagenttest.NewScriptedFunc("", func(req subagent.Request) subagenttest.Script {
		if work != nil {
			work(req.Lineage.Cwd)
		}
		return script
	})
	r.provider = isolated.Wrap(r.inner, isolated.Config{Env: os.Environ()})
	return r
}

func (r *rig) git(dir string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *rig) write(path, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) request() subagent.Request {
	return subagent.Request{Call: "wf_1/7", Label: "migrate", Prompt: "p", Worktree: true, Lineage: subagent.Lineage{
		Run: "wf_1", Root: r.top, Cwd: filepath.Join(r.top, "sub"), Folder: r.run, Trusted: true, Guided: true,
	}}
}

// one starts a child, waits for it and closes it.
func (r *rig) one() subagent.Result {
	r.t.Helper()
	c, err := r.provider.Start(r.t.Context(), r.request())
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := c.Wait(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		r.t.Fatal(err)
	}
	if again, err := c.Wait(r.t.Context()); err != nil || (again.Tree == nil) != (res.Tree == nil) {
		r.t.Errorf("after Close the result is %+v, %v", again, err)
	}
	return res
}

func (r *rig) trees() []worktree.Entry {
	r.t.Helper()
	all, err := worktree.NewBook(filepath.Join(r.run, isolated.BookName)).Entries()
	if err != nil {
		r.t.Fatal(err)
	}
	return all
}

// untouched fails unless the checkout is as it was and nothing else is there.
func (r *rig) untouched() {
	r.t.Helper()
	if out := r.git(r.top, "status", "--porcelain") + r.git(r.top, "branch", "--list", "dsh/*"); out != "" {
		r.t.Errorf("the repository has %s", out)
	}
	if n := strings.Count(r.git(r.top, "worktree", "list", "--porcelain"), "worktree "); n != 1 {
		r.t.Errorf("%d worktrees", n)
	}
	if left, _ := os.ReadDir(filepath.Join(r.run, isolated.FolderName)); len(left) > 0 {
		r.t.Errorf("folders: %v", left)
	}
	if all := r.trees(); len(all) > 0 {
		r.t.Errorf("the book has %+v", all)
	}
}

func TestWorkIsOnABranch(t *testing.T) {
	for _, outcome := range []subagent.Outcome{subagent.Completed, subagent.Failed, subagent.Cancelled} {
		t.Run(string(outcome), func(t *testing.T) {
			var r *rig
			r = newRig(t, func(cwd string) { r.write(filepath.Join(cwd, "a.txt"), "two\n") }, subagenttest.Script{Outcome: outcome})
			res := r.one()
			if res.Outcome != outcome || res.Tree == nil || res.Tree.Commits != 1 || res.Tree.Branch != "dsh/wf_1/7" {
				t.Fatalf("the result is %+v, tree %+v", res, res.Tree)
			}
			if got := r.git(r.top, "show", res.Tree.Branch+":sub/a.txt"); got != "two" {
				t.Errorf("the branch has %q", got)
			}
			if got := r.git(r.top, "log", "-1", "--format=%s", res.Tree.Branch); got != "agent 7: migrate" {
				t.Errorf("the commit is called %q", got)
			}
			if got := r.git(r.top, "status", "--porcelain"); got != "" {
				t.Errorf("the checkout has %s", got)
			}
			all := r.trees()
			if len(all) != 1 || all[0].Head != res.Tree.Head || all[0].Label != "migrate" {
				t.Errorf("the book has %+v", all)
			}
			l := r.inner.Requests()[0].Lineage
			if l.Root != filepath.Join(r.run, "worktrees", "7") || l.Cwd != filepath.Join(l.Root, "sub") {
				t.Errorf("the child was in %+v", l)
			}
		})
	}
}

func TestNothingChangedLeavesNothing(t *testing.T) {
	r := newRig(t, nil, subagenttest.Script{})
	if res := r.one(); res.Tree != nil || res.Outcome != subagent.Completed {
		t.Errorf("the result is %+v", res)
	}
	r.untouched()
}

func TestARunInMemory(t *testing.T) {
	var r *rig
	var at []string
	r = newRig(t, func(cwd string) { at = append(at, cwd); r.write(filepath.Join(cwd, "b.txt"), "b") }, subagenttest.Script{})
	r.run = ""
	res := r.one()
	if res.Tree == nil || r.git(r.top, "show", res.Tree.Branch+":sub/b.txt") != "b" {
		t.Errorf("the result is %+v", res)
	}
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Dir(filepath.Dir(at[0]))) })
}

// A tree that cannot be had is an error, and never the folder of the run.
func TestNoTreeNoChild(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *rig, req *subagent.Request)
		text   string
	}{
		"no repository": {func(_ *rig, req *subagent.Request) {
			req.Lineage.Root = t.TempDir()
			req.Lineage.Cwd = req.Lineage.Root
		}, "not in the checkout of a git repository"},
		"folder not committed": {func(r *rig, req *subagent.Request) {
			req.Lineage.Cwd = filepath.Join(r.top, "fresh")
			if err := os.Mkdir(req.Lineage.Cwd, 0o755); err != nil {
				t.Fatal(err)
			}
		}, "is not in the commit"},
		"no room for the tree": {func(r *rig, req *subagent.Request) {
			r.write(r.run, "a file where the folder of the run should be")
		}, "cannot be made"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil, subagenttest.Script{})
			req := r.request()
			c.change(r, &req)
			_, err := r.provider.Start(t.Context(), req)
			var fault *subagent.Error
			if !errors.As(err, &fault) || fault.Code() != isolated.CodeWorktree || !strings.Contains(err.Error(), c.text) {
				t.Errorf("the error is %v, want %q", err, c.text)
			}
			if n := r.inner.Counts().Starts; n != 0 {
				t.Errorf("%d children were started", n)
			}
			_ = os.Remove(r.run)
			r.untouched()
		})
	}
}

func TestChildThatCannotStartLeavesNothing(t *testing.T) {
	r := newRig(t, nil, subagenttest.Script{StartErr: fmt.Errorf("no model")})
	if _, err := r.provider.Start(t.Context(), r.request()); err == nil || !strings.Contains(err.Error(), "no model") {
		t.Errorf("the error is %v", err)
	}
	r.untouched()
}

func TestRetryGoesOnInTheSameTree(t *testing.T) {
	var r *rig
	done := subagenttest.Script{Reply: "done"}
	r = newRig(t, func(cwd string) { r.write(filepath.Join(cwd, "a.txt"), "half\n") }, subagenttest.Script{Outcome: subagent.Failed, Then: &done})
	c, err := r.provider.Start(t.Context(), r.request())
	if err != nil {
		t.Fatal(err)
	}
	first, err := c.Wait(t.Context())
	if err != nil || first.Tree == nil {
		t.Fatalf("%+v, %v", first, err)
	}
	r.write(filepath.Join(r.inner.Requests()[0].Lineage.Cwd, "b.txt"), "more\n")
	if err := c.(subagent.Retrier).Retry(t.Context()); err != nil {
		t.Fatal(err)
	}
	second, err := c.Wait(t.Context())
	if err != nil || second.Outcome != subagent.Completed || second.Tree.Commits != 2 {
		t.Errorf("%+v, %v", second, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// Work that cannot be committed makes the child failed and stays where it is.
func TestWorkThatCannotBeCommitted(t *testing.T) {
	var r *rig
	var at string
	r = newRig(t, func(cwd string) {
		at = cwd
		r.write(filepath.Join(cwd, "a.txt"), "two\n")
		index := filepath.Join(r.git(cwd, "rev-parse", "--absolute-git-dir"), "index")
		if err := os.Remove(index); err != nil {
			t.Error(err)
		}
		r.write(filepath.Join(index, "in the way"), "")
	}, subagenttest.Script{})
	res := r.one()
	if res.Outcome != subagent.Failed || res.Failure.Code != isolated.CodeWorktree || !strings.Contains(res.Failure.Message, filepath.Dir(at)) {
		t.Errorf("the result is %+v, %+v", res, res.Failure)
	}
	if text, _ := os.ReadFile(filepath.Join(at, "a.txt")); string(text) != "two\n" {
		t.Errorf("the work is %q", text)
	}
	if res.Text == "" {
		t.Error("the words of the child are lost")
	}
}
