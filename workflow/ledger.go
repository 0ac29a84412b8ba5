package workflow

import (
	"context"
	"sync"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/eventlog"
)

// ledger writes the records of one run: first to the journal, then to the live
// log that observers read, then it tells whoever waits for the record.
//
// Concurrency: append may be called from any goroutine and never blocks; the
// order of its calls is the order of the records and of the callbacks. One
// goroutine, run, owns the journal: while it syncs one batch the next one
// gathers, so that many calls share a sync.
type ledger struct {
	journal Journal
	live    *eventlog.Log[Record]
	now     func() time.Time
	patient time.Duration // how long a failing journal is tried again
	failed  func(error)   // told once when it is given up

	mu     sync.Mutex
	queue  []entry
	next   int
	closed bool
	broken bool // the last write failed; it is tried again
	wake   chan struct{}
	mended chan struct{} // closed when broken becomes false
	done   chan struct{}
	lost   lost
}

// lost counts the records that were to be written after the journal was given up.
type lost struct {
	counting      bool
	records, ends int // ends of agents are records
}

func (l *lost) add(f Fact) {
	l.records++
	if _, ok := f.(AgentEnded); ok {
		l.ends++
	}
}

type entry struct {
	record Record
	sync   bool
	then   func() // called after the record is durable and visible; may be nil
}

func newLedger(j Journal, now func() time.Time, patient time.Duration, failed func(error)) *ledger {
	return &ledger{
		journal: j, live: eventlog.New[Record](), now: now, patient: patient, failed: failed,
		next: 1, wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

// append queues a fact. With sync its batch is durable before then is called.
func (l *ledger) append(f Fact, sync bool, then func()) {
	l.mu.Lock()
	if l.closed {
		if l.lost.counting {
			l.lost.add(f)
		}
		l.mu.Unlock()
		return
	}
	r := Record{N: l.next, Time: l.now(), Fact: f}
	l.next++
	l.queue = append(l.queue, entry{r, sync, then})
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// close writes what is queued and ends the live log, and says what could not be
// written. Later appends are dropped.
func (l *ledger) close() lost {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
	<-l.done
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost.counting = false
	return l.lost
}

// ready waits while the journal cannot be written.
func (l *ledger) ready(ctx context.Context) error {
	l.mu.Lock()
	broken, mended := l.broken, l.mended
	l.mu.Unlock()
	if !broken {
		return nil
	}
	select {
	case <-mended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run is the writing goroutine. It ends after close.
func (l *ledger) run() {
	defer close(l.done)
	defer l.live.Close()
	for range l.wake {
		for {
			batch, closed := l.take()
			if len(batch) == 0 {
				if closed {
					return
				}
				break
			}
			if !l.write(batch) {
				l.drop(batch)
				return
			}
			l.publish(batch)
		}
	}
}

func (l *ledger) take() ([]entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	batch := l.queue
	l.queue = nil
	return batch, l.closed
}

// drop gives the batch and what is queued up, and makes every later append a
// no-op.
func (l *ledger) drop(batch []entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range append(batch, l.queue...) {
		l.lost.add(e.record.Fact)
	}
	l.closed, l.lost.counting = true, true
	l.queue = nil
}

// write puts a batch into the journal. A write that fails is tried again with
// growing pauses, because a full disk can be emptied and what was paid for is in
// the batch.
func (l *ledger) write(batch []entry) bool {
	records := make([]Record, len(batch))
	sync := false
	for i, e := range batch {
		records[i] = e.record
		sync = sync || e.sync
	}
	pause, waited := 50*time.Millisecond, time.Duration(0)
	for {
		err := l.journal.Append(records, sync)
		if err == nil {
			l.mend()
			return true
		}
		l.breakDown()
		if waited >= l.patient {
			l.failed(newError(JournalWrite, "the run's journal cannot be written: %w", err))
			l.mend()
			return false
		}
		time.Sleep(pause)
		waited += pause
		pause = min(2*pause, 5*time.Second)
	}
}

func (l *ledger) breakDown() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.broken {
		l.broken, l.mended = true, make(chan struct{})
	}
}

func (l *ledger) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken {
		l.broken = false
		close(l.mended)
	}
}

func (l *ledger) publish(batch []entry) {
	for _, e := range batch {
		l.live.Append(e.record)
		if e.then != nil {
			e.then()
		}
	}
}
