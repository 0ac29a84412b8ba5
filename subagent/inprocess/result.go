package inprocess

import (
	"context"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/subagent"
)

// run drives the agent once and says what the child has come to.
func (s *stack) run(ctx context.Context) (subagent.Result, error) {
	out, err := s.agent.Run(ctx)
	s.usage = s.usage.Plus(out.Usage)
	if out.Text != "" {
		s.text = out.Text
	}
	if err != nil {
		return subagent.Result{Outcome: subagent.Failed, Text: s.text, Usage: s.usage}, err
	}
	r := resultOf(ctx, out.End)
	r.Text, r.Usage = s.text, s.usage
	if s.plan.structured != nil {
		err = s.plan.structured.settle(s.log, &r)
	}
	return r, err
}

// resultOf maps the end of a turn.
func resultOf(ctx context.Context, end session.EndReason) subagent.Result {
	switch end.Kind {
	case session.EndCompleted:
		return subagent.Result{Outcome: subagent.Completed}
	case session.EndAborted:
		return subagent.CancelledBy(ctx, "")
	case session.EndMaxTokens:
		return failed(string(subagent.CodeMaxTokens), "the answer was cut at the token limit")
	case session.EndMaxSteps:
		return failed(string(subagent.CodeMaxSteps), "the agent used up the steps that a turn may have")
	case session.EndBlocked:
		return failed(string(subagent.CodeRefusal), "a policy refused the prompt")
	case session.EndError:
		if end.Error != nil {
			return failed(end.Error.Code, end.Error.Message)
		}
	}
	return failed(agent.CodeUnknown, "the agent ended without a turn that accounts for it")
}

func failed(code, message string) subagent.Result {
	return subagent.Result{Outcome: subagent.Failed, Failure: &subagent.Failure{Code: code, Message: message}}
}
