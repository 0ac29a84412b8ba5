package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTailReadsAGrowingLog writes a log in pieces that end anywhere and takes
// some of it back, as a sink does whose write failed.
func TestTailReadsAGrowingLog(t *testing.T) {
	l, whole := onDisk(t)
	talk(t, l, 1)
	talk(t, l, 2)
	shut(t, l)
	_, want, err := Load(whole)
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, whole)
	path := filepath.Join(t.TempDir(), "grows.jsonl")
	tail := NewTail(path)
	var got []Event
	look := func() {
		t.Helper()
		events, more, err := tail.Next()
		if err != nil || more {
			t.Fatalf("%v, more %v", err, more)
		}
		got = append(got, events...)
	}
	look()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for from := 0; from < len(text); from += 7 {
		if _, err := file.Write(text[from:min(from+7, len(text))]); err != nil {
			t.Fatal(err)
		}
		if from%5 == 0 {
			look()
		}
	}
	look()
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if err := file.Truncate(int64(len(text) / 2)); err != nil {
		t.Fatal(err)
	}
	look()
	if len(got) != len(want) {
		t.Errorf("%d events after a cut, want %d", len(got), len(want))
	}
}

func TestTailReadsALongLine(t *testing.T) {
	l, path := onDisk(t)
	feed(t, l, TurnStart{1}, user("u", strings.Repeat("x", 3*tailChunk)), ended(1))
	shut(t, l)
	tail, n := NewTail(path), 0
	for more := true; more; {
		var events []Event
		var err error
		if events, more, err = tail.Next(); err != nil {
			t.Fatal(err)
		}
		n += len(events)
	}
	if n != 3 {
		t.Errorf("%d events, want 3", n)
	}
}
