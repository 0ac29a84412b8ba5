package session

import "github.com/dsh-go/dsh-workflow/llm"

// Attempt names one request of a log: the StepStart of its step, and which
// attempt of the step it is, 0 for the first and n after the n-th RetryStarted.
type Attempt struct {
	Step Seq
	Try  int
}

// Attempts returns the requests of a log in the order in which they were made:
// one for each StepStart and one for each RetryStarted.
func Attempts(events []Event) []Attempt {
	var attempts []Attempt
	last := Attempt{Step: -1}
	for _, e := range events {
		switch e.Data.(type) {
		case StepStart:
			last = Attempt{Step: e.Seq}
		case RetryStarted:
			last.Try++
		default:
			continue
		}
		if last.Step >= 0 {
			attempts = append(attempts, last)
		}
	}
	return attempts
}

// Rebuild makes the request of an attempt again: the messages that stood on the
// surface before its StepStart, and the header as it stood when the attempt's
// first chunk came. Only what reaches the provider is set, not SessionID and
// Stall. It fails with an [*Error] when the log holds no such attempt, or no
// header for it.
func Rebuild(events []Event, a Attempt) (llm.Request, error) {
	if a.Step < 0 || int(a.Step) >= len(events) {
		return llm.Request{}, fault(CodeInvariant, "the log has no event %d", a.Step)
	}
	if _, ok := events[a.Step].Data.(StepStart); !ok {
		return llm.Request{}, fault(CodeInvariant, "event %d is %s, not %s", a.Step, tagOf(events[a.Step].Data), tagStepStart)
	}
	var history surface
	var epoch *EpochHeader
	for _, e := range events[:a.Step] {
		if err := history.check(e, e.Seq); err != nil {
			return llm.Request{}, err
		}
		history.apply(e)
		if header, ok := e.Data.(RequestHeader); ok {
			epoch = &header.Header
		}
	}
	tried, epoch := amend(events[a.Step+1:], a.Try, epoch)
	if tried < a.Try {
		return llm.Request{}, fault(CodeInvariant, "the step at event %d has %d attempts", a.Step, tried+1)
	}
	if epoch == nil {
		return llm.Request{}, fault(CodeCorrupt, "the step at event %d has no request header", a.Step)
	}
	return llm.Request{Config: epoch.Config, System: epoch.System, Tools: epoch.Tools, Messages: history.messages}, nil
}

// amend folds the headers that were recorded inside the step whose events begin
// with rest, up to the moment in which attempt try was answered.
func amend(rest []Event, try int, epoch *EpochHeader) (tried int, _ *EpochHeader) {
	for _, e := range rest {
		switch d := e.Data.(type) {
		case RequestHeader:
			epoch = &d.Header
		case RetryStarted:
			tried++
		case AssistantChunk, AssistantMessage, Retry:
			if tried == try {
				return tried, epoch
			}
		case StepEnd, TurnEnd, StepStart:
			return tried, epoch
		}
	}
	return tried, epoch
}
