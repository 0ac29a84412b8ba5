package sim

import (
	"fmt"
	"strings"

	"github.com/dsh-go/dsh-workflow/llm"
)

// step decides what to do in this turn. The key names the decision: attempts at
// it are counted together.
func (m *Model) step(req llm.Request, talk *conversation) (Step, string, error) {
	plan, err := FindPlan(talk.turns)
	if err != nil {
		failure := fault(llm.CodeInvalidRequest, "%v", err)
		failure.Err = err
		return Step{}, "", failure
	}
	if plan != nil {
		return plan.Step(), plan.Key(), nil
	}
	seed := talk.seed(m.cfg.Seed)
	key := fmt.Sprintf("%016x", seed)
	if talk.capture < 0 || talk.settled {
		return Step{Answer: Answer{Text: prose(talk, seed)}}, key, nil
	}
	return Step{}, key, fault(llm.CodeInvalidRequest, "no value for the schema")
}

// quotedWords is how much of a prompt an answer repeats.
const quotedWords = 12

func prose(talk *conversation, seed uint64) string {
	if talk.settled {
		return "[simulated] done"
	}
	words := strings.Fields(talk.prompt)
	quote, more := strings.Join(words[:min(len(words), quotedWords)], " "), ""
	if len(words) > quotedWords {
		more = " …"
	}
	if r := []rune(quote); len(r) > 120 {
		quote, more = string(r[:120]), " …"
	}
	return fmt.Sprintf("[simulated %04x] No model was asked: this answer was made up for the prompt that begins “%s%s”.", uint16(seed), quote, more)
}
