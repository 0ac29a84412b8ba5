package worktree

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/dsh-go/dsh-workflow/internal/atomicfile"
)

// Entry is one tree in a [Book].
type Entry struct {
	Tree
	// Head is the last commit of the agent. It is empty while the agent is at
	// work, and stays so when its process was killed.
	Head    string `json:"head,omitempty"`
	Commits int    `json:"commits,omitempty"`
}

// bookFormat is the version of the file.
const bookFormat = 1

// bookFile is the content of the file.
type bookFile struct {
	Format int     `json:"format"`
	Trees  []Entry `json:"trees"`
}

// Book is the list of the trees of one run, in a file of its folder.
//
// Concurrency: any goroutine may use it; mu orders the changes of this process,
// a lock file beside the book those of several.
type Book struct {
	path string
	mu   sync.Mutex
}

// NewBook is the book at path, which need not exist.
func NewBook(path string) *Book { return &Book{path: path} }

// Put adds the entry, or replaces the one of the same branch.
func (b *Book) Put(ctx context.Context, e Entry) error {
	return b.change(ctx, func(all []Entry) []Entry {
		at := slices.IndexFunc(all, func(old Entry) bool { return old.Branch == e.Branch })
		if at < 0 {
			return append(all, e)
		}
		all[at] = e
		return all
	})
}

// Drop takes the entry of a branch out.
func (b *Book) Drop(ctx context.Context, branch string) error {
	return b.change(ctx, func(all []Entry) []Entry {
		return slices.DeleteFunc(all, func(e Entry) bool { return e.Branch == branch })
	})
}

// Entries returns the trees in the order of their calls. A book that does not
// exist has none. The error is a [*Error].
func (b *Book) Entries() ([]Entry, error) {
	text, err := os.ReadFile(b.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &Error{Kind: BadBook, Message: "the list of worktrees cannot be read", Err: err}
	}
	var file bookFile
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, &Error{Kind: BadBook, Message: fmt.Sprintf("%s is damaged", b.path), Err: err}
	}
	if file.Format != bookFormat {
		return nil, &Error{Kind: BadBook, Message: fmt.Sprintf("%s has format %d, this version reads %d", b.path, file.Format, bookFormat)}
	}
	slices.SortStableFunc(file.Trees, func(a, b Entry) int { return a.Seq - b.Seq })
	return file.Trees, nil
}

func (b *Book) change(ctx context.Context, edit func([]Entry) []Entry) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	lock, err := acquire(ctx, b.path+".lock")
	if err != nil {
		return err
	}
	return errors.Join(b.rewrite(edit), lock.Release())
}

func (b *Book) rewrite(edit func([]Entry) []Entry) error {
	all, err := b.Entries()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(bookFile{Format: bookFormat, Trees: edit(all)}); err != nil {
		return err
	}
	if err := atomicfile.Write(b.path, text.Bytes(), 0o600); err != nil {
		return &Error{Kind: BadBook, Message: "the list of worktrees cannot be written", Err: err}
	}
	return nil
}
