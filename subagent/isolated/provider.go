package isolated

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/worktree"
)

// CodeWorktree is the code of a start that failed for want of a worktree, and of
// a child whose work could not be committed.
const CodeWorktree = "WORKTREE"

// The names of what a run's folder holds of its trees.
const (
	BookName   = "worktrees.json"
	FolderName = "worktrees"
)

// errUntrusted refuses to let git run what a repository brings.
var errUntrusted = errors.New("git would run hooks of a repository that is not trusted; trust it with `dsh-workflow trust add`, or leave isolation out")

// Config says how trees are made.
type Config struct {
	// Env is the environment of git, as NAME=value. Secrets are left out.
	Env []string
	// Base is the revision that trees begin from; empty means HEAD.
	Base string
}

// Wrap returns a provider that starts children with inner, each one that asks for
// it in a worktree. It has the name of inner and what inner is capable of.
func Wrap(inner subagent.Provider, c Config) subagent.Provider {
	return &provider{inner: inner, cfg: c, repos: map[string]*worktree.Repository{}, books: map[string]*worktree.Book{}}
}

// provider may be used from any goroutine; mu guards both maps.
type provider struct {
	inner subagent.Provider
	cfg   Config

	mu    sync.Mutex
	repos map[string]*worktree.Repository // by the folder that they were opened in
	books map[string]*worktree.Book       // by the folder of the run
}

var (
	_ subagent.Provider = (*provider)(nil)
	_ subagent.Capable  = (*provider)(nil)
)

func (p *provider) Name() string { return p.inner.Name() }

func (p *provider) Capabilities() subagent.Capabilities {
	has := subagent.Capabilities{Schema: true, Tools: true, Type: true}
	if limited, ok := p.inner.(subagent.Capable); ok {
		has = limited.Capabilities()
	}
	has.Worktree = true
	return has
}

// Start makes the tree before the child. When either fails nothing is left.
func (p *provider) Start(ctx context.Context, req subagent.Request) (subagent.Child, error) {
	if !req.Worktree {
		return p.inner.Start(ctx, req)
	}
	if ctx.Err() != nil {
		return nil, subagent.Aborted(ctx)
	}
	if !req.Lineage.Guided {
		return nil, p.refused(ctx, errUntrusted)
	}
	home, err := p.settleIn(ctx, &req)
	if err != nil {
		return nil, p.refused(ctx, err)
	}
	child, err := p.inner.Start(ctx, req)
	if err != nil {
		return nil, errors.Join(err, home.discard(context.WithoutCancel(ctx)))
	}
	return wrapChild(child, home), nil
}

func (p *provider) refused(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return subagent.Aborted(ctx)
	}
	return &subagent.Error{Kind: CodeWorktree, Message: "isolation: 'worktree' cannot be had", Err: err}
}

// settleIn makes the tree of a request and moves the request into it.
func (p *provider) settleIn(ctx context.Context, req *subagent.Request) (*home, error) {
	repo, err := p.repository(ctx, req.Lineage.Cwd)
	if err != nil {
		return nil, err
	}
	folder, err := treesOf(req.Lineage)
	if err != nil {
		return nil, err
	}
	tree, err := repo.Add(ctx, worktree.Spec{Run: req.Lineage.Run, Seq: seqOf(req.Call), Base: p.cfg.Base, Folder: folder})
	if err != nil {
		return nil, err
	}
	tree.Label = req.Label
	h := &home{repo: repo, tree: tree, book: p.book(req.Lineage.Folder)}
	if err := h.enter(ctx, &req.Lineage); err != nil {
		return nil, errors.Join(err, h.discard(context.WithoutCancel(ctx)))
	}
	return h, nil
}

// repository opens the repository of a folder once.
func (p *provider) repository(ctx context.Context, dir string) (*worktree.Repository, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if repo, ok := p.repos[dir]; ok {
		return repo, nil
	}
	repo, err := worktree.Open(ctx, dir, p.cfg.Env)
	if err == nil {
		p.repos[dir] = repo
	}
	return repo, err
}

// book is the book of a run; nil for one that has no folder.
func (p *provider) book(folder string) *worktree.Book {
	if folder == "" {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.books[folder] == nil {
		p.books[folder] = worktree.NewBook(filepath.Join(folder, BookName))
	}
	return p.books[folder]
}

// treesOf is the folder for the trees of a run.
func treesOf(l subagent.Lineage) (string, error) {
	if l.Folder != "" {
		return filepath.Join(l.Folder, FolderName), nil
	}
	return os.MkdirTemp("", "dsh-worktree-")
}

// seqOf is the number of a call in its run; 0 for a call that has none.
func seqOf(id subagent.CallID) int {
	_, after, _ := strings.Cut(string(id), "/")
	n, err := strconv.Atoi(after)
	if err != nil {
		return 0
	}
	return n
}

// inside returns the place of dir in the tree of a checkout at top.
func inside(top, dir, tree string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	top, err = filepath.EvalSymlinks(top)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(top, real)
	if err != nil {
		return "", err
	}
	if !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is outside the repository %s", dir, top)
	}
	return filepath.Join(tree, rel), nil
}
