package atomicfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/dsh-go/dsh-workflow/internal/atomicfile"
)

func TestWriteReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.json")
	for _, text := range []string{"one", "two, longer", ""} {
		if err := atomicfile.Write(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != text {
			t.Errorf("got %q %v, want %q", got, err, text)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestFailureKeepsTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.json")
	if err := atomicfile.Write(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := atomicfile.WriteFrom(path, 0o600, func(w io.Writer) error {
		_, _ = w.Write([]byte("half of the ne"))
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "old" {
		t.Errorf("got %q %v", got, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}
	if err := atomicfile.Write(filepath.Join(dir, "absent", "x"), nil, 0o600); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("into no folder: %v", err)
	}
}
