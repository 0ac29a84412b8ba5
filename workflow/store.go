package workflow

import (
	"context"
	"encoding/json"
	"iter"

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
	Depth     int             `json:"depth,omitempty"`
	Model     string          `json:"model,omitempty"`  // for calls that name none
	Effort    string          `json:"effort,omitempty"` // likewise
	Launch    json.RawMessage `json:"launch,omitempty"` // see Request
	ForkOf    RunID           `json:"forkOf,omitempty"` // the run that this one is a changed copy of
	Strict    bool            `json:"strict"`
	Trusted   bool            `json:"trusted"` // the user trusted the project of root
	Limits    Limits          `json:"limits"`
	CreatedAt int64           `json:"createdAt"` // milliseconds since the epoch
}

// Store makes and finds the places in which runs are kept. Its methods may be
// called from any goroutine. A journal that it returns is locked for this writer
// until it is closed; one that another writer has is an error.
type Store interface {
	// Create fails if the run exists. script holds the source as it was given.
	Create(ctx context.Context, h Header, script []byte) (Journal, error)
	// Look reads a run and changes nothing, also while it is being written.
	Look(ctx context.Context, id RunID) (Kept, error)
	// Reopen takes a run for writing again. What a crash left behind its last
	// record is cut; a journal that lacks a record is refused.
	Reopen(ctx context.Context, id RunID) (Journal, Kept, error)
	// Fork makes the run of h from a copy of run id. With a before that is not 0
	// only the records on the lines ahead of it are taken.
	Fork(ctx context.Context, id RunID, h Header, before int) (Journal, Kept, error)
}

// Kept is a run as its store has it.
type Kept struct {
	Header Header
	// Records yields the records in order. Pieces that are none come as errors, and
	// so does whatever cannot be read; nothing follows the latter.
	Records iter.Seq2[Record, error]
	// Mended names what was wrong with the journal and lost nothing.
	Mended []error
	// Record reads one of those that Records has yielded again, by its number.
	Record func(n int) (Record, error)
	// Script reads a version of the script; "" is the first one, the others have
	// the names that Journal.AddScript gave them.
	Script func(name string) ([]byte, error)
}

// Journal keeps the records of one run. Only one goroutine uses it at a time.
type Journal interface {
	// Append adds records in order. With sync they are durable when it returns
	// nil. After an error nothing of the batch counts, and the same batch may be
	// appended again.
	Append(records []Record, sync bool) error
	// Finish keeps the result beside the records. The journal is still open.
	Finish(r Result) error
	// AddScript keeps another version of the script beside the first one, and
	// returns its name.
	AddScript(source []byte) (name string, err error)
	// Dir is the run's folder, or empty if the store has none. Session logs go
	// into its folder "sessions", which exists.
	Dir() string
	// Close releases the run. Nothing may be appended afterwards.
	Close() error
}
