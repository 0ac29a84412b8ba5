package worktree_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dsh-go/dsh-workflow/worktree"
)

func TestMergeInOrder(t *testing.T) {
	s := newSite(t)
	one, two, three := s.add(1), s.add(2), s.add(3)
	s.write(filepath.Join(one.Path, "a.txt"), "from one\n")
	s.write(filepath.Join(two.Path, "a.txt"), "from two\n")
	s.write(filepath.Join(three.Path, "c.txt"), "from three\n")
	s.write("untracked.txt", "stays")
	var got [][]string
	for _, tree := range []worktree.Tree{one, two, three} {
		s.settle(tree)
		if err := s.repo.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		conflicts, err := s.repo.Merge(t.Context(), tree.Branch, "take "+tree.Branch)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, conflicts)
	}
	if len(got[0]) != 0 || !slices.Equal(got[1], []string{"a.txt"}) || len(got[2]) != 0 {
		t.Errorf("conflicts: %v", got)
	}
	for name, want := range map[string]string{"a.txt": "from one\n", "c.txt": "from three\n", "untracked.txt": "stays"} {
		if text, _ := os.ReadFile(filepath.Join(s.top, name)); string(text) != want {
			t.Errorf("%s is %q, want %q", name, text, want)
		}
	}
	if subject := s.git(s.top, "log", "-1", "--format=%s|%an"); subject != "take dsh/wf_1/3|Ada" {
		t.Errorf("the last commit is %s", subject)
	}
	for tree, want := range map[worktree.Tree]bool{one: true, two: false} {
		head := s.git(s.top, "rev-parse", tree.Branch)
		if in, err := s.repo.Contains(t.Context(), "HEAD", head); in != want || err != nil {
			t.Errorf("%s is merged: %v, %v", tree.Branch, in, err)
		}
	}
	if in, err := s.repo.Contains(t.Context(), "HEAD", strings.Repeat("1", 40)); in || err != nil {
		t.Errorf("a commit that does not exist is merged: %v, %v", in, err)
	}
}

func TestMergeWantsACleanCheckout(t *testing.T) {
	s := newSite(t)
	s.write("a.txt", "mine\n")
	if err := s.repo.Ready(t.Context()); kind(err) != worktree.Unclean {
		t.Errorf("a changed file: %v", err)
	}
	s.git(s.top, "checkout", "-q", "a.txt")
	tree := s.add(1)
	s.write(filepath.Join(tree.Path, "new.txt"), "theirs\n")
	s.settle(tree)
	s.write("new.txt", "mine\n")
	before := s.git(s.top, "rev-parse", "HEAD")
	if conflicts, err := s.repo.Merge(t.Context(), tree.Branch, "m"); kind(err) != worktree.Failed || conflicts != nil {
		t.Errorf("an untracked file in the way: %v, %v", conflicts, err)
	}
	if text, _ := os.ReadFile(filepath.Join(s.top, "new.txt")); string(text) != "mine\n" || s.git(s.top, "rev-parse", "HEAD") != before {
		t.Error("a refused merge changed something")
	}
}

func TestDiff(t *testing.T) {
	s := newSite(t)
	tree := s.add(1)
	s.write(filepath.Join(tree.Path, "a.txt"), "two\n")
	left := s.settle(tree)
	patch, err := s.repo.Diff(t.Context(), left.Base, left.Head, false)
	if err != nil || !strings.HasSuffix(patch, "-one\n+two\n") {
		t.Errorf("%q, %v", patch, err)
	}
	stat, err := s.repo.Diff(t.Context(), left.Base, left.Head, true)
	if err != nil || !strings.Contains(stat, "1 file changed") {
		t.Errorf("%q, %v", stat, err)
	}
}

func TestBook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "worktrees.json")
	book, other := worktree.NewBook(path), worktree.NewBook(path)
	if all, err := book.Entries(); len(all) != 0 || err != nil {
		t.Errorf("a book that is not there: %v, %v", all, err)
	}
	var writers sync.WaitGroup
	for seq := range 20 {
		b := book
		if seq%2 == 1 {
			b = other
		}
		writers.Go(func() {
			if err := b.Put(t.Context(), worktree.Entry{Tree: worktree.Tree{Seq: 20 - seq, Branch: string(rune('a' + seq))}}); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	if err := book.Put(t.Context(), worktree.Entry{Tree: worktree.Tree{Seq: 20, Branch: "a"}, Head: "h"}); err != nil {
		t.Fatal(err)
	}
	if err := other.Drop(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	all, err := book.Entries()
	if err != nil || len(all) != 19 || all[0].Seq != 1 || all[18].Head != "h" {
		t.Errorf("%+v, %v", all, err)
	}
	for _, text := range []string{"{", `{"format":2}`, ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := book.Entries(); kind(err) != worktree.BadBook {
			t.Errorf("%q: %v", text, err)
		}
		if err := book.Put(t.Context(), worktree.Entry{}); kind(err) != worktree.BadBook {
			t.Errorf("a damaged book was written over: %v", err)
		}
	}
}
