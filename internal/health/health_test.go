package health

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// All checks run at once; one that hangs fails in time, one that heeds its
// context says itself what is wrong.
func TestRunIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		began := time.Now()
		found := Run(t.Context(), 5*time.Second, []Check{
			{"deaf", func(context.Context) Finding { <-end; return Good("late") }},
			{"quick", func(context.Context) Finding { return Good("%d", 1) }},
			{"heedful", func(ctx context.Context) Finding {
				<-ctx.Done()
				return Finding{Level: Warn, Text: "the server is silent"}
			}},
			{"slow", func(context.Context) Finding { time.Sleep(4 * time.Second); return Good("2") }},
		})
		if took := time.Since(began); took != 5500*time.Millisecond {
			t.Errorf("took %s", took)
		}
		want := []Finding{
			{"deaf", Fail, "no answer within 5s", "see what holds it up, then try again"}, {Name: "quick", Level: OK, Text: "1"},
			{Name: "heedful", Level: Warn, Text: "the server is silent"}, {Name: "slow", Level: OK, Text: "2"},
		}
		for i, f := range found {
			if f != want[i] {
				t.Errorf("%+v, want %+v", f, want[i])
			}
		}
		close(end)
	})
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	if f := Folder(dir); f.Level != OK || !strings.HasPrefix(f.Text, dir) {
		t.Errorf("%+v", f)
	}
	if f := Folder(filepath.Join(dir, "not", "yet")); f.Level != OK {
		t.Errorf("%+v", f)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if f := Folder("/proc"); f.Level != Fail || f.Do == "" {
		t.Errorf("%+v", f)
	}
	if f := Space(dir); f.Text == "" {
		t.Errorf("%+v", f)
	}
	if f := Space("/proc/self"); f.Level != Fail {
		t.Errorf("a file system without room: %+v", f)
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 MiB", 5 << 20: "5 MiB", 3 << 29: "1.5 GiB"} {
		if got := bytes(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
