//go:build unix

package lint_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/dsh-go/dsh-workflow/lint"
)

// processor is the time that this process has used. Other processes of a busy
// machine do not count in it.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// The time grows as the script does.
func TestLinear(t *testing.T) {
	least := func(size int) time.Duration {
		source := big(size)
		best := time.Hour
		for range 2 {
			start := processor(t)
			if _, err := lint.Check(lint.Script{Source: source, Body: source}, lint.Options{}); err != nil {
				t.Fatal(err)
			}
			best = min(best, processor(t)-start)
		}
		return best
	}
	small, large := least(64<<10), least(511<<10)
	if t.Logf("64 KiB take %v, 511 KiB take %v", small, large); large > 24*small {
		t.Errorf("64 KiB take %v, 511 KiB take %v", small, large)
	}
}
