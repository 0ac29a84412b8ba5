// Package limit bounds what is asked of one provider at a time.
package limit

import (
	"context"
	"iter"

	"golang.org/x/sync/semaphore"

	"github.com/dsh-go/dsh-workflow/llm"
)

// Gate is a model that lets so many requests through at once and lets others
// wait, first come first served. A request holds its place until its answer has
// ended or its reader has gone away; retries queue anew.
//
// Concurrency: any goroutine may use it.
type Gate struct {
	model  llm.Model
	places *semaphore.Weighted
}

var _ llm.Model = (*Gate)(nil)

// New puts a gate of so many places before a model. Everybody who shares the
// provider has to share the gate.
func New(m llm.Model, places int) *Gate {
	return &Gate{model: m, places: semaphore.NewWeighted(int64(max(places, 1)))}
}

// Stream implements [llm.Model]. The time of waiting is no silence of the model.
func (g *Gate) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	answer := g.model.Stream(ctx, req)
	return func(yield func(llm.Chunk, error) bool) {
		if err := g.places.Acquire(ctx, 1); err != nil {
			yield(nil, &llm.Error{Kind: llm.CodeAborted, Message: "the request was aborted while it waited for its turn", Err: context.Cause(ctx)})
			return
		}
		defer g.places.Release(1)
		answer(yield)
	}
}

// Close closes the model, if it can be.
func (g *Gate) Close() error {
	if c, ok := g.model.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}
