package workflow

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/plainjson"
)

// line is the JSON form of a record.
type line struct {
	N    int             `json:"n"`
	Time int64           `json:"time"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// decoders maps a tag to the type that it stands for.
var decoders = func() map[string]func(json.RawMessage) (Fact, error) {
	m := map[string]func(json.RawMessage) (Fact, error){}
	add(m, RunStarted{})
	add(m, RunResumed{})
	add(m, PhaseEntered{})
	add(m, Logged{})
	add(m, Warned{})
	add(m, AgentQueued{})
	add(m, AgentStarted{})
	add(m, AgentRetried{})
	add(m, AgentEnded{})
	add(m, AgentRefused{})
	add(m, TimerFired{})
	add(m, LimitReached{})
	add(m, RunPaused{})
	add(m, RunContinued{})
	add(m, RunEnded{})
	return m
}()

func add[F Fact](m map[string]func(json.RawMessage) (Fact, error), zero F) {
	m[tag(zero)] = func(raw json.RawMessage) (Fact, error) {
		var f F
		err := json.Unmarshal(raw, &f)
		return f, err
	}
}

func tag(f Fact) string { return reflect.TypeOf(f).Name() }

// MarshalJSON writes the record as {"n","time","type","data"}.
func (r Record) MarshalJSON() ([]byte, error) {
	l := line{N: r.N, Time: r.Time.UnixMilli()}
	if u, ok := r.Fact.(Unknown); ok {
		l.Type, l.Data = u.Type, u.Raw
		return plainjson.Marshal(l)
	}
	raw, err := plainjson.Marshal(r.Fact)
	if err != nil {
		return nil, fmt.Errorf("record %d (%s): %w", r.N, tag(r.Fact), err)
	}
	l.Type, l.Data = tag(r.Fact), raw
	return plainjson.Marshal(l)
}

// UnmarshalJSON reads a record. A type that this version does not know becomes
// [Unknown].
func (r *Record) UnmarshalJSON(b []byte) error {
	var l line
	if err := json.Unmarshal(b, &l); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	if l.Type == "" {
		return fmt.Errorf("record %d: no type", l.N)
	}
	r.N, r.Time = l.N, time.UnixMilli(l.Time)
	decode, ok := decoders[l.Type]
	if !ok {
		r.Fact = Unknown{Type: l.Type, Raw: l.Data}
		return nil
	}
	f, err := decode(l.Data)
	if err != nil {
		return fmt.Errorf("record %d (%s): %w", l.N, l.Type, err)
	}
	r.Fact = f
	return nil
}
