package openai

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/dsh-go/dsh-workflow/llm"
)

// unknownCount marks a counter that the server did not send in a usable form.
const unknownCount = -1

// counters are the provider's counters as far as they can be used.
type counters struct {
	prompt, completion       int // unknownCount if unusable
	cached, write, reasoning int
	odd                      bool // one of the details was unusable
}

// readCounters reads a usage object. It returns false if raw is not an object
// with at least one usable total.
func readCounters(raw json.RawMessage) (counters, bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return counters{}, false
	}
	var wire struct {
		Prompt     json.RawMessage `json:"prompt_tokens"`
		Completion json.RawMessage `json:"completion_tokens"`
		Hit        json.RawMessage `json:"prompt_cache_hit_tokens"`
		Details    struct {
			Cached json.RawMessage `json:"cached_tokens"`
			Write  json.RawMessage `json:"cache_write_tokens"`
		} `json:"prompt_tokens_details"`
		Output struct {
			Reasoning json.RawMessage `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	}
	// A detail of another type leaves the other members filled.
	_ = json.Unmarshal(raw, &wire)
	c := counters{prompt: count(wire.Prompt), completion: count(wire.Completion)}
	if c.prompt == unknownCount && c.completion == unknownCount {
		return counters{}, false
	}
	cached := wire.Details.Cached
	if absent(cached) {
		cached = wire.Hit
	}
	c.cached = c.detail(cached)
	c.write = c.detail(wire.Details.Write)
	c.reasoning = c.detail(wire.Output.Reasoning)
	return c, true
}

func absent(raw json.RawMessage) bool { return len(raw) == 0 || bytes.Equal(raw, []byte("null")) }

func (c *counters) detail(raw json.RawMessage) int {
	if absent(raw) {
		return 0
	}
	n := count(raw)
	if n == unknownCount {
		c.odd = true
		return 0
	}
	return n
}

// count reads a number of tokens: a JSON number that is not negative.
func count(raw json.RawMessage) int {
	var n float64
	if absent(raw) || json.Unmarshal(raw, &n) != nil || n < 0 || n > math.MaxInt32 {
		return unknownCount
	}
	return int(n)
}

// settle turns the counters into disjoint ones. What the server did not count,
// or counted as nothing though there was something, is estimated: output is the
// length of the answer in characters.
func (c counters) settle(req llm.Request, output int) llm.Usage {
	u := llm.Usage{
		InputTokens: c.prompt, OutputTokens: c.completion,
		CacheReadTokens: c.cached, CacheWriteTokens: c.write, ReasoningTokens: c.reasoning, Estimated: c.odd,
	}
	if u.InputTokens <= 0 {
		u.InputTokens, u.Estimated = max(llm.EstimateRequest(req), u.CacheReadTokens+u.CacheWriteTokens), true
	}
	if u.OutputTokens < 0 || u.OutputTokens == 0 && output > 0 {
		u.OutputTokens, u.Estimated = (output+3)/4, true
	}
	if u.CacheReadTokens > u.InputTokens {
		u.CacheReadTokens, u.Estimated = u.InputTokens, true
	}
	u.InputTokens -= u.CacheReadTokens
	if u.CacheWriteTokens > u.InputTokens {
		u.CacheWriteTokens, u.Estimated = u.InputTokens, true
	}
	u.InputTokens -= u.CacheWriteTokens
	if u.ReasoningTokens > u.OutputTokens {
		u.ReasoningTokens, u.Estimated = u.OutputTokens, true
	}
	return u
}
