package workflow

import (
	"context"
	"encoding/json"

	"github.com/dsh-go/dsh-workflow/meta"
)

// Header is what is fixed about a run when it starts: the content of run.json.
type Header struct {
	RunID     RunID           `json:"runId"`
	Format    int             `json:"format"`
	Engine    string          `json:"engine"`
	Meta      meta.Meta       `json:"meta"`
	Args      json.RawMessage `json:"args,omitempty"` // absent when the run has none
	Root      string          `json:"root"`           // absolute
	Cwd       string          `json:"cwd"`            // absolute, inside root
	Parent    string          `json:"parent,omitempty"`
	Strict    bool            `json:"strict"`
	Limits    Limits          `json:"limits"`
	CreatedAt int64           `json:"createdAt"` // milliseconds since the epoch
}

// Store makes the places in which runs are kept. Create may be called from any
// goroutine; it fails if the run exists. The journal that it returns is locked
// for this writer until it is closed. script holds the source as it was given.
type Store interface {
	Create(ctx context.Context, h Header, script []byte) (Journal, error)
}

// Journal keeps the records of one run. Only one goroutine uses it at a time.
type Journal interface {
	// Append adds records in order. With sync they are durable when it returns
	// nil. After an error nothing of the batch counts, and the same batch may be
	// appended again.
	Append(records []Record, sync bool) error
	// Finish keeps the result beside the records. The journal is still open.
	Finish(r Result) error
	// Dir is the run's folder, or empty if the store has none. Session logs go
	// into its folder "sessions", which exists.
	Dir() string
	// Close releases the run. Nothing may be appended afterwards.
	Close() error
}
