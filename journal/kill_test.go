package journal

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/dsh-go/dsh-workflow/journal/journaltest"
)

const killEnv = "JOURNAL_TEST_ROOT"

// A process that appends records and says after each which one is kept is killed
// in the middle. What it said is there, the run is not written by anybody, and
// another process goes on with it.
func TestKilledWriter(t *testing.T) {
	for _, after := range []int{1, 7, 40} {
		root := t.TempDir()
		acknowledged := killedAfter(t, root, after)
		d := NewDir(root, Options{})
		if owner, ok := d.Writing(run); ok {
			t.Errorf("a dead process writes: %+v", owner)
		}
		j, _, err := d.Reopen(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		ns, skipped := numbers(t, d)
		if len(ns) < acknowledged || skipped != nil {
			t.Errorf("%d records, %d were acknowledged, skipped %v", len(ns), acknowledged, skipped)
		}
		if err := appendOne(t, j, len(ns)+1, true); err != nil {
			t.Error(err)
		}
		shut(t, j)
		for i, n := range mustNumbers(t, d) {
			if n != i+1 {
				t.Fatalf("record %d at place %d", n, i+1)
			}
		}
	}
}

func mustNumbers(t *testing.T, d *Dir) []int {
	t.Helper()
	ns, skipped := numbers(t, d)
	if skipped != nil {
		t.Errorf("skipped %v", skipped)
	}
	return ns
}

// killedAfter starts a writer, kills it when it has acknowledged so many records
// and returns the last number that it said.
func killedAfter(t *testing.T, root string, records int) (last int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.StartProcess(self, []string{self, "-test.run=^TestWriterToKill$"}, &os.ProcAttr{
		Env: append(os.Environ(), killEnv+"="+root), Files: []*os.File{nil, w, os.Stderr},
	})
	if err != nil {
		t.Fatal(err)
	}
	err = w.Close()
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if last, err = strconv.Atoi(lines.Text()); err != nil {
			t.Fatalf("the writer said %q", lines.Text())
		}
		if last == records {
			err = process.Kill()
		}
	}
	_, waitErr := process.Wait()
	if err := errors.Join(err, waitErr, r.Close()); err != nil || last < records {
		t.Fatal(last, err)
	}
	return last
}

func TestWriterToKill(t *testing.T) {
	root := os.Getenv(killEnv)
	if root == "" {
		t.Skip("the writer of another test")
	}
	j, err := NewDir(root, Options{}).Create(t.Context(), journaltest.Header(run), nil)
	for n := 1; err == nil; n++ {
		if err = appendOne(t, j, n, true); err == nil {
			_, err = fmt.Println(n)
		}
	}
	t.Error(err)
}
