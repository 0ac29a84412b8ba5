package agent_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
)

// proves: W287, W289, A174
func TestFold(t *testing.T) {
	completed := session.EndReason{Kind: session.EndCompleted}
	broken := session.EndReason{Kind: session.EndError, Error: &session.Failure{Code: "X", Message: "x"}}
	claim := session.InboxSpliced{Target: "next-turn", Removed: 1}
	withdrawn := session.InboxSpliced{Target: "next-turn", Removed: 1, Outcome: "canceled"}
	stepped := func(turn int, end session.EndReason) []session.Data {
		return []session.Data{
			session.TurnStart{Turn: turn}, claim, session.StepStart{Turn: turn, Step: 1}, session.StepEnd{Turn: turn, Step: 1},
			session.TurnEnd{Turn: turn, Reason: end},
		}
	}
	answer := func(text string, out int) session.AssistantMessage {
		return session.AssistantMessage{Message: llm.Message{Content: []llm.Block{llm.Text{Text: text}}}, Usage: &llm.Usage{OutputTokens: out}}
	}
	report := func(out int) session.AssistantChunk {
		return session.AssistantChunk{Chunk: llm.UsageReport{Usage: llm.Usage{OutputTokens: out}}}
	}
	delta := func(text string) session.AssistantChunk {
		return session.AssistantChunk{Chunk: llm.TextDelta{Text: text}}
	}

	cases := map[string]struct {
		events []session.Data
		want   agent.Outcome
	}{
		"nothing": {nil, agent.Outcome{}},
		"claimed, then failed": {
			[]session.Data{session.TurnStart{Turn: 1}, claim, session.TurnEnd{Turn: 1, Reason: broken}},
			agent.Outcome{End: broken, Turns: 1},
		},
		"emptied claim": {
			[]session.Data{session.TurnStart{Turn: 1}, claim, session.TurnEnd{Turn: 1, Reason: completed}},
			agent.Outcome{Turns: 1},
		},
		"nothing claimed, then failed": {
			[]session.Data{session.TurnStart{Turn: 1}, session.TurnEnd{Turn: 1, Reason: broken}},
			agent.Outcome{Turns: 1},
		},
		"the last that accounts": {
			slices.Concat(stepped(1, broken), stepped(2, completed), []session.Data{session.TurnStart{Turn: 3}, session.TurnEnd{Turn: 3, Reason: completed}}),
			agent.Outcome{End: completed, Turns: 3, Steps: 2},
		},
		"withdrawn afterwards": {
			append(stepped(1, completed), withdrawn),
			agent.Outcome{End: completed, Turns: 1, Steps: 1, Dropped: true},
		},
		"withdrawn, absorbed by a later turn": {
			slices.Concat([]session.Data{withdrawn}, stepped(1, completed)),
			agent.Outcome{End: completed, Turns: 1, Steps: 1},
		},
		"withdrawn, and a later turn that does not account": {
			slices.Concat(stepped(1, completed), []session.Data{withdrawn, session.TurnStart{Turn: 2}, session.TurnEnd{Turn: 2, Reason: completed}}),
			agent.Outcome{End: completed, Turns: 2, Steps: 1, Dropped: true},
		},
		"usage of all attempts, the last report of each": {
			[]session.Data{report(1), report(3), session.Retry{}, report(5), answer("a", 5), session.StepEnd{}, report(7), session.StepEnd{}},
			agent.Outcome{Text: "a", Usage: llm.Usage{OutputTokens: 15}},
		},
		"usage of an open attempt": {[]session.Data{report(2)}, agent.Outcome{Usage: llm.Usage{OutputTokens: 2}}},
		"last text that is not blank": {
			[]session.Data{delta("x"), answer("a", 0), answer(" \n", 0), delta("y")}, agent.Outcome{Text: "a"},
		},
		"text of the last attempt that had some": {
			[]session.Data{delta("x"), delta("y"), session.Retry{}, delta("z"), delta("!"), session.Retry{}, session.StepEnd{}},
			agent.Outcome{Text: "z!"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			events := func(yield func(session.Event) bool) {
				for _, d := range c.events {
					if !yield(session.Event{Data: d}) {
						return
					}
				}
			}
			if diff := cmp.Diff(c.want, agent.Fold(events)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
