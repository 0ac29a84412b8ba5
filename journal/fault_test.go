package journal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/jsonl"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// failing is a disk that has room for so many bytes, and then fails for a while.
type failing struct {
	jsonl.Disk
	at *failure
}

// failure is how a disk fails. Concurrency: mu guards room and since.
type failure struct {
	err   error
	syncs bool          // the sync behind the byte fails, and not the write
	last  time.Duration // from the first failure on

	mu    sync.Mutex
	room  int
	since time.Time
}

func (f *failure) failed(n int) (int, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.room >= n {
		f.room -= n
		return n, false
	}
	if f.since.IsZero() {
		f.since = time.Now()
	}
	if time.Since(f.since) >= f.last {
		return n, false
	}
	fits := f.room
	f.room = 0
	return fits, true
}

func (d failing) Write(p []byte) (int, error) {
	n, failed := d.at.failed(len(p))
	if !failed || d.at.syncs {
		return d.Disk.Write(p)
	}
	n, err := d.Disk.Write(p[:n])
	return n, errors.Join(err, d.at.err)
}

func (d failing) Sync() error {
	if _, failed := d.at.failed(0); d.at.syncs && (failed || d.at.now()) {
		return d.at.err
	}
	return d.Disk.Sync()
}

// now says whether the failure is going on.
func (f *failure) now() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.since.IsZero() && time.Since(f.since) < f.last
}

// TestDiskFailsAtAnyByte has the disk of a run's journal fail, full at every byte
// of the record of an end, and full, broken at the sync or read-only at places all
// over the journal. While it fails no agent starts, and when it works again
// nothing is lost.
func TestDiskFailsAtAnyByte(t *testing.T) {
	whole := runOn(t, nil)
	from := bytes.LastIndexByte(whole[:bytes.Index(whole, []byte(`"AgentEnded"`))], '\n') + 1
	to := from + bytes.IndexByte(whole[from:], '\n') + 1
	for name, c := range map[string]struct {
		failure        *failure
		from, to, step int
	}{
		"ENOSPC":       {&failure{err: syscall.ENOSPC}, from, to, 1},
		"EIO at syncs": {&failure{err: syscall.EIO, syncs: true}, 0, len(whole), 97},
		"EROFS":        {&failure{err: syscall.EROFS}, 0, len(whole), 89},
	} {
		t.Run(name, func(t *testing.T) {
			for room := c.from; room < c.to; room += c.step {
				synctest.Test(t, func(t *testing.T) {
					runOn(t, &failure{err: c.failure.err, syncs: c.failure.syncs, last: 20 * time.Second, room: room})
				})
			}
		})
	}
}

// runOn runs a script on a disk that fails and returns its journal.
func runOn(t *testing.T, f *failure) []byte {
	t.Helper()
	var o Options
	if f != nil {
		o.disk = func(d jsonl.Disk) jsonl.Disk { return failing{d, f} }
	}
	d := NewDir(t.TempDir(), o)
	agents := subagenttest.NewScriptedFunc("spawn", func(r subagent.Request) subagenttest.Script {
		if f != nil && f.now() && time.Since(f.since) > time.Second {
			t.Errorf("agent %q was started while the journal could not be written", r.Prompt)
		}
		return subagenttest.Script{Reply: r.Prompt, Delay: 100 * time.Millisecond}
	})
	providers, err := subagent.NewRegistry(agents)
	if err != nil {
		t.Fatal(err)
	}
	e, err := workflow.New(workflow.Config{Providers: providers, Store: d})
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Start(t.Context(), workflow.Request{Root: "/", Source: `export const meta = { name: 'n', description: 'd' }
		const a = await agent('a'); return [a, await agent('b')]`})
	res := finished(t, r, err)
	if string(res.Value) != `["a","b"]` || len(res.Warnings) > 0 {
		t.Errorf("value %s, warnings %+v", res.Value, res.Warnings)
	}
	raw, err := os.ReadFile(filepath.Join(r.Dir(), fileRecords))
	if err != nil {
		t.Fatal(err)
	}
	ends := 0
	for rec, err := range d.Records(*res.RunID) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := rec.Fact.(workflow.AgentEnded); ok {
			ends++
		}
	}
	if ends != 2 {
		t.Errorf("%d ends", ends)
	}
	return raw
}

// TestCutAtEveryByteIsResumed cuts a journal at every byte of the record of an
// end, and resumes: the agent whose end is whole does not run again, the other
// does.
//
// proves: C16
func TestCutAtEveryByteIsResumed(t *testing.T) {
	d := NewDir(t.TempDir(), Options{})
	e := resumable(t, d)
	r, err := e.Start(t.Context(), fan(3))
	id := *finished(t, r, err).RunID
	path, records := unfinished(t, d, id)
	begin := bytes.LastIndexByte(records[:len(records)-1], '\n') + 1
	for cut := begin; cut <= len(records); cut++ {
		if err := os.WriteFile(path, records[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		kept := 2
		if cut >= len(records)-1 {
			kept = 3
		}
		r, err := e.Resume(t.Context(), workflow.Resume{Run: id})
		res := finished(t, r, err)
		if string(res.Value) != "3" || res.Agents.Replayed != kept || len(res.Warnings) > 0 {
			t.Fatalf("cut at %d of %d: value %s, %+v, warnings %+v", cut, len(records), res.Value, res.Agents, res.Warnings)
		}
		last := 0
		for rec, err := range d.Records(id) {
			if last++; err != nil || rec.N != last {
				t.Fatalf("cut at %d: %v, record %d at place %d", cut, err, rec.N, last)
			}
		}
	}
}
