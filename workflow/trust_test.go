package workflow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
)

// TestTrustGoesWithTheCall asks about the root of a run once, about other folders
// of calls, and anew when the run is resumed. Nothing is trusted by itself.
func TestTrustGoesWithTheCall(t *testing.T) {
	var seen []subagent.Lineage
	script := func(r subagent.Request) subagenttest.Script {
		seen = append(seen, r.Lineage)
		return subagenttest.Script{Reply: "x", Outcome: subagent.Failed}
	}
	const body = `await agent('a'); await agent('b', { cwd: 'sub' }); await agent('c', { cwd: 'nested' }); throw new Error('go on later')`
	check := func(tr *trial, want ...bool) {
		t.Helper()
		for i, l := range seen {
			if l.Trusted != want[0] || l.Guided != want[i+1] {
				t.Errorf("call %d: trusted %t, guided %t", i+1, l.Trusted, l.Guided)
			}
		}
		if len(seen) != len(want)-1 {
			t.Errorf("%d calls", len(seen))
		}
		seen = nil
	}

	root := t.TempDir()
	for _, folder := range []string{"sub", "nested"} {
		if err := os.Mkdir(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	req := request(body)
	req.Root = root
	tr := newTrial(t, script)
	tr.run(req)
	check(tr, false, false, false, false)
	if tr.store.header.Trusted {
		t.Error("a run is trusted by itself")
	}

	var asked []string
	trusts := func(root, folder string) bool {
		asked = append(asked, strings.TrimPrefix(folder, root))
		return !strings.HasSuffix(folder, "nested")
	}
	tr = newTrial(t, script)
	tr.engine.cfg.Trusts = trusts
	req.Warnings = []Warning{{Code: "OWN", Message: "of the caller"}}
	res := tr.run(req)
	check(tr, true, true, true, false)
	if got := strings.Join(asked, " "); got != " /sub /nested" || !tr.store.header.Trusted {
		t.Errorf("asked about %q, header %t", got, tr.store.header.Trusted)
	}
	if len(res.Warnings) == 0 || res.Warnings[0].Code != "OWN" {
		t.Errorf("warnings %+v", res.Warnings)
	}

	// A resume asks again.
	again := newTrial(t, script)
	again.store = tr.store.until(len(tr.store.records))
	again.engine.cfg.Store, again.engine.cfg.Trusts = again.store, trusts
	r, err := again.engine.Resume(t.Context(), Resume{Run: *res.RunID})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	check(again, true, true, true, false)

	// Trust that was taken back does not come back with a resume.
	if _, res = tr.resume(len(tr.store.records), Resume{Run: *res.RunID, Warnings: req.Warnings}, script); len(res.Warnings) == 0 || res.Warnings[0].Code != "OWN" {
		t.Errorf("warnings %+v", res.Warnings)
	}
	check(tr, false, false, false, false)
}
