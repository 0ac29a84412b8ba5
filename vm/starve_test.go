package vm

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// busy keeps every processor busy with goroutines of its own until it is told to
// stop.
func busy(t *testing.T) (stop func()) {
	t.Helper()
	var done atomic.Bool
	var all sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		all.Add(1)
		go func() {
			defer all.Done()
			for !done.Load() {
			}
		}()
	}
	return func() {
		done.Store(true)
		all.Wait()
	}
}

// TestBusyMachineFailsNoScript has a short stretch of script share the
// processors with many others: its bound counts what it used, not what passed.
func TestBusyMachineFailsNoScript(t *testing.T) {
	if _, known := bindThread().used(); !known {
		thread{}.release()
		t.Skip("the processor time of a thread is not known on this system: stretches are measured by the clock")
	}
	thread{}.release()
	defer busy(t)()
	const limit = 300 * time.Millisecond
	begin := time.Now()
	_, err := InProcess{Options{SyncLimit: limit}}.Run(t.Context(),
		Script{Name: "short", Body: `let n = 0; for (let i = 0; i < 4e5; i++) n += i; return n`}, quietHost{})
	t.Logf("the stretch took %s", time.Since(begin))
	if err != nil {
		t.Errorf("a short stretch was ended: %v", err)
	}
	begin = time.Now()
	_, err = InProcess{Options{SyncLimit: limit}}.Run(context.Background(), Script{Name: "endless", Body: `for (;;) {}`}, quietHost{})
	var over *LimitError
	if !errors.As(err, &over) || over.Limit != CodeSyncTimeout {
		t.Errorf("an endless stretch gave %v", err)
	}
	if took := time.Since(begin); took > 2*starvation*limit {
		t.Errorf("an endless stretch took %s", took)
	}
}
