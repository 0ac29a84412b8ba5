package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/tool"
)

// batch runs the tool calls of one answer. Calls start in model order and their
// results are appended in model order. Calls that are safe beside others fill a
// bounded pool; any other one is a barrier that runs alone.
//
// Concurrency: everything but the body of a tool happens on the goroutine of
// Run. A body hands its result over by done and touches nothing else.
type batch struct {
	agent *Agent
	turn  *turn
	calls []llm.ToolCall

	seqs      []session.Seq // of the tool/call events; its length is how many calls have begun
	results   []*tool.Result
	committed int  // results that are in the log
	running   int  // bodies that have not handed over
	alone     bool // the one that runs is a barrier
	concluded bool
	done      chan finished
}

// finished is one body's result.
type finished struct {
	index  int
	result tool.Result
}

// runBatch runs all calls and reports whether one of them asked for the end of
// the turn. After a cancel no body starts, those that run are awaited, and every
// call still gets its result.
func (a *Agent) runBatch(ctx context.Context, t *turn, calls []llm.ToolCall) (concluded bool, err error) {
	b := &batch{
		agent: a, turn: t, calls: calls,
		results: make([]*tool.Result, len(calls)),
		done:    make(chan finished, len(calls)),
	}
	for b.committed < len(calls) {
		if err = b.launch(ctx); err != nil {
			break
		}
		b.await()
		if err = b.commit(); err != nil {
			break
		}
	}
	for b.running > 0 { // only after a fault of the log
		b.await()
	}
	return b.concluded, err
}

// launch starts all calls whose turn it is. They are in the log, durably, before
// the first of their bodies runs.
func (b *batch) launch(ctx context.Context) error {
	first := len(b.seqs)
	for b.mayBegin(ctx, len(b.seqs)-first) {
		c := b.calls[len(b.seqs)]
		seq, err := b.agent.append(session.ToolCall{
			Turn: b.turn.n, Step: b.turn.step, CallID: c.ID, Name: c.Name, Arguments: c.Arguments,
		})
		if err != nil {
			return err
		}
		b.seqs = append(b.seqs, seq)
	}
	if first == len(b.seqs) {
		return nil
	}
	if ctx.Err() == nil { // else no body will run
		if err := b.agent.flush(ctx); err != nil {
			return err
		}
	}
	for i := first; i < len(b.seqs); i++ {
		b.start(ctx, i)
	}
	return nil
}

// mayBegin decides about the next call, when new ones are about to start beside
// those that run. It is asked right before the call begins, so that a tool sees
// the world as it is then.
func (b *batch) mayBegin(ctx context.Context, fresh int) bool {
	next := len(b.seqs)
	busy := b.running + fresh
	switch {
	case next == len(b.calls):
		return false
	case ctx.Err() != nil:
		// The rest is answered without being run, once all that runs has ended.
		return b.running == 0
	case b.alone || busy >= b.agent.cfg.MaxParallel:
		return false
	}
	c := b.calls[next]
	if b.agent.cfg.Tools.Parallel(c.Name, json.RawMessage(c.Arguments)) {
		return true
	}
	if busy > 0 {
		return false
	}
	b.alone = true
	return true
}

// start runs one call that is in the log. The registry does not run a body whose
// context has ended.
func (b *batch) start(ctx context.Context, i int) {
	a, c := b.agent, b.calls[i]
	call := tool.Call{
		ID: c.ID, Name: c.Name, Session: a.id,
		Cwd: a.cfg.Cwd, Root: a.cfg.Root, Home: a.cfg.Home, Outputs: a.cfg.Outputs,
		Confined: a.cfg.Confined,
	}
	b.running++
	go func() {
		b.done <- finished{index: i, result: a.cfg.Tools.Run(ctx, call, c.Arguments)}
	}()
}

// await takes over one result, if one is due.
func (b *batch) await() {
	if b.running == 0 {
		return
	}
	f := <-b.done
	b.running--
	b.alone = false
	b.results[f.index] = &f.result
}

// commit appends the results that are due in model order.
func (b *batch) commit() error {
	for b.committed < len(b.seqs) && b.results[b.committed] != nil {
		i := b.committed
		if err := b.appendResult(i, *b.results[i]); err != nil {
			return err
		}
		b.results[i] = nil
		b.committed++
	}
	return nil
}

// appendResult appends the result of call i, behind the note that belongs to it.
// One that no log can hold, because a tool made up a block or a note that is no
// JSON, fails like the tool, not like the log.
func (b *batch) appendResult(i int, r tool.Result) error {
	err := b.appendNote(r.Note)
	if err == nil {
		_, err = b.agent.append(b.event(i, r), b.seqs[i])
	}
	var refused *session.Error
	if errors.As(err, &refused) && (refused.Kind == session.CodeNotJSON || refused.Kind == session.CodeInvariant && r.Note != nil) {
		text := fmt.Sprintf("tool %q returned invalid output: %v", b.calls[i].Name, refused)
		r = tool.Result{
			Content: tool.Text("Error: " + text), IsError: true,
			Error: &tool.Error{Name: "ToolOutputError", Kind: tool.KindInvalidOutput, Message: text},
		}
		_, err = b.agent.append(b.event(i, r), b.seqs[i])
	}
	b.concluded = b.concluded || r.Concludes // the registry clears it on failures
	return err
}

func (b *batch) appendNote(n *tool.Note) error {
	if n == nil {
		return nil
	}
	_, err := b.agent.append(session.Opaque{Type: n.Type, Raw: n.Data})
	return err
}

// event is a result as the log has it.
func (b *batch) event(i int, r tool.Result) session.ToolResult {
	callID := b.calls[i].ID
	result := session.ToolResult{
		Turn: b.turn.n, Step: b.turn.step, Meta: r.Value,
		Message: llm.Message{
			ID: b.agent.cfg.NewID(), Role: llm.RoleUser,
			Content: []llm.Block{llm.ToolResult{ToolCallID: callID, Content: r.Content, IsError: r.IsError}},
			Source:  llm.Source{Kind: llm.SourceTool, CallID: callID},
		},
	}
	if r.Error != nil && (r.Error.Name != "" || r.Error.Kind != "") {
		result.Error = &session.ToolError{Name: r.Error.Name, Code: r.Error.Kind}
	}
	return result
}
