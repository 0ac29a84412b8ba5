package journal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dsh-go/dsh-workflow/workflow"
)

// TestLookStaysInside asks for sessions whose ids, which a damaged journal may
// hold, lead out of the run's folder.
func TestLookStaysInside(t *testing.T) {
	d := NewDir(t.TempDir(), Options{})
	j, err := d.Create(t.Context(), workflow.Header{RunID: "wf_1"}, []byte("1"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	path, err := d.Session("wf_1", "c1")
	if want := filepath.Join(d.Path("wf_1"), "sessions", "c1.jsonl"); err != nil || path != want {
		t.Errorf("%q, %v", path, err)
	}
	var why *Error
	for _, child := range []string{"", ".", "..", "../run", "/etc/x", `a\b`, "a/b"} {
		if path, err := d.Session("wf_1", child); !errors.As(err, &why) || why.Kind != CodeDamaged {
			t.Errorf("%q: %q, %v", child, path, err)
		}
	}
	for _, id := range []workflow.RunID{"..", "wf_2", ""} {
		if _, err := d.Size(id); !errors.As(err, &why) {
			t.Errorf("size of %q: %v", id, err)
		}
		if n := d.RecordsSize(id); n != 0 {
			t.Errorf("records of %q: %d", id, n)
		}
	}
	before, err := d.Size("wf_1")
	if err != nil {
		t.Fatal(err)
	}
	big := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(big, make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(big, filepath.Join(d.Path("wf_1"), "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.Path("wf_1"), "sessions", "c1.jsonl"), make([]byte, 10), 0o600); err != nil {
		t.Fatal(err)
	}
	if after, err := d.Size("wf_1"); err != nil || after != before+10 {
		t.Errorf("%d, then %d, %v", before, after, err)
	}
}
