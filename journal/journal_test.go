package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/jsonl"
	"github.com/dsh-go/dsh-workflow/journal/journaltest"
	"github.com/dsh-go/dsh-workflow/workflow"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// proves: W205
func TestDir(t *testing.T) {
	journaltest.Run(t, func(t *testing.T) journaltest.Store {
		return NewDir(filepath.Join(t.TempDir(), "workflow", "runs"), Options{})
	})
}

// proves: W205
func TestMemory(t *testing.T) {
	journaltest.Run(t, func(*testing.T) journaltest.Store { return &Memory{} })
}

const run = workflow.RunID("wf_a")

func create(t *testing.T, d *Dir) workflow.Journal {
	t.Helper()
	j, err := d.Create(t.Context(), journaltest.Header(run), []byte("return 1"))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func appendOne(t *testing.T, j workflow.Journal, n int, sync bool) error {
	t.Helper()
	return j.Append([]workflow.Record{logged(n)}, sync)
}

func logged(n int) workflow.Record {
	return workflow.Record{N: n, Time: time.UnixMilli(int64(n)), Fact: workflow.Logged{Message: fmt.Sprint(n)}}
}

func shut(t testing.TB, j workflow.Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// numbers returns the numbers of the records and the lines that were skipped.
func numbers(t *testing.T, d *Dir) (ns, skipped []int) {
	t.Helper()
	for record, err := range d.Records(run) {
		var skip *Skipped
		switch {
		case errors.As(err, &skip):
			skipped = append(skipped, skip.Line)
		case err != nil:
			t.Fatal(err)
		default:
			ns = append(ns, record.N)
		}
	}
	return ns, skipped
}

func TestFolderOfARun(t *testing.T) {
	d := NewDir(filepath.Join(t.TempDir(), "runs"), Options{Socket: "/run/x.sock"})
	j := create(t, d)
	if err := errors.Join(appendOne(t, j, 1, true), j.Finish(workflow.Result{})); err != nil {
		t.Fatal(err)
	}
	want := map[string]fs.FileMode{".": 0o700 | fs.ModeDir, fileRun: 0o600, fileScript: 0o600, fileRecords: 0o600,
		fileResult: 0o600, fileLock: 0o600, dirSessions: 0o700 | fs.ModeDir}
	got := map[string]fs.FileMode{}
	err := filepath.WalkDir(j.Dir(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		name, _ := filepath.Rel(j.Dir(), path)
		got[name] = info.Mode()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" && runtime.GOOS != "windows" {
		t.Error(d)
	}
	owner := Owner(jsonl.Self())
	owner.Socket = "/run/x.sock"
	header, starter, err := d.Header(run)
	if err != nil || starter != owner {
		t.Errorf("started by %+v, %v", starter, err)
	}
	if d := cmp.Diff(journaltest.Header(run), header, cmpopts.EquateEmpty(), compacted()); d != "" {
		t.Error(d)
	}
	if now, ok := d.Writing(run); !ok || now != owner {
		t.Errorf("written by %+v, %v", now, ok)
	}
	shut(t, j)
	if _, ok := d.Writing(run); ok {
		t.Error("still written after Close")
	}
}

// compacted compares raw JSON without its blanks: run.json is indented.
func compacted() cmp.Option {
	return cmp.Comparer(func(a, b json.RawMessage) bool {
		var x, y bytes.Buffer
		return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && x.String() == y.String()
	})
}

func TestOneWriter(t *testing.T) {
	d := NewDir(t.TempDir(), Options{})
	j := create(t, d)
	_, _, err := d.Reopen(t.Context(), run)
	var why *Error
	if !errors.As(err, &why) || why.Kind != CodeBusy || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("second writer: %v", err)
	}
	if err := d.Remove(run); !errors.As(err, &why) || why.Kind != CodeBusy {
		t.Errorf("remove while it is written: %v", err)
	}
	shut(t, j)
	again, kept, err := d.Reopen(t.Context(), run)
	if err != nil || kept.Mended != nil {
		t.Fatal(err, kept.Mended)
	}
	shut(t, again)
	if err := d.Remove(run); err != nil {
		t.Error(err)
	}
	if ids, err := d.Runs(); len(ids) > 0 || err != nil {
		t.Error(ids, err)
	}
	if _, _, err := d.Reopen(t.Context(), run); !errors.As(err, &why) || why.Kind != CodeUnknown {
		t.Errorf("reopen of a removed run: %v", err)
	}
}

func TestRuns(t *testing.T) {
	d := NewDir(filepath.Join(t.TempDir(), "runs"), Options{})
	if ids, err := d.Runs(); ids != nil || err != nil {
		t.Error(ids, err)
	}
	for _, id := range []workflow.RunID{"wf_b", "wf_a", "wf_c"} {
		j, err := d.Create(t.Context(), journaltest.Header(id), nil)
		if err != nil {
			t.Fatal(err)
		}
		shut(t, j)
	}
	if err := os.Mkdir(d.Path("wf_half"), 0o700); err != nil { // a crash before run.json
		t.Fatal(err)
	}
	ids, err := d.Runs()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]workflow.RunID{"wf_a", "wf_b", "wf_c"}, ids); diff != "" {
		t.Error(diff)
	}
}

// The journal is cut at every byte of its last record; all complete records and
// the new one load.
// proves: C16
func TestCutAtEveryByte(t *testing.T) {
	d := NewDir(t.TempDir(), Options{})
	j := create(t, d)
	for n := range 3 {
		if err := appendOne(t, j, n+1, true); err != nil {
			t.Fatal(err)
		}
	}
	shut(t, j)
	path := filepath.Join(d.Path(run), fileRecords)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	for cut := begin; cut <= len(whole); cut++ {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		last, want := 3, []int{1, 2, 3}
		if cut >= len(whole)-1 {
			last, want = 4, []int{1, 2, 3, 4}
		}
		j, kept, err := d.Reopen(t.Context(), run)
		if err != nil || kept.Mended != nil {
			t.Fatalf("cut at %d: %v, %v", cut, kept.Mended, err)
		}
		if err := appendOne(t, j, last, false); err != nil {
			t.Fatal(err)
		}
		shut(t, j)
		ns, bad := numbers(t, d)
		if d := cmp.Diff(want, ns); d != "" || bad != nil {
			t.Fatalf("cut at %d: %s %v", cut, d, bad)
		}
	}
}

// proves: C16
func TestDamagedJournal(t *testing.T) {
	d := NewDir(t.TempDir(), Options{})
	shut(t, create(t, d))
	line := func(n int, text string) string {
		return fmt.Sprintf(`{"n":%d,"time":1,"type":"Logged","data":{"level":"info","message":%q}}`, n, text)
	}
	big := strings.Repeat("x", 2<<20)
	text := line(1, "a") + "\n" + strings.Repeat("\x00", 99) + "\n" + line(2, "b") + line(3, "c") + "\n\n" +
		`{"n":4,"time":1,"type":"Later","data":{"x":1}}` + "\n" + line(5, big) + "\n" + `{"n":` + "\n" + line(6, "f") + "\n" + line(8, "h") + "\n" + `{"n":9`
	path := filepath.Join(d.Path(run), fileRecords)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ns, skipped := numbers(t, d)
	if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 8}, ns); diff != "" {
		t.Error(diff)
	}
	// Line 9 is good, but it shows that record 7 is missing.
	if diff := cmp.Diff([]int{2, 4, 7, 9, 10}, skipped); diff != "" {
		t.Error(diff)
	}
	var gap *Gap
	if _, _, err := d.Reopen(t.Context(), run); !errors.As(err, &gap) || gap.Line != 9 || !strings.Contains(err.Error(), "record 8 where 7 was expected") {
		t.Errorf("reopened with a gap: %v", err)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != text {
		t.Errorf("a journal that was refused has changed (%v)", err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(text, line(8, "h"), line(7, "h"), 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	j, kept, err := d.Reopen(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, err := range kept.Mended {
		lines = append(lines, err.(*Skipped).Line)
	}
	if diff := cmp.Diff([]int{2, 4, 7}, lines); diff != "" {
		t.Error(diff)
	}
	if err := appendOne(t, j, 8, true); err != nil {
		t.Fatal(err)
	}
	shut(t, j)
	ns, skipped = numbers(t, d)
	if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8}, ns); diff != "" || skipped != nil {
		t.Error(diff, skipped)
	}
}

// faults is a disk that fails while told to.
type faults struct {
	jsonl.Disk
	on *switches
}

type switches struct{ full, short, sync, truncate bool }

var errDisk = errors.New("no space left on device")

func (d faults) Write(p []byte) (int, error) {
	switch {
	case d.on.full:
		return 0, errDisk
	case d.on.short:
		return d.Disk.Write(p[:len(p)/2])
	}
	return d.Disk.Write(p)
}

func (d faults) Sync() error {
	if d.on.sync {
		return errDisk
	}
	return d.Disk.Sync()
}

func (d faults) Truncate(n int64) error {
	if d.on.truncate {
		return errDisk
	}
	return d.Disk.Truncate(n)
}

// Whatever the disk refuses, no batch is said to be kept that is not, the same
// batch can be appended again, and in the end every record stands there once.
func TestFailingDisk(t *testing.T) {
	for name, fail := range map[string]switches{
		"full": {full: true}, "short write": {short: true}, "sync": {sync: true},
		"nothing works": {short: true, sync: true, truncate: true},
	} {
		t.Run(name, func(t *testing.T) {
			on := &switches{}
			d := NewDir(t.TempDir(), Options{disk: func(inner jsonl.Disk) jsonl.Disk { return faults{inner, on} }})
			j := create(t, d)
			n := 0
			must := func(sync bool) {
				t.Helper()
				n++
				if err := appendOne(t, j, n, sync); err != nil {
					t.Fatal(err)
				}
			}
			must(true)
			must(false) // acknowledged as appended only: a failed sync may take it along
			*on = fail
			for range 3 {
				err := appendOne(t, j, n+1, true)
				var why *Error
				if !errors.As(err, &why) || why.Kind != CodeWrite {
					t.Fatalf("acknowledged: %v", err)
				}
			}
			*on = switches{}
			must(true)
			must(false)
			shut(t, j)
			ns, skipped := numbers(t, d)
			if diff := cmp.Diff([]int{1, 2, 3, 4}, ns); diff != "" || skipped != nil {
				t.Error(diff, skipped)
			}
		})
	}
}

// A record that was appended without a sync comes back when a later sync fails
// and the next append needs none.
func TestLostRecordReturnsWithoutSync(t *testing.T) {
	on := &switches{}
	d := NewDir(t.TempDir(), Options{disk: func(inner jsonl.Disk) jsonl.Disk { return faults{inner, on} }})
	j := create(t, d)
	if err := appendOne(t, j, 1, false); err != nil {
		t.Fatal(err)
	}
	on.sync = true
	if err := appendOne(t, j, 2, true); !errors.Is(err, errDisk) {
		t.Fatal(err)
	}
	if ns, _ := numbers(t, d); ns != nil {
		t.Errorf("a failed sync left %v", ns)
	}
	if err := appendOne(t, j, 2, false); err != nil {
		t.Fatal(err)
	}
	if ns, _ := numbers(t, d); !cmp.Equal(ns, []int{1, 2}) {
		t.Error(ns)
	}
	on.sync = false
	shut(t, j)
	if ns, _ := numbers(t, d); !cmp.Equal(ns, []int{1, 2}) {
		t.Error(ns)
	}
}

func TestFailedCreateLeavesNoFolder(t *testing.T) {
	root := t.TempDir()
	d := NewDir(root, Options{})
	h := journaltest.Header(run)
	h.Args = json.RawMessage(`{"broken`)
	var why *Error
	if _, err := d.Create(t.Context(), h, nil); !errors.As(err, &why) || why.Kind != CodeWrite {
		t.Errorf("got %v", err)
	}
	if entries, err := os.ReadDir(root); len(entries) > 0 || err != nil {
		t.Error(entries, err)
	}
	shut(t, create(t, d))
}

func TestDamagedRunFile(t *testing.T) {
	d := NewDir(t.TempDir(), Options{})
	shut(t, create(t, d))
	if err := os.WriteFile(filepath.Join(d.Path(run), fileRun), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	var why *Error
	if _, _, err := d.Header(run); !errors.As(err, &why) || why.Kind != CodeDamaged || !strings.Contains(err.Error(), fileRun) {
		t.Errorf("got %v", err)
	}
}

// FuzzRecords: reading never fails on what a journal holds, and what is read can
// be written again.
func FuzzRecords(f *testing.F) {
	for _, record := range journaltest.Records(1) {
		line, err := json.Marshal(record)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(append(line, '\n'))
	}
	f.Add([]byte("{}\n\x00[1]{\"n\":1}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d := NewDir(t.TempDir(), Options{})
		if err := os.MkdirAll(d.Path(run), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string][]byte{fileRun: []byte("{}"), fileRecords: text} {
			if err := os.WriteFile(filepath.Join(d.Path(run), name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for record, err := range d.Records(run) {
			var skipped *Skipped
			if err != nil && !errors.As(err, &skipped) {
				t.Fatal(err)
			}
			if err != nil {
				continue
			}
			if _, err := json.Marshal(record); err != nil {
				t.Errorf("%q gave a record that cannot be written: %v", text, err)
			}
		}
	})
}
