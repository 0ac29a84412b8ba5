package agent

import (
	"context"
	"strings"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
)

// attempt is one stream of an answer.
type attempt struct {
	assembler llm.Assembler
	chunks    []session.Seq // of this attempt, in the log
	finished  bool
	failure   *llm.Error // set exactly when the answer is of no use
}

// stream makes one attempt. Each chunk is in the log before it is used.
func (a *Agent) stream(ctx context.Context, t *turn, req llm.Request) (*attempt, error) {
	try := &attempt{}
	for chunk, err := range a.cfg.Model.Stream(ctx, req) {
		if try.finished {
			continue // the answer is complete; the transport may say goodbye
		}
		if err != nil {
			try.failure = llm.AsError(err)
			break
		}
		seq, err := a.append(session.AssistantChunk{Turn: t.n, Step: t.step, Chunk: chunk})
		if err != nil {
			return nil, err
		}
		try.chunks = append(try.chunks, seq)
		try.assembler.Add(chunk)
		_, try.finished = chunk.(llm.Finish)
		if ctx.Err() != nil && !try.finished {
			break
		}
	}
	try.judge(ctx)
	return try, nil
}

// judge finds the failures that no error of the stream names.
func (try *attempt) judge(ctx context.Context) {
	switch {
	case try.failure != nil:
	case !try.finished && ctx.Err() != nil:
		try.failure = &llm.Error{Kind: llm.CodeAborted, Message: "the request was aborted", Err: context.Cause(ctx)}
	case !try.finished:
		try.failure = &llm.Error{Kind: llm.CodeStreamClosed, Message: "the stream ended without evidence that the answer is complete"}
	case try.empty():
		try.failure = &llm.Error{Kind: llm.CodeEmpty, Message: "the model gave an empty answer", RequestID: try.assembler.Finish().RequestID}
	}
}

// empty reports whether the model neither said nor called anything, though
// nothing stopped it. Reasoning alone says nothing.
func (try *attempt) empty() bool {
	switch try.assembler.Finish().Reason {
	case llm.FinishMaxTokens, llm.FinishRefusal:
		return false
	}
	blocks := try.assembler.Blocks()
	return len(callsOf(blocks)) == 0 && textOf(blocks) == ""
}

// commit appends the answer of an attempt that succeeded.
func (a *Agent) commit(t *turn, try *attempt, route llm.Config) (answer, error) {
	finish := try.assembler.Finish()
	blocks := try.assembler.Blocks()
	got := answer{calls: callsOf(blocks), text: textOf(blocks)}
	switch finish.Reason {
	case llm.FinishMaxTokens:
		got.maxTokens = true
	case llm.FinishRefusal:
		// A call that the filter cut off is not run, so it must not be in the history.
		blocks, got.calls = withoutCalls(blocks), nil
		got.end = &session.EndReason{Kind: session.EndError, Error: &session.Failure{
			Code: CodeRefusal, Message: "the provider's content filter stopped the answer", RequestID: finish.RequestID,
		}}
	}
	return got, a.appendAnswer(t, try, route, blocks, false)
}

// keepPrefix appends what can be kept of an attempt that a cancel broke off.
func (a *Agent) keepPrefix(t *turn, try *attempt, route llm.Config) error {
	blocks := try.assembler.InterruptedBlocks()
	if len(blocks) == 0 {
		return nil
	}
	return a.appendAnswer(t, try, route, blocks, true)
}

func (a *Agent) appendAnswer(t *turn, try *attempt, route llm.Config, blocks []llm.Block, interrupted bool) error {
	m := session.AssistantMessage{
		Turn: t.n, Step: t.step, Interrupted: interrupted,
		Message: llm.Message{
			ID: a.cfg.NewID(), Role: llm.RoleAssistant, Content: blocks,
			Source: llm.Source{Kind: llm.SourceModel, Provider: route.Provider, Model: route.Model},
		},
	}
	if usage, ok := try.assembler.Usage(); ok {
		m.Usage = &usage
	}
	_, err := a.append(m, try.chunks...)
	return err
}

func callsOf(blocks []llm.Block) []llm.ToolCall {
	var calls []llm.ToolCall
	for _, b := range blocks {
		if c, ok := b.(llm.ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}

func withoutCalls(blocks []llm.Block) []llm.Block {
	kept := make([]llm.Block, 0, len(blocks))
	for _, b := range blocks {
		if _, ok := b.(llm.ToolCall); !ok {
			kept = append(kept, b)
		}
	}
	return kept
}

// textOf joins the prose of a message; blank prose is none.
func textOf(content []llm.Block) string {
	var b strings.Builder
	for _, block := range content {
		if t, ok := block.(llm.Text); ok {
			b.WriteString(t.Text)
		}
	}
	if strings.TrimSpace(b.String()) == "" {
		return ""
	}
	return b.String()
}
