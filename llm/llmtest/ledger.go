package llmtest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/dsh-go/dsh-workflow/llm/sim"
)

// Recorded is one request as it arrived.
type Recorded struct {
	N      int // counted from 1
	At     time.Time
	Path   string
	Header http.Header
	// Body holds the exact bytes; nil once Options.KeepBytes was exceeded.
	Body []byte
}

// Stats are the counters of a server. Tokens are counted for answers only.
type Stats struct {
	Requests     int `json:"requests"`
	OK           int `json:"ok"`
	Failed       int `json:"failed"` // refused or cut, 429 by a limit apart
	Inflight     int `json:"inflight"`
	MaxInflight  int `json:"maxInflight"` // of the admitted
	Rejected429  int `json:"rejected429"` // by RPM or Concurrency
	PromptTokens int `json:"promptTokens"`
	CachedTokens int `json:"cachedTokens"`
	OutputTokens int `json:"outputTokens"`
}

// maxRemembered bounds each of the maps that grow with the conversations.
const maxRemembered = 1 << 16

// ledger is what a server remembers.
type ledger struct {
	mu       sync.Mutex
	stats    Stats
	recorded []Recorded
	kept     int // bytes of bodies in recorded
	dropped  int // how many of recorded have lost their body
	window   []time.Time
	played   map[string]int    // faults already played, by step
	thoughts map[string]string // reasoning sent with a tool call, by its id
	prefixes *sim.Prefixes
}

func (l *ledger) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats = Stats{Inflight: l.stats.Inflight}
	l.recorded, l.kept, l.dropped, l.window = nil, 0, 0, nil
	l.played, l.thoughts = make(map[string]int), make(map[string]string)
	l.prefixes = sim.NewPrefixes()
}

func (l *ledger) requests() []Recorded {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Recorded(nil), l.recorded...)
}

func (l *ledger) counters() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}

func (l *ledger) cache() *sim.Prefixes {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.prefixes
}

// arrive records a request and returns its number.
func (l *ledger) arrive(r *http.Request, body []byte, opts *Options) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Requests++
	rec := Recorded{N: l.stats.Requests, At: time.Now(), Path: r.URL.Path, Header: r.Header.Clone(), Body: body}
	if opts.Log != nil {
		_, _ = opts.Log.Write(logLine(rec)) // the answer matters more than the log
	}
	if opts.KeepBytes < 0 {
		return rec.N
	}
	l.recorded = append(l.recorded, rec)
	l.kept += len(body)
	for l.kept > opts.KeepBytes && l.dropped < len(l.recorded) {
		oldest := &l.recorded[l.dropped]
		l.kept -= len(oldest.Body)
		oldest.Body = nil
		l.dropped++
	}
	return rec.N
}

func logLine(rec Recorded) []byte {
	body := json.RawMessage(rec.Body)
	if !json.Valid(body) {
		body, _ = json.Marshal(string(rec.Body))
	}
	line, err := json.Marshal(struct {
		N    int             `json:"n"`
		At   int64           `json:"at"`
		Path string          `json:"path"`
		Auth string          `json:"auth"`
		Body json.RawMessage `json:"body"`
	}{rec.N, rec.At.UnixMilli(), rec.Path, rec.Header.Get("Authorization"), body})
	if err != nil {
		return []byte("{}\n")
	}
	return append(line, '\n')
}

func (l *ledger) fail() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Failed++
}

func (l *ledger) answered(prompt, cached, output int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.OK++
	l.stats.PromptTokens += prompt
	l.stats.CachedTokens += cached
	l.stats.OutputTokens += output
}

// slot is the place that an admitted request takes.
type slot struct {
	ledger *ledger
	once   sync.Once
}

// release gives the place back; only the first call counts. It comes before the
// last byte of an answer: a client that has read that may send its next request
// at once.
func (s *slot) release() {
	s.once.Do(func() {
		s.ledger.mu.Lock()
		defer s.ledger.mu.Unlock()
		s.ledger.stats.Inflight--
	})
}

// admit takes a place, or says why there is none.
func (l *ledger) admit(opts *Options) (*slot, *limited) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if opts.Concurrency > 0 && l.stats.Inflight >= opts.Concurrency {
		return nil, l.refusal(opts, "too many requests at once", "1")
	}
	if opts.RPM > 0 {
		now := time.Now()
		for len(l.window) > 0 && now.Sub(l.window[0]) >= time.Minute {
			l.window = l.window[1:]
		}
		if len(l.window) >= opts.RPM {
			wait := math.Ceil((time.Minute - now.Sub(l.window[0])).Seconds())
			return nil, l.refusal(opts, "rate limit reached", strconv.Itoa(int(wait)))
		}
		l.window = append(l.window, now)
	}
	l.stats.Inflight++
	l.stats.MaxInflight = max(l.stats.MaxInflight, l.stats.Inflight)
	return &slot{ledger: l}, nil
}

// limited is a refusal by a limit.
type limited struct{ message, header, value string }

var namedHeader = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*): (.*)$`)

func (l *ledger) refusal(opts *Options, message, wait string) *limited {
	if len(opts.RetryAfter) > 0 {
		wait = opts.RetryAfter[l.stats.Rejected429%len(opts.RetryAfter)]
	}
	l.stats.Rejected429++
	if m := namedHeader.FindStringSubmatch(wait); m != nil {
		return &limited{message: message, header: m[1], value: m[2]}
	}
	return &limited{message: message, header: "Retry-After", value: wait}
}

func (r *limited) write(w http.ResponseWriter) {
	w.Header().Set(r.header, r.value)
	refuse(w, http.StatusTooManyRequests, "rate_limit_exceeded", r.message)
}

// plays reports whether a fault that happens so many times is due at this step,
// and counts it.
func (l *ledger) plays(key string, times int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !sim.Fails(times, l.played[key]) {
		return false
	}
	if len(l.played) >= maxRemembered {
		clear(l.played)
	}
	l.played[key]++
	l.stats.Failed++
	return true
}

// thought remembers the reasoning that was sent before a tool call.
func (l *ledger) thought(callID, reasoning string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.thoughts) >= maxRemembered {
		clear(l.thoughts)
	}
	l.thoughts[callID] = reasoning
}

// checkThinking finds what a thinking model of DeepSeek refuses.
func (l *ledger) checkThinking(req *request) error {
	if forced := forcedTool(req.ToolChoice); forced != "" {
		return fmt.Errorf("thinking mode does not support tool_choice %s", forced)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return checkReasoning(req.Messages, l.thoughts)
}
