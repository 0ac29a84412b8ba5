package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
)

// Errors that the functions of this file and of those below it return are faults
// of the log, and end Run. What ends a turn is a *session.EndReason; nil goes on.

// turn is the state of the turn that runs. It belongs to the goroutine of Run.
type turn struct {
	n, step   int
	maxTokens bool // an answer was cut; stays so until the turn ends
}

// end is the reason of a turn that ends by itself.
func (t *turn) end() *session.EndReason {
	if t.maxTokens {
		return &session.EndReason{Kind: session.EndMaxTokens}
	}
	return &session.EndReason{Kind: session.EndCompleted}
}

// runTurn drives one turn from its start to its durable end.
func (a *Agent) runTurn(ctx context.Context) error {
	t := &turn{n: a.turns + 1}
	if _, err := a.append(session.TurnStart{Turn: t.n}); err != nil {
		return err
	}
	a.turns = t.n
	end, err := a.steps(ctx, t)
	if err != nil {
		return err
	}
	if _, err := a.append(session.TurnEnd{Turn: t.n, Reason: *end}); err != nil {
		return err
	}
	return a.flush(ctx)
}

// steps runs steps until one of them ends the turn.
func (a *Agent) steps(ctx context.Context, t *turn) (*session.EndReason, error) {
	owed := false
	for {
		claimed, err := a.claim(t.step == 0)
		if err != nil {
			return nil, err
		}
		t.step++
		system, entering, end := a.propose(ctx, t, claimed)
		if end != nil {
			return end, nil
		}
		if len(entering) == 0 && !owed {
			return t.end(), nil
		}
		if err := a.admit(entering); err != nil {
			return nil, err
		}
		got, err := a.runStep(ctx, t, system)
		if err != nil || got.end != nil {
			return got.end, err
		}
		t.maxTokens = t.maxTokens || got.maxTokens
		owed = got.owed()
		if end, err := a.goesOn(ctx, t, got); err != nil || end != nil {
			return end, err
		}
	}
}

// propose prepares a step: its system text and the messages that enter it.
func (a *Agent) propose(ctx context.Context, t *turn, claimed []llm.Message) (string, []llm.Message, *session.EndReason) {
	system, err := a.cfg.Prompt(ctx)
	if end := ended(ctx, err); end != nil {
		return "", nil, end
	}
	entering, err := a.cfg.Hooks.PreStep(ctx, Proposal{Turn: t.n, Step: t.step, Claimed: claimed})
	if ctx.Err() == nil && errors.Is(err, ErrBlocked) {
		if t.step == 1 {
			return "", nil, &session.EndReason{Kind: session.EndBlocked}
		}
		return "", nil, t.end()
	}
	if end := ended(ctx, err); end != nil {
		return "", nil, end
	}
	entering = slices.Clone(entering)
	for i := range entering {
		if err := a.complete(&entering[i]); err != nil {
			return "", nil, ended(ctx, err)
		}
	}
	return system, entering, nil
}

// ended is the end of the turn if its context has ended or err is set. The
// context comes first: after a cancel every failure is an echo of it.
func ended(ctx context.Context, err error) *session.EndReason {
	var end session.EndReason
	switch {
	case ctx.Err() != nil:
		end = aborted(ctx)
	case err != nil:
		end = failed(err)
	default:
		return nil
	}
	return &end
}

// admit appends the messages that enter a step.
func (a *Agent) admit(entering []llm.Message) error {
	for _, m := range entering {
		if _, err := a.append(session.UserMessage{Message: m}); err != nil {
			return err
		}
	}
	return nil
}

// goesOn decides whether the turn has another step; nil says yes.
func (a *Agent) goesOn(ctx context.Context, t *turn, got answer) (*session.EndReason, error) {
	if end := ended(ctx, nil); end != nil {
		return end, nil
	}
	more := got.owed() || a.steered()
	var steer []llm.Message
	if !more {
		var err error
		steer, err = a.cfg.Hooks.Stopping(ctx, Stop{
			Turn: t.n, Step: t.step, Text: got.text, Concluded: got.concluded, MaxTokens: t.maxTokens,
		})
		if end := ended(ctx, err); end != nil {
			return end, nil
		}
		more = len(steer) > 0 || a.steered()
	}
	switch spent := t.step >= a.cfg.MaxSteps; {
	case !more, spent && !got.owed() && len(steer) == 0:
		return t.end(), nil // what waits in the inbox is for another turn
	case spent:
		return &session.EndReason{Kind: session.EndMaxSteps}, nil
	}
	return a.steerAll(steer)
}

// steerAll queues what a hook wants the model to read next.
func (a *Agent) steerAll(messages []llm.Message) (*session.EndReason, error) {
	for _, m := range messages {
		err := a.Steer(m)
		switch {
		case err == nil:
		case codeOf(err) == CodeLog:
			return nil, err
		default:
			end := failed(err)
			return &end, nil
		}
	}
	return nil, nil
}
