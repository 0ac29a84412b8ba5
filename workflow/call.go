package workflow

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/vm"
)

// call is one admitted agent() call. It is written on the loop before the call
// is queued, and by its own goroutine afterwards; child is set under the tally's
// lock.
type call struct {
	seq     Seq
	label   string
	phase   *string // nil if it has none
	key     string
	occ     int
	prompt  string
	options options
	kind    *subagent.Type // nil is the general one
	route   subagent.Route
	line    int  // of the call in the script
	settled bool // agent.settled()
	settle  vm.Settle
	child   string
}

// work takes a call that has a slot from its start to its end. Its ticket is its
// place among those that had one.
func (r *Run) work(c *call, ticket int) {
	defer r.calls.Done()
	defer r.slots.release()
	if err := r.gate.pass(r.ctx, ticket, r.tally.estimate); err != nil {
		r.declined(c, err)
		return
	}
	if err := r.purse.take(r.ctx); err != nil {
		r.declined(c, err)
		return
	}
	var end *AgentEnded
	defer func() { r.purse.give(end) }()
	ctx, stop := r.callContext(c)
	defer stop()
	child, err := r.startChild(ctx, c)
	if err != nil {
		r.notStarted(c, err)
		return
	}
	began := r.cfg.Now()
	r.tally.start(c, child.ID())
	r.ledger.append(AgentStarted{Seq: c.seq, Child: child.ID()}, true, nil)
	ended, fatal := r.await(ctx, c, child)
	ended.MS = r.cfg.Now().Sub(began).Milliseconds()
	r.price(c, &ended)
	end = &ended
	r.finish(c, ended, fatal)
	if err := child.Close(); err != nil {
		r.warn(Warning{Code: "AGENT_CLOSE", Message: fmt.Sprintf("agent %d (%s) could not be closed: %v", c.seq, c.label, err)})
	}
}

// errTimeout is the cause of a call's own time limit.
type errTimeout struct{ after time.Duration }

func (e errTimeout) Error() string {
	return fmt.Sprintf("agent() ran into its timeoutMs of %s", e.after)
}
func (e errTimeout) Code() string { return string(llm.CodeTimeout) }

func (r *Run) callContext(c *call) (context.Context, context.CancelFunc) {
	if c.options.Timeout == 0 {
		return context.WithCancel(r.ctx)
	}
	return context.WithTimeoutCause(r.ctx, c.options.Timeout, errTimeout{c.options.Timeout})
}

func (r *Run) startChild(ctx context.Context, c *call) (subagent.Child, error) {
	if err := r.ledger.ready(ctx); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return r.cfg.Providers.Start(ctx, r.cfg.Provider, r.requestOf(c))
}

func (r *Run) requestOf(c *call) subagent.Request {
	req := r.plan.request
	cwd := req.Cwd
	if c.options.Cwd != "" {
		cwd = filepath.Join(req.Root, filepath.FromSlash(c.options.Cwd))
	}
	dir, sessions := r.journal.Dir(), ""
	if dir != "" {
		sessions = filepath.Join(dir, "sessions")
	}
	return subagent.Request{
		Call: subagent.CallID(fmt.Sprintf("%s/%d", r.ID(), c.seq)), Label: c.label, Prompt: c.prompt,
		Lineage: subagent.Lineage{
			Run: string(r.ID()), Parent: req.Parent, Root: req.Root, Cwd: cwd, Depth: req.Depth, Sessions: sessions, Folder: dir,
			Trusted: r.plan.header.Trusted, Guided: r.guided(cwd),
		},
		Route:  c.route,
		Schema: c.options.Schema, Tools: c.options.Tools, Stall: orStall(c.options.Stall, r.plan.limits.Stall),
		Type:     c.kind,
		Worktree: c.options.Isolation == isolationWorktree,
	}
}

// guided says whether files of the project of cwd count. It may be another one than
// that of the run.
func (r *Run) guided(cwd string) bool {
	h := r.plan.header
	return h.Trusted && (cwd == h.Root || r.cfg.Trusts(h.Root, cwd))
}

func orStall(own, limit time.Duration) time.Duration {
	if own > 0 {
		return own
	}
	return limit
}

// notStarted ends a call that has no child: the run was ended, or the provider
// refused.
func (r *Run) notStarted(c *call, err error) {
	if ended := r.ended(); ended != nil {
		r.tally.refuse(c.seq)
		r.ledger.append(AgentRefused{Seq: c.seq, Label: c.label, Code: string(NotStarted), Message: ended.Error()}, false, nil)
		return
	}
	r.refuse(c, newError(AgentStart, "agent() could not start a child: %w", err))
}

// refuse ends an admitted call that never started with an error that the script
// sees.
func (r *Run) refuse(c *call, fatal *Error) {
	r.tally.refuse(c.seq)
	r.replay.live(func() {
		r.ledger.append(AgentRefused{Seq: c.seq, Label: c.label, Code: fatal.Code(), Message: fatal.Message}, true, func() {
			r.tally.deliver(llm.Usage{})
			c.settle(nil, fatal)
		})
	})
}

// await waits for the child, trying it again as often as the call allows, and
// says how the call ended. A fatal error rejects the script's promise.
func (r *Run) await(ctx context.Context, c *call, child subagent.Child) (AgentEnded, error) {
	end := AgentEnded{Seq: c.seq, Child: child.ID(), Key: c.key, Occ: c.occ, Attempts: 1}
	for {
		res, err := child.Wait(ctx)
		if err != nil && ctx.Err() != nil {
			if left, ok := r.remains(child); ok {
				res, err = left, nil
			}
		}
		if err == nil && r.again(ctx, c, child, res, &end) {
			continue
		}
		return r.outcome(ctx, c, end, res, err)
	}
}

// remains is what a child that was cancelled leaves behind: the tokens that it
// spent are spent, and what it said last may help.
func (r *Run) remains(child subagent.Child) (subagent.Result, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), r.plan.limits.Grace)
	defer cancel()
	closed := make(chan struct{})
	go func() {
		_ = child.Close() // work asks again, and tells what it says
		close(closed)
	}()
	select {
	case <-closed:
	case <-ctx.Done():
		return subagent.Result{}, false
	}
	res, err := child.Wait(ctx)
	return res, err == nil
}

// again starts another attempt if the failure is one that passes.
func (r *Run) again(ctx context.Context, c *call, child subagent.Child, res subagent.Result, end *AgentEnded) bool {
	if res.Outcome != subagent.Failed || end.Attempts > c.options.Retries || ctx.Err() != nil || res.Failure == nil {
		return false
	}
	switch llm.Code(res.Failure.Code) {
	case llm.CodeTimeout, llm.CodeTransport, llm.CodeServer:
	default:
		return false
	}
	retrier, ok := child.(subagent.Retrier)
	if !ok || retrier.Retry(ctx) != nil {
		return false
	}
	end.Attempts++
	r.ledger.append(AgentRetried{Seq: c.seq, Attempt: end.Attempts, Code: res.Failure.Code, Message: res.Failure.Message}, false, nil)
	return true
}

func (r *Run) outcome(ctx context.Context, c *call, end AgentEnded, res subagent.Result, err error) (AgentEnded, error) {
	end.Usage, end.Repaired, end.Degraded = res.Usage, res.Repaired, res.Degraded
	end.Outcome, end.Error, end.Text, end.Tree = res.Outcome, res.Failure, res.Text, res.Tree
	switch {
	case r.ended() != nil && end.Outcome != subagent.Completed:
		end.Outcome = subagent.Cancelled
		end.Error = &subagent.Failure{Code: string(Cancelled), Message: r.ended().Error()}
	case ctx.Err() != nil && end.Outcome != subagent.Completed:
		cause := context.Cause(ctx)
		end.Outcome = subagent.Failed
		end.Error = &subagent.Failure{Code: string(CodeOf(cause)), Message: cause.Error()}
	case err != nil:
		end.Outcome = subagent.Failed
		end.Error = &subagent.Failure{Code: string(AgentResult), Message: err.Error()}
		return end, newError(AgentResult, "child agent run failed: %w", err)
	case end.Outcome == subagent.Completed:
		return r.completed(c, end, res)
	case end.Error != nil && end.Error.Code == string(llm.CodeUnknownModel):
		return end, newError(AgentStart, "agent() could not start a child: %s", end.Error.Message)
	}
	return end, nil
}

// completed takes the value of a child that completed.
func (r *Run) completed(c *call, end AgentEnded, res subagent.Result) (AgentEnded, error) {
	end.Text = ""
	if c.options.Schema == nil {
		end.Value = textValue(res.Text)
		return end, nil
	}
	if res.Value == nil {
		end.Outcome, end.Text = subagent.Failed, res.Text
		end.Error = &subagent.Failure{Code: "STRUCTURED_OUTPUT", Message: "the child completed without a structured result"}
		return end, nil
	}
	if !json.Valid(res.Value) || !json.Valid(inRecord(res.Value)) {
		err := errors.New("the child's result could not cross into the script: it is not JSON, or nested too deep")
		end.Outcome, end.Text = subagent.Failed, res.Text
		end.Error = &subagent.Failure{Code: string(AgentResult), Message: err.Error()}
		return end, newError(AgentResult, "child agent run failed: %w", err)
	}
	end.Value = res.Value
	return end, nil
}

// inRecord is a value inside as many brackets as a record has around it, and some
// more. A value that is readable alone and not in there would be a line of the
// journal that nobody can read.
func inRecord(value json.RawMessage) []byte {
	const around = 8
	b := append(bytes.Repeat([]byte("["), around), value...)
	return append(b, bytes.Repeat([]byte("]"), around)...)
}

// finish records the end of a call; the script sees its result when the record
// is durable.
func (r *Run) finish(c *call, end AgentEnded, fatal error) {
	if !r.tally.end(c, end) {
		return
	}
	r.replay.live(func() {
		r.ledger.append(end, true, func() {
			if end.Outcome == subagent.Cancelled {
				return // the script is gone
			}
			r.tally.deliver(end.Usage)
			c.settle(valueFor(c, end), fatal)
		})
	})
}

// answer gives a call the outcome that it had before. It needs no sync: what it
// says stands in an earlier record.
func (r *Run) answer(c *call, end AgentEnded) {
	end.Seq, end.Key, end.Occ = c.seq, c.key, c.occ
	r.tally.replay(c, end)
	r.purse.replayed(end)
	r.ledger.append(end.recorded(), false, func() {
		r.tally.deliver(end.Usage)
		c.settle(valueFor(c, end), nil)
	})
}

// ring lets a timer of the script fire.
func (r *Run) ring(id int, t *timer) {
	r.ledger.append(TimerFired{Timer: id, MS: milliseconds(t.delay)}, false, t.call)
}

// settledValue is what agent.settled() gives.
type settledValue struct {
	Status    subagent.Outcome  `json:"status"`
	Value     json.RawMessage   `json:"value"`
	Error     *subagent.Failure `json:"error"`
	Usage     Bill              `json:"usage"`
	SessionID string            `json:"sessionId"`
}

// valueFor is what the script sees of an end.
func valueFor(c *call, end AgentEnded) json.RawMessage {
	if !c.settled {
		return end.Value
	}
	v := settledValue{Status: end.Outcome, Value: end.Value, Error: end.Error, Usage: billOf(end.Usage, end.CostUSD), SessionID: end.Child}
	if v.Value == nil {
		v.Value = json.RawMessage("null")
	}
	b, err := json.Marshal(v)
	if err != nil { // values were checked when they came
		panic(err)
	}
	return b
}
