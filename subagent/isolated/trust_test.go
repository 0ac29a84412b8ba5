package isolated_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/isolated"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
)

// A tree is made by git, which runs what the repository says: not in one that the
// user does not trust.
func TestNoTreeInAnUntrustedRepository(t *testing.T) {
	r := newRig(t, nil, subagenttest.Script{Reply: "done"})
	mark := filepath.Join(r.run, "hooked")
	hook := filepath.Join(r.top, ".git", "hooks", "post-checkout")
	r.write(hook, "#!/bin/sh\nmkdir -p '"+r.run+"'; touch '"+mark+"'\n")
	if err := os.Chmod(hook, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, l := range []subagent.Lineage{{}, {Trusted: true}} {
		req := r.request()
		req.Lineage.Trusted, req.Lineage.Guided = l.Trusted, l.Guided
		_, err := r.provider.Start(t.Context(), req)
		var coded *subagent.Error
		if !errors.As(err, &coded) || coded.Kind != isolated.CodeWorktree || !strings.Contains(err.Error(), "dsh-workflow trust add") {
			t.Errorf("%+v: %v", l, err)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Error("a hook of the repository ran")
		}
	}
}
