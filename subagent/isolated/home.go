package isolated

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/worktree"
)

// home is the tree of one child. Its owner is the child's handle.
type home struct {
	repo *worktree.Repository
	tree worktree.Tree
	book *worktree.Book // nil for a run without a folder
}

// enter notes the tree in the book and moves the lineage into it.
func (h *home) enter(ctx context.Context, l *subagent.Lineage) error {
	if h.book != nil {
		if err := h.book.Put(ctx, worktree.Entry{Tree: h.tree}); err != nil {
			return err
		}
	}
	cwd, err := inside(h.repo.Top(), l.Cwd, h.tree.Path)
	if err != nil {
		return err
	}
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() {
		return fmt.Errorf("the working directory %s is not in the commit that the worktree begins from", l.Cwd)
	}
	// A root above the repository has no place in the tree.
	root, err := inside(h.repo.Top(), l.Root, h.tree.Path)
	if err != nil {
		root = h.tree.Path
	}
	l.Root, l.Cwd = root, cwd
	return nil
}

// settle commits the child's work and notes it.
func (h *home) settle(ctx context.Context) (worktree.Left, error) {
	left, err := h.repo.Settle(ctx, h.tree, h.message())
	if err != nil || h.book == nil || !left.Changed() {
		return left, err
	}
	return left, h.book.Put(ctx, worktree.Entry{Tree: h.tree, Head: left.Head, Commits: left.Commits})
}

func (h *home) message() string {
	if h.tree.Label == "" {
		return fmt.Sprintf("agent %d", h.tree.Seq)
	}
	return fmt.Sprintf("agent %d: %s", h.tree.Seq, h.tree.Label)
}

// discard removes the tree, its branch and its entry.
func (h *home) discard(ctx context.Context) error {
	if err := h.repo.Remove(ctx, h.tree); err != nil {
		return err
	}
	if h.book == nil {
		return os.Remove(filepath.Dir(h.tree.Path)) // it was made for this tree alone
	}
	return h.book.Drop(ctx, h.tree.Branch)
}
