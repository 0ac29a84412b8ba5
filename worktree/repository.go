package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Repository is one git repository with a checkout.
//
// Concurrency: any goroutine may use it. mu orders changes of the worktrees in
// this process, a lock file those of several.
type Repository struct {
	git    git
	top    string // of the checkout that it was opened in
	common string // the folder that all checkouts share
	mu     sync.Mutex
}

// Open finds the repository that dir lies in. env is the environment of git, as
// NAME=value; secrets are left out. The error is a [*Error].
func Open(ctx context.Context, dir string, env []string) (*Repository, error) {
	g := newGit(env)
	out, err := g.run(ctx, dir, "rev-parse", "--is-inside-work-tree", "--git-common-dir", "--show-toplevel")
	var fault *Error
	if errors.As(err, &fault) && fault.Kind == Failed {
		return nil, &Error{Kind: NoRepository, Message: fmt.Sprintf("%s is not in the checkout of a git repository (git init makes one)", dir), Err: fault}
	}
	if err != nil {
		return nil, err
	}
	lines := strings.SplitN(out, "\n", 3)
	if len(lines) != 3 || lines[0] != "true" {
		return nil, &Error{Kind: NoRepository, Message: fmt.Sprintf("%s is not in the checkout of a git repository", dir)}
	}
	common := lines[1]
	if !filepath.IsAbs(common) {
		common = filepath.Join(dir, common)
	}
	return &Repository{git: g, top: filepath.FromSlash(lines[2]), common: common}, nil
}

// Top is the absolute path of the checkout.
func (r *Repository) Top() string { return r.top }

// Commit resolves a revision to the id of a commit. An empty one is HEAD.
func (r *Repository) Commit(ctx context.Context, revision string) (string, error) {
	if revision == "" {
		revision = "HEAD"
	}
	id, err := r.git.run(ctx, r.top, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	var fault *Error
	if errors.As(err, &fault) && fault.Kind == Failed {
		hint := "make the first commit, then run again"
		if revision != "HEAD" {
			hint = "name a commit, a tag or a branch of this repository"
		}
		return "", &Error{Kind: NoCommit, Message: fmt.Sprintf("the repository %s has no commit %q: %s", r.top, revision, hint)}
	}
	return id, err
}

// Uncommitted counts files of the checkout that differ from HEAD or are not
// tracked: a tree does not have those changes.
func (r *Repository) Uncommitted(ctx context.Context) (int, error) {
	out, err := r.git.run(ctx, r.top, "status", "--porcelain", "--untracked-files=normal")
	if err != nil || out == "" {
		return 0, err
	}
	return strings.Count(out, "\n") + 1, nil
}

// Contains tells whether commit is in the history of revision. A commit that the
// repository does not have is in none.
func (r *Repository) Contains(ctx context.Context, revision, commit string) (bool, error) {
	if _, err := r.Commit(ctx, commit); err != nil {
		var fault *Error
		if errors.As(err, &fault) && fault.Kind == NoCommit {
			return false, nil
		}
		return false, err
	}
	return r.git.tells(ctx, r.top, "merge-base", "--is-ancestor", commit, revision)
}

// exclusively runs change while nobody else changes the worktrees of the
// repository: git itself fails when two do.
func (r *Repository) exclusively(ctx context.Context, change func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	lock, err := acquire(ctx, filepath.Join(r.common, "dsh-worktrees.lock"))
	if err != nil {
		return err
	}
	return errors.Join(change(), lock.Release())
}

// exists tells whether there is a branch of that name.
func (r *Repository) exists(ctx context.Context, branch string) (bool, error) {
	return r.git.tells(ctx, r.top, "show-ref", "--verify", "--quiet", "refs/heads/"+branch)
}

func present(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
