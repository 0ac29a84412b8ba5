package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh-workflow/journal/journaltest"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// resumable makes an engine over a store on disk, with agents that answer at once.
func resumable(tb testing.TB, d *Dir) *workflow.Engine {
	tb.Helper()
	agents := subagenttest.NewScriptedFunc("spawn", func(r subagent.Request) subagenttest.Script {
		return subagenttest.Script{Reply: r.Prompt}
	})
	providers, err := subagent.NewRegistry(agents)
	if err != nil {
		tb.Fatal(err)
	}
	e, err := workflow.New(workflow.Config{Providers: providers, Store: d, Limits: workflow.Limits{Agents: 1 << 20, Items: 1 << 20}})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func finished(tb testing.TB, r *workflow.Run, err error) workflow.Result {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
	res, err := r.Wait(tb.Context())
	if err != nil || res.Status != workflow.StatusCompleted {
		tb.Fatalf("%v: %s %+v", err, res.Status, res.Error)
	}
	return res
}

// unfinished is the journal of a run without its end, as a crash would leave it.
func unfinished(tb testing.TB, d *Dir, id workflow.RunID) (path string, records []byte) {
	tb.Helper()
	path = filepath.Join(d.Path(id), fileRecords)
	raw, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return path, raw[:bytes.LastIndexByte(raw[:len(raw)-1], '\n')+1]
}

func fan(n int) workflow.Request {
	return workflow.Request{Root: "/", Source: fmt.Sprintf(`export const meta = { name: 'fan', description: 'd' }
		return (await parallel(Array.from({ length: %d }, (_, i) => () => agent('agent number ' + i)))).length`, n)}
}

// BenchmarkResume replays a run of a thousand agents from a journal on disk.
func BenchmarkResume(b *testing.B) {
	d := NewDir(b.TempDir(), Options{})
	e := resumable(b, d)
	r, err := e.Start(b.Context(), fan(1000))
	id := *finished(b, r, err).RunID
	path, records := unfinished(b, d, id)
	for b.Loop() {
		b.StopTimer()
		if err := os.WriteFile(path, records, 0o600); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		r, err := e.Resume(b.Context(), workflow.Resume{Run: id})
		if res := finished(b, r, err); res.Agents.Replayed != 1000 {
			b.Fatalf("%+v", res.Agents)
		}
	}
}

// large writes a journal of so many records, each value of which has size bytes.
func large(tb testing.TB, d *Dir, records, size int) workflow.RunID {
	tb.Helper()
	h := journaltest.Header(run)
	h.Root, h.Cwd = "/", "/"
	j, err := d.Create(tb.Context(), h, []byte(`export const meta = { name: 'n', description: 'd' }; return 1`))
	if err != nil {
		tb.Fatal(err)
	}
	value, err := json.Marshal(strings.Repeat("v", size))
	if err != nil {
		tb.Fatal(err)
	}
	batch := []workflow.Record{{N: 1, Fact: workflow.RunStarted{Format: 1, Name: "n"}}}
	add := func(f workflow.Fact) {
		batch = append(batch, workflow.Record{N: batch[len(batch)-1].N + 1, Time: time.UnixMilli(1), Fact: f})
	}
	for seq := workflow.Seq(1); batch[len(batch)-1].N < records; seq++ {
		key := fmt.Sprintf("k1:%064d", seq)
		add(workflow.AgentQueued{Seq: seq, Label: "agent", Key: key})
		add(workflow.AgentStarted{Seq: seq, Child: "c"})
		add(workflow.AgentEnded{Seq: seq, Child: "c", Outcome: subagent.Completed, Key: key, Value: value})
		if len(batch) > 1000 {
			if err := j.Append(batch[:len(batch)-1], false); err != nil {
				tb.Fatal(err)
			}
			batch = batch[len(batch)-1:]
		}
	}
	if err := j.Append(batch, true); err != nil {
		tb.Fatal(err)
	}
	shut(tb, j)
	return run
}

// BenchmarkOpen opens a journal of a hundred thousand records for a resume.
func BenchmarkOpen(b *testing.B) {
	d := NewDir(b.TempDir(), Options{})
	id := large(b, d, 100_000, 100)
	e := resumable(b, d)
	for b.Loop() {
		if _, err := e.Plan(b.Context(), workflow.Resume{Run: id}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestOpeningKeepsNoValues holds the memory that a large journal takes while its
// run is resumed: the values stay on disk.
func TestOpeningKeepsNoValues(t *testing.T) {
	d := NewDir(t.TempDir(), Options{})
	id := large(t, d, 6_000, 20_000) // 40 MB of values
	kept, err := d.Look(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	n := 0
	for r, err := range kept.Records {
		if err != nil {
			t.Fatal(err)
		}
		n = r.N
	}
	if grown := heap() - before; grown > 4<<20 {
		t.Errorf("%d records left %d bytes", n, grown)
	}
	for _, i := range []int{1, 4, n} {
		if r, err := kept.Record(i); err != nil || r.N != i {
			t.Errorf("record %d: %+v, %v", i, r, err)
		}
	}
	if _, err := kept.Record(n + 1); err == nil {
		t.Error("a record that is not there")
	}
}
