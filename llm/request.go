package llm

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// Config is the part of a request that chooses and tunes the model.
type Config struct {
	Provider    string   `json:"provider,omitempty"`
	Model       string   `json:"model"`
	Effort      string   `json:"reasoningEffort,omitempty"` // low, medium, high, xhigh, max, off; empty leaves it to the model
	Temperature *float64 `json:"temperature,omitempty"`
	MaxTokens   int      `json:"maxTokens,omitempty"` // 0 sends none
	Stop        []string `json:"stop,omitempty"`
}

// ToolSpec is what a model sees of a tool. Parameters is a JSON Schema in the
// author's key order; it is sent byte for byte.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Request is one call of a model. Everything that reaches the provider is in
// Config, System, Tools and Messages; the other fields steer the transport.
type Request struct {
	Config   Config
	System   string // empty: no system message
	Tools    []ToolSpec
	Messages []Message

	// SessionID names the conversation, for caches and logs. It may be empty.
	SessionID string
	// Stall is the longest silence that a stream may have before it fails with
	// [CodeTimeout]. Any byte is life. Zero means the transport's default.
	Stall time.Duration
}

// Model answers requests.
//
// Stream starts one request when the returned sequence is ranged over, and
// yields its chunks in order: usage before finish, nothing after finish. A
// failure is yielded last, as a nil chunk with an [*Error]. Breaking out of the
// range, or ending ctx, cancels the request and releases what it holds before
// the range statement returns. A sequence may be ranged over once. Stream may
// be called from any goroutine.
type Model interface {
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}
