package jsonl_test

import (
	"bytes"
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
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// write makes a file with the given content.
func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// values returns what a file holds and the numbers of the lines that were skipped.
func values(t *testing.T, path string) (good []string, skipped []int) {
	t.Helper()
	for line, err := range jsonl.Scan(path) {
		if err != nil {
			t.Fatal(err)
		}
		if line.Value == nil {
			skipped = append(skipped, line.Number)
			continue
		}
		good = append(good, string(line.Value))
	}
	return good, skipped
}

// addOne opens the file, appends value and closes it.
func addOne(t *testing.T, path, value string) jsonl.Report {
	t.Helper()
	f, report, err := jsonl.Open(path, jsonl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Append([]byte(value)), f.Sync()); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	return report
}

func TestNewFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "log.jsonl")
	addOne(t, path, `{"n":1}`)
	addOne(t, path, `{"n":2}`)
	good, skipped := values(t, path)
	if d := cmp.Diff([]string{`{"n":1}`, `{"n":2}`}, good); d != "" || skipped != nil {
		t.Error(d, skipped)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for name, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700 | fs.ModeDir} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", name, info.Mode(), want)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("files left behind: %v %v", entries, err)
	}
}

// The last record is cut at every byte; all that is complete, and the new one,
// load every time.
// proves: C16
func TestCutAtEveryByte(t *testing.T) {
	const first, last = `{"n":1,"text":"a\"}{"}`, `{"n":2,"data":{"deep":[1,{"x":"é"}]},"v":12}`
	whole := first + "\n" + last + "\n"
	for cut := len(first) + 1; cut <= len(whole); cut++ {
		path := write(t, whole[:cut])
		report := addOne(t, path, `{"n":3}`)
		want := []string{first, `{"n":3}`}
		if cut >= len(whole)-1 { // only the newline is missing, or nothing
			want = []string{first, last, `{"n":3}`}
		} else if int(report.Torn) != cut-len(first)-1 {
			t.Errorf("cut at %d: %d bytes reported", cut, report.Torn)
		}
		good, skipped := values(t, path)
		if d := cmp.Diff(want, good); d != "" || skipped != nil {
			t.Errorf("cut at %d: %s %v", cut, d, skipped)
		}
		if now := content(t, path); now != strings.Join(want, "\n")+"\n" {
			t.Errorf("cut at %d: the file is %q", cut, now)
		}
	}
}

// proves: C16
func TestDamageInTheMiddle(t *testing.T) {
	nul := strings.Repeat("\x00", 600)
	big := `{"big":"` + strings.Repeat("x", 20<<20) + `"}`
	for _, test := range []struct {
		name    string
		content string
		good    []string
		skipped []int
	}{
		{"NUL run before a record", "{\"n\":1}\n" + nul + "{\"n\":2}\n", []string{`{"n":1}`, `{"n":2}`}, nil},
		{"line of NUL", "{\"n\":1}\n" + nul + "\n{\"n\":2}\n", []string{`{"n":1}`, `{"n":2}`}, []int{2}},
		{"NUL tail", "{\"n\":1}\n" + nul, []string{`{"n":1}`}, []int{2}},
		{"glued", "{\"n\":1}{\"n\":2}\n{\"n\":3}\n", []string{`{"n":1}`, `{"n":2}`, `{"n":3}`}, nil},
		{"glued to a torn one", "{\"n\":1}{\"n\n{\"n\":3}\n", []string{`{"n":1}`, `{"n":3}`}, []int{1}},
		{"glued at the end", "{\"n\":1}\n{\"n\":2}{\"n\":3}", []string{`{"n":1}`, `{"n":2}`, `{"n":3}`}, nil},
		{"empty lines", "\n{\"n\":1}\n\n\n{\"n\":2}\n", []string{`{"n":1}`, `{"n":2}`}, []int{1, 3, 4}},
		{"no records", "12\n\"x\"\nnull\n{\"n\":1}\n", []string{`{"n":1}`}, []int{1, 2, 3}},
		{"prose", "{\"n\":1}\nhello\n{\"n\":2}\n", []string{`{"n":1}`, `{"n":2}`}, []int{2}},
		{"20 MB line", big + "\n{\"n\":2}\n", []string{big, `{"n":2}`}, nil},
		{"empty file", "", nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, test.content)
			good, skipped := values(t, path)
			if d := cmp.Diff(test.good, good); d != "" {
				t.Errorf("read: %.500s", d)
			}
			if d := cmp.Diff(test.skipped, skipped); d != "" {
				t.Errorf("skipped: %s", d)
			}
			report := addOne(t, path, `{"new":true}`)
			var reported []int
			for _, line := range report.Skipped {
				reported = append(reported, line.Number)
				if line.Skipped == "" {
					t.Error("skipped without a reason")
				}
			}
			if d := cmp.Diff(test.skipped, reported); d != "" || report.Values != len(test.good) {
				t.Errorf("report: %s, %d values", d, report.Values)
			}
			good, skipped = values(t, path)
			if d := cmp.Diff(append(test.good, `{"new":true}`), good); d != "" || skipped != nil {
				t.Errorf("after repair: %.500s %v", d, skipped)
			}
			if again := addOne(t, path, `{}`); again.Damaged != "" || again.Skipped != nil || again.Mended > 0 {
				t.Errorf("repaired twice: %+v", again)
			}
			if report.Damaged == "" {
				return
			}
			kept, err := os.ReadFile(report.Damaged)
			if err != nil || string(kept) != test.content {
				t.Error("the damaged original was not kept:", err)
			}
		})
	}
}

func TestOneWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	f, _, err := jsonl.Open(path, jsonl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var locked *jsonl.LockedError
	if _, _, err := jsonl.Open(path, jsonl.Options{}); !errors.As(err, &locked) {
		t.Fatalf("second writer: %v", err)
	}
	if locked.Owner.PID != os.Getpid() || !strings.Contains(locked.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("the error does not name the owner: %v", locked)
	}
	if owner, held := jsonl.Held(path + ".lock"); !held || owner.PID != os.Getpid() {
		t.Errorf("Held: %v %v", owner, held)
	}
	if err := f.Append([]byte(`{"n":1}`)); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, held := jsonl.Held(path + ".lock"); held {
		t.Error("still held")
	}
	addOne(t, path, `{"n":2}`)
}

// Looking at a lock does not keep a writer out.
func TestLookingDoesNotLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				jsonl.Held(path)
				time.Sleep(100 * time.Microsecond)
			}
		}
	}()
	for range 200 {
		lock, err := jsonl.Acquire(path, jsonl.Owner{PID: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := lock.Release(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	<-done
}

func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := jsonl.Create(path, jsonl.Options{})
	if err != nil {
		t.Fatal("an empty file counts as none:", err)
	}
	if err := errors.Join(f.Append([]byte(`{}`)), f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := jsonl.Create(path, jsonl.Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second create: %v", err)
	}
	if _, held := jsonl.Held(path + ".lock"); held {
		t.Error("a refused create holds the lock")
	}
}

func TestTruncate(t *testing.T) {
	path := write(t, "{\"n\":1}\n{\"n\":2}\n")
	f, _, err := jsonl.Open(path, jsonl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(99); err == nil {
		t.Error("a file grows by truncation")
	}
	if err := errors.Join(f.Truncate(8), f.Append([]byte(`{"n":3}`)), f.Close()); err != nil {
		t.Fatal(err)
	}
	if good, _ := values(t, path); !cmp.Equal(good, []string{`{"n":1}`, `{"n":3}`}) {
		t.Error(good)
	}
}

// faults is a disk that fails when told to.
type faults struct {
	jsonl.Disk
	short    int // bytes that the next write takes before it fails; -1 for none
	sync     bool
	truncate bool
}

var errDisk = errors.New("no space left on device")

func (d *faults) Write(p []byte) (int, error) {
	if d.short >= 0 {
		n, err := d.Disk.Write(p[:min(d.short, len(p))])
		return n, errors.Join(err, errDisk)
	}
	return d.Disk.Write(p)
}

func (d *faults) Sync() error {
	if d.sync {
		return errDisk
	}
	return d.Disk.Sync()
}

func (d *faults) Truncate(size int64) error {
	if d.truncate {
		return errors.New("input/output error")
	}
	return d.Disk.Truncate(size)
}

func openFaulty(t *testing.T, path string) (*jsonl.File, *faults) {
	t.Helper()
	disk := &faults{short: -1}
	f, _, err := jsonl.Open(path, jsonl.Options{Disk: func(d jsonl.Disk) jsonl.Disk {
		disk.Disk = d
		return disk
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f, disk
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFailedWriteLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	f, disk := openFaulty(t, path)
	if err := f.Append([]byte(`{"n":1}`)); err != nil {
		t.Fatal(err)
	}
	for short := range 9 {
		disk.short = short
		if err := f.Append([]byte(`{"n":2}`)); !errors.Is(err, errDisk) {
			t.Fatalf("short write of %d: %v", short, err)
		}
		if got := content(t, path); got != "{\"n\":1}\n" {
			t.Fatalf("short write of %d left %q", short, got)
		}
	}
	disk.short = -1
	if err := f.Append([]byte(`{"n":2}`)); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != "{\"n\":1}\n{\"n\":2}\n" {
		t.Errorf("after the retry: %q", got)
	}
}

// The write fails, and so does the cut; both are told, and nothing is appended
// behind the wreck.
// proves: A84
func TestFailedCutIsTriedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	f, disk := openFaulty(t, path)
	disk.short, disk.truncate = 3, true
	err := f.Append([]byte(`{"n":1}`))
	if !errors.Is(err, errDisk) || !strings.Contains(err.Error(), "input/output") {
		t.Errorf("double failure: %v", err)
	}
	disk.short = -1
	if err := f.Append([]byte(`{"n":1}`)); err == nil {
		t.Error("appended behind a wreck")
	}
	disk.truncate = false
	if err := f.Append([]byte(`{"n":1}`)); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != "{\"n\":1}\n" {
		t.Errorf("got %q", got)
	}
}

func TestFailedSyncCutsToTheLastGoodOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	f, disk := openFaulty(t, path)
	if err := errors.Join(f.Append([]byte(`{"n":1}`)), f.Sync(), f.Append([]byte(`{"n":2}`), []byte(`{"n":3}`))); err != nil {
		t.Fatal(err)
	}
	disk.sync = true
	if err := f.Sync(); !errors.Is(err, errDisk) {
		t.Fatal(err)
	}
	if got := content(t, path); got != "{\"n\":1}\n" || f.Size() != 8 {
		t.Errorf("got %q", got)
	}
	disk.sync = false
	if err := errors.Join(f.Append([]byte(`{"n":2}`)), f.Sync()); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != "{\"n\":1}\n{\"n\":2}\n" {
		t.Errorf("got %q", got)
	}
}

// FuzzRepair: whatever a file holds, it opens, takes a record, loses no value
// that could be read before, and is valid from then on.
func FuzzRepair(f *testing.F) {
	for _, seed := range []string{"", "\n", "{}", "{}\n", "{\"a\":1}{\"b\":2}\n", "{\"a\n", "\x00\x00{}\n", "[1]\n1\n", "{}\r\n", " {}", "{}{", "\x00", "{\"a\":1}\n{\"b\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := write(t, string(text))
		before, _ := values(t, path)
		addOne(t, path, `{"new":1}`)
		after, skipped := values(t, path)
		if d := cmp.Diff(append(before, `{"new":1}`), after, cmpopts.EquateEmpty()); d != "" || skipped != nil {
			t.Errorf("%q: %s %v", text, d, skipped)
		}
		if now := content(t, path); !strings.HasSuffix(now, "\n") || bytes.Contains([]byte(now), []byte("\x00")) {
			t.Errorf("%q became %q", text, now)
		}
	})
}
