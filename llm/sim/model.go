package sim

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
)

// Config tunes a simulated model. The zero value answers at once, without faults.
type Config struct {
	// Seed changes what is left to chance: made-up values and drawn faults.
	Seed uint64
	// Latency passes before a response begins, TTFT more before its first token,
	// PerToken for each token of output.
	Latency, TTFT, PerToken time.Duration
	Faults                  Faults
	// Unscripted takes @@mock lines for text like any other, so that no tool is
	// called whatever a prompt says.
	Unscripted bool
}

// Faults are drawn for each attempt of a request. A rate is the share of attempts
// that are hit, 0 to 1. The draw depends on the seed, the request's prompt and
// turn, and the number of the attempt in its session: not on what other
// conversations do.
type Faults struct {
	Fail  float64 // refused with a status of Statuses
	Stall float64 // silent for ever after the first events, until the request's stall limit
	Drop  float64 // cut in the middle
	// Statuses are the HTTP statuses that Fail draws from; default 429, 500 and 503.
	Statuses []int
}

// defaultStall is the silence that a request tolerates when it does not say.
const defaultStall = 180 * time.Second

// openAttempts bounds how many failing requests are remembered.
const openAttempts = 1 << 14

// Model is a simulated model. It keeps no conversation: what it remembers is a
// bounded number of prefix blocks and of requests that failed.
//
// Concurrency: all methods may be called from any goroutine.
type Model struct {
	cfg      Config
	prefixes *Prefixes

	mu    sync.Mutex
	tried recent[int] // attempts that failed, by request
}

var _ llm.Model = (*Model)(nil)

// New returns a simulated model.
func New(cfg Config) *Model {
	if len(cfg.Faults.Statuses) == 0 {
		cfg.Faults.Statuses = []int{429, 500, 503}
	}
	return &Model{cfg: cfg, prefixes: NewPrefixes(), tried: recent[int]{limit: openAttempts}}
}

// Stream answers a request, see [llm.Model].
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	var ranged atomic.Bool
	return func(yield func(llm.Chunk, error) bool) {
		if ranged.Swap(true) {
			yield(nil, fault(llm.CodeInvalidRequest, "the answer was already read"))
			return
		}
		p := &playback{ctx: ctx, model: m, yield: yield, stall: req.Stall}
		if p.stall <= 0 {
			p.stall = defaultStall
		}
		if err := p.run(req); err != nil && !p.left {
			yield(nil, err)
		}
	}
}

// attempt returns how often the request has failed so far.
func (m *Model) attempt(key uint64) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, _ := m.tried.find(key)
	return n
}

// failed notes how often the request has failed now.
func (m *Model) failed(key uint64, times int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tried.put(key, times)
}

func fault(kind llm.Code, format string, values ...any) *llm.Error {
	return &llm.Error{Kind: kind, Message: "simulated model: " + fmt.Sprintf(format, values...)}
}
