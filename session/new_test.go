package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/internal/jsonl"
)

// newFile returns a log on a file that is its own lock.
func newFile(t *testing.T, path string) *Log {
	t.Helper()
	sink, err := OpenNewFile(path, plainHeader)
	if err != nil {
		t.Fatal(err)
	}
	l, err := New(plainHeader, Options{Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A file that is its own lock has one writer too: nobody else makes it, and
// nobody, here or in another process, goes on with it while its writer lives.
func TestNewFileHasOneWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions", "s.jsonl")
	l := newFile(t, path)
	feed(t, l, user("a", ""))
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	var why *Error
	if _, _, _, err := ResumeFile(path); !errors.As(err, &why) || why.Kind != CodeBusy {
		t.Errorf("ResumeFile: %v", err)
	}
	if out := otherProcess(t, path); !strings.Contains(out, "open for writing elsewhere") {
		t.Errorf("the second process says %.500s", out)
	}
	for _, open := range []func(string, Header) (*FileSink, error){OpenFile, OpenNewFile} {
		sink, err := open(path, plainHeader)
		if err != nil {
			t.Fatal(err)
		}
		if err := sink.Append(0, [][]byte{[]byte(`{}`)}); !errors.As(err, &why) || why.Kind != CodeExists {
			t.Errorf("another writer: %v", err)
		}
		if err := sink.Close(); err != nil {
			t.Error(err)
		}
	}
	feed(t, l, user("b", ""))
	shut(t, l)
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("files %v, %v", files, err)
	}
	sink, _, events, err := ResumeFile(path)
	if err != nil || len(events) != 2 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	if err := sink.Close(); err != nil {
		t.Error(err)
	}
}

// A turn that is open belongs to its writer: who comes from elsewhere meanwhile
// closes nothing and writes nothing.
//
// proves: A171
func TestOpenTurnIsNotRepairedFromElsewhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	l := newFile(t, path)
	feed(t, l, TurnStart{1}, user("a", "x"), StepStart{1, 1})
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if out := otherProcess(t, path); !strings.Contains(out, "open for writing elsewhere") {
		t.Errorf("the second process says %.500s", out)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the log became %s, %v", after, err)
	}
	feed(t, l, StepEnd{1, 1}, TurnEnd{1, EndReason{Kind: EndCompleted}})
	shut(t, l)
	if _, events, err := Load(path); err != nil || len(events) != 5 {
		t.Errorf("%d events, %v", len(events), err)
	}
}

// The same when the disk is full at first: the file that was made stays ours.
func TestNewFileOnAFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	full, never := true, false
	sink, err := OpenNewFile(path, plainHeader)
	if err != nil {
		t.Fatal(err)
	}
	sink.disk = func(d jsonl.Disk) jsonl.Disk { return failing{d, &full, &never} }
	l, err := New(plainHeader, Options{Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	feed(t, l, user("a", ""))
	var why *Error
	if err := l.Flush(t.Context()); !errors.As(err, &why) || why.Kind != CodeStore {
		t.Errorf("got %v", err)
	}
	full = false
	if err := l.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	shut(t, l)
	if _, events, err := Load(path); err != nil || len(events) != 1 {
		t.Errorf("%d events, %v", len(events), err)
	}
}
