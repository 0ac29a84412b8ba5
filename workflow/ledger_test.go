package workflow

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
)

// TestFullDiskLosesNothing has the journal refuse for a while in the middle of a
// run: nothing starts meanwhile, and nothing that ended is lost.
func TestFullDiskLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
			return subagenttest.Script{Reply: r.Prompt, Delay: time.Minute}
		})
		req := request(`return await pipeline(['a', 'b'], (p) => agent(p), (p) => agent(p + '2'))`)
		r := tr.start(t.Context(), req)
		time.Sleep(30 * time.Second)
		tr.store.mu.Lock()
		tr.store.refusals = 6 // pauses of 50, 100, 200, 400, 800 and 1600 ms
		tr.store.mu.Unlock()
		time.Sleep(31 * time.Second)
		if n := tr.provider.Counts().Started; n != 2 {
			t.Errorf("%d children started while the journal could not be written", n)
		}
		wantValue(t, tr.wait(r), `["a2","b2"]`)
	})
}

func TestDeadDiskFailsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, echo)
		tr.store.refusals = -1
		begin := time.Now()
		r := tr.start(t.Context(), request(`return await agent('x')`))
		res, err := r.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wantFault(t, res, StatusFailed, JournalWrite, "no space left on device")
		if took := time.Since(begin); took < 30*time.Second || took > time.Minute {
			t.Errorf("gave up after %s", took)
		}
		if len(tr.store.records) != 0 {
			t.Errorf("%d records", len(tr.store.records))
		}
	})
}

// TestResultSaysWhatWasNotRecorded has the journal die while agents are at work:
// what the result counts and the journal does not hold is said.
func TestResultSaysWhatWasNotRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
			delay := time.Hour
			if r.Prompt == "kept" {
				delay = time.Minute
			}
			return subagenttest.Script{Reply: r.Prompt, Delay: delay}
		})
		req := request(`return await parallel([() => agent('kept'), () => agent('a'), () => agent('b')])`)
		req.Limits.AtOnce = 3
		r := tr.start(t.Context(), req)
		time.Sleep(30 * time.Minute)
		tr.store.mu.Lock()
		tr.store.refusals = -1
		tr.store.mu.Unlock()
		res, err := r.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wantFault(t, res, StatusFailed, JournalWrite, "no space left on device")
		if n := len(facts[AgentEnded](tr.store)); n != 1 || res.Agents.Completed != 3 {
			t.Errorf("%d ends in the journal, census %+v", n, res.Agents)
		}
		if len(res.Warnings) != 1 || res.Warnings[0] != (Warning{
			Code: "JOURNAL_WRITE", Message: "the journal is not whole: 3 records are missing from it, the ends of 2 agents that are counted here among them",
		}) {
			t.Errorf("warnings %+v", res.Warnings)
		}
	})
}

// TestEndThatIsNotRecorded has the journal die behind the last agent.
func TestEndThatIsNotRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, echo)
		r := tr.start(t.Context(), request(`await new Promise((go) => setTimeout(go, 60000)); return 1`))
		time.Sleep(time.Second)
		tr.store.mu.Lock()
		tr.store.refusals = -1
		tr.store.mu.Unlock()
		res, err := r.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Warnings) != 1 || tr.store.result == nil || len(tr.store.result.Warnings) != 1 {
			t.Errorf("warnings %+v, kept %+v", res.Warnings, tr.store.result)
		}
	})
}

// TestLedgerKeepsOrder appends from many goroutines: callbacks come in the order
// of the records, one at a time, each after its record.
func TestLedgerKeepsOrder(t *testing.T) {
	s := &store{}
	l := newLedger(s, time.Now, time.Second, func(err error) { t.Error(err) })
	go l.run()
	const writers, each = 20, 200
	var mu sync.Mutex
	var told []int
	var all sync.WaitGroup
	all.Add(writers * each)
	for w := range writers {
		go func() {
			for i := range each {
				l.append(Logged{Message: fmt.Sprintf("%d-%d", w, i)}, i%3 == 0, func() {
					mu.Lock()
					defer mu.Unlock()
					told = append(told, len(told))
					s.mu.Lock()
					defer s.mu.Unlock()
					if n := len(told); n > len(s.records) {
						t.Errorf("callback %d with %d records", n, len(s.records))
					}
					all.Done()
				})
			}
		}()
	}
	all.Wait()
	l.close()
	l.append(Logged{Message: "late"}, true, func() { t.Error("a record after close") })
	if len(s.records) != writers*each || l.live.Len() != writers*each {
		t.Fatalf("%d records, %d live", len(s.records), l.live.Len())
	}
	next := map[string]int{}
	for i, r := range s.records {
		if r.N != i+1 {
			t.Fatalf("record %d has number %d", i, r.N)
		}
		var w, n int
		if _, err := fmt.Sscanf(r.Fact.(Logged).Message, "%d-%d", &w, &n); err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprint(w)
		if next[key] != n {
			t.Fatalf("writer %d: record %d after %d", w, n, next[key]-1)
		}
		next[key]++
	}
}

// proves: W132
func TestSlotsClosed(t *testing.T) {
	s := newSlots(1)
	started := []Seq{}
	for i := Seq(1); i <= 3; i++ {
		s.join(i, func() { started = append(started, i) })
	}
	left := s.close()
	s.release()
	if len(started) != 1 || len(left) != 2 || left[0] != 2 || left[1] != 3 {
		t.Errorf("started %v, left %v", started, left)
	}
	if s.join(4, func() { t.Error("started after close") }) {
		t.Error("joined after close")
	}
}
