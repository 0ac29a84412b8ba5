package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
)

// answer is what one step came to.
type answer struct {
	end       *session.EndReason // set: the turn ends with it
	calls     []llm.ToolCall
	text      string
	maxTokens bool // the answer was cut at the token limit
	concluded bool // a tool asked for the end of the turn
	recovered bool // the request failed, but the history has changed since
}

// owed reports whether the turn needs another request even if nobody says more:
// the model waits for the results of its tools, or has not been answered.
func (g answer) owed() bool { return len(g.calls) > 0 && !g.concluded || g.recovered }

// runStep makes one request and runs the tools that it asks for. What enters the
// step is in the log already: the history as it is now, before the step starts,
// is what the model sees.
func (a *Agent) runStep(ctx context.Context, t *turn, system string) (answer, error) {
	history := a.log.History()
	if _, err := a.append(session.StepStart{Turn: t.n, Step: t.step}); err != nil {
		return answer{}, err
	}
	got, err := a.request(ctx, t, system, history)
	if err != nil {
		return answer{}, err
	}
	if got.end == nil && len(got.calls) > 0 {
		if got.concluded, err = a.runBatch(ctx, t, got.calls); err != nil {
			return answer{}, err
		}
	}
	_, err = a.append(session.StepEnd{Turn: t.n, Step: t.step})
	return got, err
}

// request fixes the header, makes both durable, and asks the model.
func (a *Agent) request(ctx context.Context, t *turn, system string, history []llm.Message) (answer, error) {
	header, end, err := a.header(ctx, system)
	if err != nil || end != nil {
		return answer{end: end}, err
	}
	if err := a.flush(ctx); err != nil {
		return answer{}, err
	}
	if end := ended(ctx, nil); end != nil {
		return answer{end: end}, nil
	}
	return a.ask(ctx, t, llm.Request{
		Config: header.Config, System: header.System, Tools: header.Tools, Messages: history,
		SessionID: a.id, Stall: a.cfg.Stall,
	})
}

// header records everything about the request but its messages.
func (a *Agent) header(ctx context.Context, system string) (session.EpochHeader, *session.EndReason, error) {
	var none session.EpochHeader
	route := a.route
	route.Stop = slices.Clone(route.Stop)
	route, err := a.cfg.Hooks.Request(ctx, route)
	if end := ended(ctx, err); end != nil {
		return none, end, nil
	}
	if route.Model == "" || route.Provider == "" {
		return none, &session.EndReason{Kind: session.EndError, Error: &session.Failure{
			Code:    CodeNoModel,
			Message: fmt.Sprintf("agent %q has no provider/model: name both in Config.Route or by the Request hook", a.id),
		}}, nil
	}
	h := session.EpochHeader{Config: route, System: system, Tools: a.specs}
	if err := a.log.RecordHeader(h, !a.asked); err != nil {
		return none, nil, &Error{Kind: CodeLog, Message: "append to session " + a.id, Err: err}
	}
	a.asked = true
	h, _ = a.log.RequestHeader()
	a.route = h.Config
	return h, nil, nil
}
