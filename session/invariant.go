package session

// frame follows the turns and steps of a log and says which event may come
// next. It changes only in advance, after the event was accepted, so a refused
// event leaves no trace.
type frame struct {
	turn     int  // the last turn that was opened
	step     int  // the last step of that turn
	turnOpen bool // turn has not ended
	stepOpen bool // step has not ended
	calls    map[string]Seq
}

func violation(format string, args ...any) error {
	return fault(CodeInvariant, `invariant violated by "session": `+format, args...)
}

// check says why e may not come next, or nil.
func (f *frame) check(e Event) error {
	switch d := e.Data.(type) {
	case TurnStart:
		if f.turnOpen {
			return violation("turn/start %d while turn %d is open", d.Turn, f.turn)
		}
		if d.Turn != f.turn+1 {
			return violation("turn/start %d, expected %d", d.Turn, f.turn+1)
		}
	case TurnEnd:
		if !f.turnOpen || d.Turn != f.turn {
			return violation("turn/end %d is not the open turn", d.Turn)
		}
		if f.stepOpen {
			return violation("turn/end %d while step %d is open", d.Turn, f.step)
		}
	case StepStart:
		if !f.turnOpen || d.Turn != f.turn {
			return violation("step/start of turn %d, which is not open", d.Turn)
		}
		if f.stepOpen {
			return violation("step/start %d while step %d is open", d.Step, f.step)
		}
		if d.Step != f.step+1 {
			return violation("step/start %d, expected %d", d.Step, f.step+1)
		}
	case StepEnd:
		return f.inside(tagStepEnd, d.Turn, d.Step)
	case AssistantChunk:
		return f.inside(tagAssistantChunk, d.Turn, d.Step)
	case AssistantMessage:
		return f.inside(tagAssistantMessage, d.Turn, d.Step)
	case ToolCall:
		return f.inside(tagToolCall, d.Turn, d.Step)
	case ToolResult:
		return f.checkResult(d, e.Replace != nil)
	case Retry:
		return f.inside(tagRetry, d.Turn, d.Step)
	case RetryStarted:
		return f.inside(tagRetryStarted, d.Turn, d.Step)
	case RequestHeader:
		return f.insideTurn(tagRequestHeader)
	case Opaque:
		if d.Type == tagTodoWrite || d.Type == "request/context" {
			return f.insideTurn(d.Type)
		}
	}
	return nil
}

func (f *frame) inside(tag string, turn, step int) error {
	if !f.stepOpen || turn != f.turn || step != f.step {
		return violation("%s names turn %d step %d, which is not open", tag, turn, step)
	}
	return nil
}

func (f *frame) insideTurn(tag string) error {
	if !f.turnOpen {
		return violation("%s outside a turn", tag)
	}
	return nil
}

// checkResult: a fresh result answers a call of its own step, unless it says
// that the call never started; a result that replaces another one only rewrites
// history, which any open turn may do.
func (f *frame) checkResult(d ToolResult, replaces bool) error {
	if replaces {
		return f.insideTurn(tagToolResult)
	}
	if err := f.inside(tagToolResult, d.Turn, d.Step); err != nil {
		return err
	}
	result, ok := resultBlock(d)
	if !ok {
		return violation("tool/result needs a user message with exactly one tool-result block")
	}
	if _, called := f.calls[result.ToolCallID]; !called && (d.Error == nil || d.Error.Code != CodeToolNotStarted) {
		return violation("tool/result for %q without a tool/call in step %d", result.ToolCallID, f.step)
	}
	return nil
}

// advance takes e, which check accepted.
func (f *frame) advance(e Event) {
	switch d := e.Data.(type) {
	case TurnStart:
		f.turn, f.step, f.turnOpen = d.Turn, 0, true
	case TurnEnd:
		f.turnOpen = false
	case StepStart:
		f.step, f.stepOpen = d.Step, true
	case StepEnd:
		f.stepOpen, f.calls = false, nil
	case ToolCall:
		if f.calls == nil {
			f.calls = make(map[string]Seq)
		}
		f.calls[d.CallID] = e.Seq
	case EndSeed:
		f.turnOpen, f.stepOpen, f.calls = false, false, nil
	}
}
