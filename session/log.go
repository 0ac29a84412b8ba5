package session

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/eventlog"
	"github.com/dsh-go/dsh-workflow/llm"
)

// Options configures a Log. The zero value is a log in memory.
type Options struct {
	// Sink keeps the log durably. The log owns it from New on and closes it.
	// Nil keeps the events in memory only.
	Sink Sink
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Seed holds events that the log begins with: inherited from another
	// session, or, when Sink holds them already, the session's own past. A seed
	// that is not nil is closed with EndSeed unless it ends with one.
	Seed []Event
}

// Log is the event log of one session.
//
// Whatever it hands out is shared and must not be changed. It equals what a
// reader of the stored log sees: an appended payload is taken over as its JSON
// reads, so the log keeps no reference to the caller's value and, for instance,
// invalid UTF-8 is replaced at once. A request must therefore be built from
// Messages and RequestHeader, never from the values that were appended.
//
// Concurrency: every method may be called from any goroutine. Events get their
// numbers in the order in which appends return.
type Log struct {
	header Header
	now    func() time.Time
	events eventlog.Log[Event] // has a lock of its own, so that readers never wait for a writer
	behind *writeBehind        // nil without a sink

	mu      sync.Mutex
	closed  bool
	frame   frame
	surface surface
	epoch   *EpochHeader // folded; nil before the first
}

// New opens a log. It fails with an [*Error] when the header, the seed or what
// the sink holds breaks the rules; the sink is then still the caller's.
func New(h Header, o Options) (*Log, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	l := &Log{header: h, now: o.Now}
	if l.now == nil {
		l.now = time.Now
	}
	stored := 0
	if o.Sink != nil {
		stored = o.Sink.Len()
		l.behind = newWriteBehind(o.Sink)
	}
	if stored > len(o.Seed) {
		return nil, fault(CodeSeed, "the store holds %d events but the seed has only %d", stored, len(o.Seed))
	}
	if err := l.plant(o.Seed, stored); err != nil {
		if l.behind != nil {
			l.behind.discard()
		}
		return nil, err
	}
	return l, nil
}

// plant takes the seed over. The first stored events are on disk already.
func (l *Log) plant(seed []Event, stored int) error {
	if seed == nil {
		return nil
	}
	for i, e := range seed {
		if int(e.Seq) != i {
			return fault(CodeSeed, "seed event at index %d has seq %d (expected %d); seed must be contiguous from 0", i, e.Seq, i)
		}
		e.Time = e.Time.Truncate(time.Millisecond).UTC()
		e.Sources = slices.Clone(e.Sources)
		if e.Replace != nil {
			window := *e.Replace
			e.Replace = &window
		}
		if _, err := l.commit(e, i >= stored); err != nil {
			return wrapped(CodeSeed, err, "invalid seed event at index %d", i)
		}
	}
	if len(seed) > 0 {
		if _, ok := seed[len(seed)-1].Data.(EndSeed); ok {
			return nil
		}
	}
	_, err := l.append(Event{Data: EndSeed{}})
	return err
}

// Header returns the log's header.
func (l *Log) Header() Header { return l.header }

// Append adds one event and returns its number. User and assistant messages and
// tool results go to the end of the surface; sources name the earlier events
// that one of them was made from. An Opaque event whose type this room does not
// know is marked as ignorable. A refusal is an [*Error] and leaves no trace.
// Append does not wait for the disk: see Flush.
func (l *Log) Append(d Data, sources ...Seq) (Seq, error) {
	return l.append(Event{Data: d, Sources: slices.Clone(sources)})
}

// Replace adds a surface event in the place of the events of r, which must all
// be among the sources. A tool result may replace only one tool result, and
// differ from it only in the content of its block.
func (l *Log) Replace(d Data, r Range, sources ...Seq) (Seq, error) {
	return l.append(Event{Data: d, Replace: &r, Sources: slices.Clone(sources)})
}

// RecordHeader says which header the request that is about to be sent has. It
// is called once for each attempt, just before the stream starts. With first
// set, for the first request of a loop over this log, the header is always
// recorded, as initial or resume; later only when it differs from the last one.
// The request is then built from RequestHeader.
func (l *Log) RecordHeader(h EpochHeader, first bool) error {
	last, any := l.RequestHeader()
	reason := ReasonChange
	switch {
	case !any:
		reason = ReasonInitial
	case first:
		reason = ReasonResume
	case last.Equal(h):
		return nil
	}
	_, err := l.Append(RequestHeader{Header: h.canonical(), Reason: reason})
	return err
}

// append numbers and stamps e and commits it.
func (l *Log) append(e Event) (Seq, error) {
	if o, ok := e.Data.(Opaque); ok {
		if o.Type == "" || typed(o.Type) || o.Type == tagHeader {
			return 0, fault(CodeInvariant, "an opaque event cannot have the type %q", o.Type)
		}
		e.Ignorable = !isForeign(o.Type)
	}
	e.Time = time.UnixMilli(l.now().UnixMilli()).UTC()
	return l.commit(e, true)
}

// commit detaches, checks, stores and publishes e.
func (l *Log) commit(e Event, store bool) (Seq, error) {
	data, err := detach(&e)
	if err != nil {
		return 0, err
	}
	if err := checkShape(e.Data); err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, fault(CodeClosed, "session %s is closed", l.header.ID)
	}
	e.Seq = Seq(l.events.Len())
	if err := l.surface.check(e, e.Seq); err != nil {
		return 0, err
	}
	if err := l.frame.check(e); err != nil {
		return 0, err
	}
	if store && l.behind != nil {
		line, err := l.line(e, data)
		if err != nil {
			return 0, err
		}
		l.behind.add(e.Seq, line)
	}
	l.frame.advance(e)
	l.surface.apply(e)
	if header, ok := e.Data.(RequestHeader); ok {
		l.epoch = &header.Header
	}
	l.events.Append(e)
	return e.Seq, nil
}

func (l *Log) line(e Event, data json.RawMessage) ([]byte, error) {
	if data == nil {
		var err error
		if data, err = encodeData(e.Data); err != nil {
			return nil, err
		}
	}
	return encodeLine(e, data), nil
}

// detach cuts e loose from the caller's memory and makes its payload what a reader
// of the stored log sees, by a copy or by reading its own JSON back. Only then is
// the JSON returned.
func detach(e *Event) (json.RawMessage, error) {
	if e.Data == nil {
		return nil, fault(CodeNotJSON, "session event without data")
	}
	if own, ok := copied(e.Data); ok {
		e.Data = own
		return nil, nil
	}
	raw, err := encodeData(e.Data)
	if err != nil {
		return nil, err
	}
	tag := tagOf(e.Data)
	if _, ok := e.Data.(Opaque); ok {
		e.Data = Opaque{Type: tag, Raw: raw}
		return raw, nil
	}
	if e.Data, err = decodeData(tag, raw); err != nil {
		return nil, wrapped(CodeNotJSON, err, "session event %q carries non-JSON-serializable data", tag)
	}
	return raw, nil
}

// Messages returns the history as the model sees it, in a slice of its own.
func (l *Log) Messages() []llm.Message { return slices.Clone(l.History()) }

// History is Messages without the copy: all who ask share the slice and must not
// change it. Later appends and replacements do not change it either, so it can be
// read without a lock. It is for the loop, which asks at every step.
func (l *Log) History() []llm.Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clip(l.surface.messages)
}

// Surface returns the events that produce messages, in the order of the
// messages, in a slice of its own.
func (l *Log) Surface() []Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.surface.nodes)
}

// RequestHeader returns the header that the log has now; false before the first.
func (l *Log) RequestHeader() (EpochHeader, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.epoch == nil {
		return EpochHeader{}, false
	}
	return *l.epoch, true
}

// Turn returns the number of the last turn, 0 before the first, and whether it
// is open.
func (l *Log) Turn() (turn int, open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.frame.turn, l.frame.turnOpen
}

// Len returns how many events the log has, which is the number of the next one.
func (l *Log) Len() int { return l.events.Len() }

// Events returns the events from number from on that exist now.
func (l *Log) Events(from Seq) []Event { return l.events.From(int(from)) }

// Follow yields the events from number from on and waits for more until the log
// is closed or ctx ends.
func (l *Log) Follow(ctx context.Context, from Seq) iter.Seq2[Seq, Event] {
	return func(yield func(Seq, Event) bool) {
		for i, e := range l.events.Follow(ctx, int(from)) {
			if !yield(Seq(i), e) {
				return
			}
		}
	}
}

// Flush is a durable barrier: when it returns nil, every event that was
// appended before the call is on disk. A failure is an [*Error] of code
// SESSION_NOT_WRITTEN; the events are kept, in order, and the next Flush tries
// again. It is also where the failure of a write in the background shows.
func (l *Log) Flush(ctx context.Context) error {
	if l.behind == nil {
		return nil
	}
	if err := l.behind.flush(ctx); err != nil {
		return wrapped(CodeStore, err, "session %s", l.header.ID)
	}
	return nil
}

// Close flushes the log, closes the sink and ends all followers. Later appends
// are refused; reading goes on. Closing twice does nothing.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	l.mu.Unlock()
	l.events.Close()
	if l.behind == nil {
		return nil
	}
	if err := l.behind.close(); err != nil {
		return fmt.Errorf("close session %s: %w", l.header.ID, err)
	}
	return nil
}
