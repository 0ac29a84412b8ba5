package llm

// Chunk is one event of a streamed answer. The set is sealed: [TextDelta],
// [ReasoningDelta], [ToolCallDelta], [UsageReport] and [Finish].
// Index names the block that a delta belongs to; blocks are ordered by it.
type Chunk interface{ chunk() }

// TextDelta appends prose to block Index.
type TextDelta struct {
	Index int
	Text  string
}

// ReasoningDelta appends thinking to block Index.
type ReasoningDelta struct {
	Index int
	Text  string
}

// ToolCallDelta appends to the tool call in block Index. ID and Name are set by
// the first delta that has them; Arguments is a fragment.
type ToolCallDelta struct {
	Index               int
	ID, Name, Arguments string
}

// UsageReport carries the provider's counters. The last one counts.
type UsageReport struct{ Usage Usage }

// Finish ends an answer. Nothing follows it.
type Finish struct {
	Reason FinishReason
	// Served is the model that answered, as the provider names it; it may be empty.
	Served string
	// RequestID is the provider's id of this answer; it may be empty.
	RequestID string
}

func (TextDelta) chunk()      {}
func (ReasoningDelta) chunk() {}
func (ToolCallDelta) chunk()  {}
func (UsageReport) chunk()    {}
func (Finish) chunk()         {}

// FinishReason says why a model stopped. Failures are not a reason: they end
// the stream as an [*Error].
type FinishReason string

// The ways in which an answer can end.
const (
	FinishStop      FinishReason = "stop"
	FinishToolCalls FinishReason = "tool-calls"
	FinishMaxTokens FinishReason = "max-tokens"
	FinishRefusal   FinishReason = "refusal" // the provider's content filter
)

// Usage counts tokens. The counters do not overlap, but ReasoningTokens is the
// part of OutputTokens that was thinking.
type Usage struct {
	InputTokens      int `json:"inputTokens"` // not served from the provider's cache
	CacheReadTokens  int `json:"cacheReadTokens,omitempty"`
	CacheWriteTokens int `json:"cacheWriteTokens,omitempty"`
	OutputTokens     int `json:"outputTokens"`
	ReasoningTokens  int `json:"reasoningTokens,omitempty"`
	// Estimated is set when a provider sent no usable counters and these were
	// computed from the texts.
	Estimated bool `json:"estimated,omitempty"`
}

// Plus returns the sum of both.
func (u Usage) Plus(v Usage) Usage {
	u.InputTokens += v.InputTokens
	u.CacheReadTokens += v.CacheReadTokens
	u.CacheWriteTokens += v.CacheWriteTokens
	u.OutputTokens += v.OutputTokens
	u.ReasoningTokens += v.ReasoningTokens
	u.Estimated = u.Estimated || v.Estimated
	return u
}
