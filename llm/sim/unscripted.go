package sim

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/schema"
)

// step decides what to do in this turn. The key names the decision: attempts at
// it are counted together.
func (m *Model) step(req llm.Request, talk *conversation) (Step, string, error) {
	if !m.cfg.Unscripted {
		step, key, err := scripted(req, talk)
		if err != nil {
			failure := fault(llm.CodeInvalidRequest, "%v", err)
			failure.Err = err
			return Step{}, "", failure
		}
		if key != "" {
			return step, key, nil
		}
	}
	seed := talk.seed(m.cfg.Seed)
	key := fmt.Sprintf("%016x", seed)
	if talk.capture < 0 || talk.settled {
		return Step{Answer: Answer{Text: prose(talk, seed)}}, key, nil
	}
	value, err := madeUp(req.Tools[talk.capture].Parameters, seed)
	if err != nil {
		failure := fault(llm.CodeInvalidRequest, "no value for the schema of %s: %v", req.Tools[talk.capture].Name, err)
		failure.Err = err
		return Step{}, "", failure
	}
	return Step{Answer: Answer{Capture: value}}, key, nil
}

// madeUp returns a valid instance of the schema that differs with the seed where
// the schema lets it.
func madeUp(parameters json.RawMessage, seed uint64) (json.RawMessage, error) {
	compiled, err := schema.Compile(parameters)
	if err != nil {
		return nil, err
	}
	smallest, err := compiled.Example()
	if err != nil {
		return nil, err
	}
	l := &livener{seed: seed, example: schema.Example}
	lively := l.value(parameters, smallest, []string{"result"})
	if !compiled.Valid(lively) { // a schema can say more than the livener reads
		return smallest, nil
	}
	return lively, nil
}

// scripted returns the step that a script wants, and an empty key without one.
func scripted(req llm.Request, talk *conversation) (Step, string, error) {
	plan, err := FindPlan(talk.turns)
	if plan == nil || err != nil {
		return Step{}, "", err
	}
	step := plan.Step()
	if step.NeedsFill() {
		err = step.Fill(textOf(req))
	}
	return step, plan.Key(), err
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
