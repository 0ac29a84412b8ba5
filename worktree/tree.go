package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Spec says which tree to make.
type Spec struct {
	Run    string // id of the run; the branch is dsh/<run>/<seq>
	Seq    int    // of the call
	Base   string // revision to begin from; empty means HEAD
	Folder string // absolute; the tree is made in a new folder below it
}

// Tree is one worktree of an agent. It is plain data.
type Tree struct {
	Seq    int    `json:"seq"`
	Label  string `json:"label,omitempty"` // of the call; for people
	Top    string `json:"repository"`      // the checkout that it was made from
	Path   string `json:"path"`
	Branch string `json:"branch"`
	Base   string `json:"base"` // id of the commit that it began from
	Admin  string `json:"admin"`
}

// Left is what an agent left in its tree.
type Left struct {
	Branch  string `json:"branch"`
	Path    string `json:"path"`
	Base    string `json:"base"`
	Head    string `json:"head"`    // id of the last commit
	Commits int    `json:"commits"` // since Base
}

// Changed tells whether there is anything.
func (l Left) Changed() bool { return l.Head != l.Base }

// Add makes a tree and its branch. It fails rather than give a folder that is not
// a tree of its own; then nothing of it is left. The error is a [*Error], or the
// cause of ctx.
func (r *Repository) Add(ctx context.Context, s Spec) (t Tree, err error) {
	base, err := r.Commit(ctx, s.Base)
	if err != nil {
		return Tree{}, err
	}
	if err := os.MkdirAll(s.Folder, 0o700); err != nil {
		return Tree{}, &Error{Kind: Failed, Message: "the folder of the worktrees cannot be made", Err: err}
	}
	t = Tree{Seq: s.Seq, Top: r.top, Base: base}
	err = r.exclusively(ctx, func() error {
		if err := r.name(ctx, s, &t); err != nil {
			return err
		}
		_, err := r.git.run(ctx, r.top, "worktree", "add", "--quiet", "--no-track", "--no-checkout", "-b", t.Branch, t.Path, base)
		return err
	})
	if err == nil {
		err = r.checkout(ctx, &t)
	}
	if err != nil && t.Path != "" {
		err = errors.Join(err, r.Remove(context.WithoutCancel(ctx), t))
	}
	if err != nil {
		return Tree{}, err
	}
	return t, nil
}

// name finds a branch and a folder that do not exist. The first ones are taken
// when an earlier process left them.
func (r *Repository) name(ctx context.Context, s Spec, t *Tree) error {
	for try := 1; ; try++ {
		name := strconv.Itoa(s.Seq)
		if try > 1 {
			name += "-" + strconv.Itoa(try)
		}
		branch, path := "dsh/"+s.Run+"/"+name, filepath.Join(s.Folder, name)
		taken, err := r.exists(ctx, branch)
		if err != nil {
			return err
		}
		if !taken && !present(path) {
			t.Branch, t.Path = branch, path
			return nil
		}
	}
}

// checkout fills the tree. It is the long part, and needs no lock.
func (r *Repository) checkout(ctx context.Context, t *Tree) error {
	admin, err := r.git.run(ctx, t.Path, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return err
	}
	t.Admin = admin
	_, err = r.in(ctx, *t, "reset", "--hard", "--quiet")
	return err
}

// in runs git on a tree, through the administrative folder that git made for it:
// the file .git in the tree belongs to the agent.
func (r *Repository) in(ctx context.Context, t Tree, args ...string) (string, error) {
	return r.git.output(ctx, t.Path, []string{"GIT_DIR=" + t.Admin, "GIT_WORK_TREE=" + t.Path}, slices.Concat(quiet, args))
}

// committer signs the commits that we make for an agent.
var committer = []string{"-c", "user.name=dsh-workflow", "-c", "user.email=dsh-workflow@localhost"}

// Settle commits what lies uncommitted in the tree, ignored files excepted, moves
// the tree's branch up to what is checked out there, and says what there is. It
// may be called again when the agent went on. The agent must be still: nothing of
// it may run git. message is that of the commit.
func (r *Repository) Settle(ctx context.Context, t Tree, message string) (Left, error) {
	left := Left{Branch: t.Branch, Path: t.Path, Base: t.Base}
	// A git command of the agent that was killed leaves it, and nobody of the agent
	// is at work any more.
	if err := os.Remove(filepath.Join(t.Admin, "index.lock")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return left, &Error{Kind: Failed, Message: "the index of the worktree is locked", Err: err}
	}
	status, err := r.in(ctx, t, "status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=none")
	if err != nil {
		return left, err
	}
	if status != "" {
		if err := r.commit(ctx, t, message); err != nil {
			return left, err
		}
	}
	if left.Head, err = r.in(ctx, t, "rev-parse", "--verify", "HEAD"); err != nil {
		return left, err
	}
	if left.Head == t.Base {
		return r.ofBranch(ctx, t, left)
	}
	if err := r.advance(ctx, t, left.Head); err != nil {
		return left, err
	}
	return r.count(ctx, left)
}

func (r *Repository) commit(ctx context.Context, t Tree, message string) error {
	if _, err := r.in(ctx, t, "add", "--all"); err != nil {
		return err
	}
	_, err := r.in(ctx, t, slices.Concat(committer, []string{"commit", "--quiet", "--no-verify", "--allow-empty", "--message", message})...)
	return err
}

// advance makes the tree's branch name what the agent checked out, also when it
// worked on a branch of its own or on none. A branch that has other commits stays.
func (r *Repository) advance(ctx context.Context, t Tree, head string) error {
	onto, err := r.git.tells(ctx, r.top, "merge-base", "--is-ancestor", "refs/heads/"+t.Branch, head)
	if err != nil {
		return err
	}
	if !onto {
		return &Error{Kind: Failed, Message: fmt.Sprintf("the agent left %s checked out, which does not continue its branch %s; both are kept", head[:min(len(head), 12)], t.Branch)}
	}
	_, err = r.in(ctx, t, "update-ref", "refs/heads/"+t.Branch, head)
	return err
}

// ofBranch is the answer when what is checked out is where the tree began: the
// agent may have committed to its branch and gone back.
func (r *Repository) ofBranch(ctx context.Context, t Tree, left Left) (Left, error) {
	head, err := r.Commit(ctx, "refs/heads/"+t.Branch)
	if err != nil {
		return left, err
	}
	left.Head = head
	return r.count(ctx, left)
}

func (r *Repository) count(ctx context.Context, left Left) (Left, error) {
	out, err := r.git.run(ctx, r.top, "rev-list", "--count", left.Base+".."+left.Head)
	if err != nil {
		return left, err
	}
	left.Commits, err = strconv.Atoi(out)
	return left, err
}

// Remove takes the tree and its branch away, with whatever they hold. What is
// gone already is no error.
func (r *Repository) Remove(ctx context.Context, t Tree) error {
	return r.exclusively(ctx, func() error {
		if err := r.removeTree(ctx, t); err != nil {
			return err
		}
		there, err := r.exists(ctx, t.Branch)
		if err != nil || !there {
			return err
		}
		_, err = r.git.run(ctx, r.top, "branch", "--quiet", "-D", "--end-of-options", t.Branch)
		return err
	})
}

// RemoveTree takes the folder of the tree away and keeps its branch.
func (r *Repository) RemoveTree(ctx context.Context, t Tree) error {
	return r.exclusively(ctx, func() error { return r.removeTree(ctx, t) })
}

// removeTree needs the lock. git refuses some trees, such as those with
// submodules, so the folder is removed first and git forgets it then.
func (r *Repository) removeTree(ctx context.Context, t Tree) error {
	if err := writable(t.Path); err != nil {
		return &Error{Kind: Failed, Message: "the worktree cannot be removed", Err: err}
	}
	if err := os.RemoveAll(t.Path); err != nil {
		return &Error{Kind: Failed, Message: "the worktree cannot be removed", Err: err}
	}
	known, err := r.registered(ctx, t.Path)
	if err != nil || !known {
		return err
	}
	_, err = r.git.run(ctx, r.top, "worktree", "remove", "--force", "--force", t.Path)
	return err
}

// registered tells whether git knows the tree.
func (r *Repository) registered(ctx context.Context, path string) (bool, error) {
	out, err := r.git.run(ctx, r.top, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return false, err
	}
	return slices.Contains(strings.Split(out, "\x00"), "worktree "+filepath.ToSlash(path)), nil
}

// writable makes the folders of a tree removable: package caches write-protect
// theirs.
func writable(dir string) error {
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Mode()&0o700 == 0o700 {
			return err
		}
		return os.Chmod(path, info.Mode()|0o700)
	})
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
