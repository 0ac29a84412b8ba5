package agent

import (
	"context"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
)

// ask makes attempts until one gives an answer, the policy gives up, or ctx
// ends. All of them send the same request and belong to the same step.
func (a *Agent) ask(ctx context.Context, t *turn, req llm.Request) (answer, error) {
	once := map[llm.Code]bool{}
	for failures := 1; ; failures++ {
		try, err := a.stream(ctx, t, req)
		if err != nil {
			return answer{}, err
		}
		if try.failure == nil {
			return a.commit(t, try, req.Config)
		}
		if end := ended(ctx, nil); end != nil {
			return answer{end: end}, a.keepPrefix(t, try, req.Config)
		}
		delay, again := a.cfg.Retry.Next(failures, try.failure, a.cfg.Random())
		if kind := try.failure.Kind; a.onlyOnce(kind) {
			again = again && !once[kind]
			once[kind] = true
		}
		if !again {
			return a.recover(ctx, try.failure)
		}
		if err := a.backOff(ctx, t, failures, delay, try.failure); err != nil {
			return answer{}, err
		}
		if end := ended(ctx, nil); end != nil {
			return answer{end: end}, nil
		}
	}
}

// onlyOnce reports whether one more attempt at such a failure is all that can
// help: a model that has nothing to say, or a server that hangs, does so again.
func (a *Agent) onlyOnce(kind llm.Code) bool {
	return kind == llm.CodeEmpty || kind == llm.CodeTimeout && !a.cfg.Retry.Always
}

// backOff records a retry and waits for its time, or for the end of ctx.
func (a *Agent) backOff(ctx context.Context, t *turn, n int, delay time.Duration, failure *llm.Error) error {
	scheduled := session.Retry{Turn: t.n, Step: t.step, Attempt: n, DelayMS: delay.Milliseconds(), Failure: recorded(failure)}
	if _, err := a.append(scheduled); err != nil {
		return err
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-timer.C:
	}
	if ctx.Err() != nil {
		return nil
	}
	_, err := a.append(session.RetryStarted{Turn: t.n, Step: t.step, Attempt: n})
	return err
}

// recover asks the hook about a failure that no retry mends.
func (a *Agent) recover(ctx context.Context, failure *llm.Error) (answer, error) {
	recovered, err := a.cfg.Hooks.Recover(ctx, failure)
	if end := ended(ctx, nil); end != nil {
		return answer{end: end}, nil
	}
	if recovered && err == nil {
		return answer{recovered: true}, nil
	}
	// The failure of the provider is what the turn failed with; why it could not be
	// mended is said after it.
	end := session.EndReason{Kind: session.EndError}
	f := recorded(failure)
	if err != nil {
		f.Message += "; " + llm.Chain(err)
	}
	end.Error = &f
	return answer{end: &end}, nil
}

// recorded is a failure as the log has it.
func recorded(failure *llm.Error) session.Failure {
	return session.Failure{
		Message: llm.Chain(failure), Code: string(failure.Kind), Status: failure.Status, RequestID: failure.RequestID,
	}
}
