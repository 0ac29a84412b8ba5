package jsonl_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/dsh-go/dsh-workflow/internal/jsonl"
	"github.com/google/go-cmp/cmp"
)

func TestCreateNew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(dir, "log.jsonl")
	f, err := jsonl.CreateNew(path, jsonl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, held := jsonl.Held(path); !held {
		t.Error("the file is not locked")
	}
	if _, err := jsonl.CreateNew(path, jsonl.Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("an empty file of another writer: %v", err)
	}
	if err := errors.Join(f.Append([]byte(`{"n":1}`)), f.Sync(), f.Append([]byte(`{"n":2}`)), f.Sync(), f.Close()); err != nil {
		t.Fatal(err)
	}
	if good, skipped := values(t, path); !cmp.Equal(good, []string{`{"n":1}`, `{"n":2}`}) || skipped != nil {
		t.Errorf("%q %v", good, skipped)
	}
	if _, held := jsonl.Held(path); held {
		t.Error("still held")
	}
	if _, err := jsonl.CreateNew(path, jsonl.Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second create: %v", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("files %v, %v", files, err)
	}
	for name, want := range map[string]fs.FileMode{path: 0o600, dir: 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// Who asks whether a writer is alive does not keep one from coming to life.
func TestCreateNewBesideHeld(t *testing.T) {
	dir := t.TempDir()
	done := make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			files, _ := os.ReadDir(dir)
			for _, f := range files {
				jsonl.Held(filepath.Join(dir, f.Name()))
			}
		}
	})
	for range 200 {
		path := filepath.Join(dir, "log.jsonl")
		f, err := jsonl.CreateNew(path, jsonl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Close(), os.Remove(path)); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	asking.Wait()
}
