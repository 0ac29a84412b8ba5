package session

import (
	"slices"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/google/go-cmp/cmp"
)

// kinds names the tags of events, results with their error's code.
func kinds(events []Event) []string {
	var all []string
	for _, e := range events {
		name := tagOf(e.Data)
		if r, ok := e.Data.(ToolResult); ok && r.Error != nil {
			block, _ := resultBlock(r)
			name += " " + block.ToolCallID + " " + r.Error.Code
		}
		all = append(all, name)
	}
	return all
}

func calling(turn, step int, ids ...string) AssistantMessage {
	var blocks []llm.Block
	for _, id := range ids {
		blocks = append(blocks, llm.ToolCall{ID: id, Name: "read", Arguments: "{}"})
	}
	return answer(turn, step, "m-"+strings.Join(ids, "-"), blocks...)
}

// proves: A70, A71, A72, A74
func TestRepairClosesWhatIsOpen(t *testing.T) {
	step := []Data{TurnStart{1}, user("u", ""), StepStart{1, 1}, calling(1, 1, "a", "b"), toolCall(1, 1, "a"), result(1, 1, "a", "x")}
	for name, test := range map[string]struct {
		log  []Data
		want []string
	}{
		"empty":          {nil, nil},
		"balanced":       {[]Data{TurnStart{1}, ended(1), user("u", "")}, nil},
		"turn only":      {[]Data{TurnStart{1}, user("u", "")}, []string{"turn/end"}},
		"step":           {[]Data{TurnStart{1}, StepStart{1, 1}}, []string{"step/end", "turn/end"}},
		"step, one left": {step, []string{"tool/result b TOOL_NOT_STARTED", "step/end", "turn/end"}},
		"closed step":    {append(slices.Clip(step), StepEnd{1, 1}), []string{"turn/end"}},
		"earlier turn":   {append(slices.Clip(step), StepEnd{1, 1}, ended(1), TurnStart{2}), []string{"turn/end"}},
		"next step":      {append(slices.Clip(step), StepEnd{1, 1}, StepStart{1, 2}), []string{"step/end", "turn/end"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := open(t)
			feed(t, l, test.log...)
			closing := Repair(l.Events(0))
			if d := cmp.Diff(test.want, kinds(closing)); d != "" {
				t.Error(d)
			}
			for i, e := range closing {
				last := l.Events(Seq(l.Len() - 1))[0]
				if e.Seq != last.Seq+1+Seq(i) || !e.Time.Equal(last.Time) {
					t.Errorf("event %d has the number %d and the time %v", i, e.Seq, e.Time)
				}
			}
			if n := len(closing); n > 0 && closing[n-1].Data.(TurnEnd).Reason.Kind != EndInterrupted {
				t.Error("the turn is not ended as interrupted")
			}
		})
	}
}

// proves: A73, A75, A76
func TestRepairAnswersOpenCalls(t *testing.T) {
	l := open(t)
	feed(t, l, TurnStart{1}, user("u", ""), StepStart{1, 1}, calling(1, 1, "a", "b", "c"), toolCall(1, 1, "a"), toolCall(1, 1, "b"), result(1, 1, "b", "x"))
	closing := Repair(l.Events(0))
	want := []string{"tool/result a TOOL_OUTCOME_UNKNOWN", "tool/result c TOOL_NOT_STARTED", "step/end", "turn/end"}
	if d := cmp.Diff(want, kinds(closing)); d != "" {
		t.Fatal(d)
	}
	if d := cmp.Diff([]Seq{4}, closing[0].Sources); d != "" {
		t.Error(d)
	}
	if id := closing[1].Data.(ToolResult).Message.ID; id != "interrupted-tool-result-c-8" {
		t.Errorf("id %q", id)
	}
	grown, err := New(plainHeader, Options{Seed: append(slices.Clip(l.Events(0)), closing...)})
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, m := range grown.Messages() {
		for _, b := range m.Content {
			if r, ok := b.(llm.ToolResult); ok && r.IsError {
				failed++
			}
		}
	}
	if failed != 2 {
		t.Errorf("%d error results, want one for each open call", failed)
	}
	if again := Repair(grown.Events(0)); again != nil {
		t.Errorf("repaired twice: %v", kinds(again))
	}
}

// A log that is cut after any of its events is repaired into a history in which
// every call has exactly one answer, right behind it.
func TestEveryCutIsRepaired(t *testing.T) {
	l := open(t)
	feed(t, l, TurnStart{1}, user("u", ""), StepStart{1, 1}, RequestHeader{Header: epoch("")}, calling(1, 1, "a", "b", "c"),
		toolCall(1, 1, "a"), toolCall(1, 1, "b"), result(1, 1, "b", ""), result(1, 1, "a", ""), toolCall(1, 1, "c"), result(1, 1, "c", ""),
		user("context", ""), StepEnd{1, 1}, StepStart{1, 2}, calling(1, 2, "d"), toolCall(1, 2, "d"), result(1, 2, "d", ""),
		StepEnd{1, 2}, ended(1), TurnStart{2}, user("u2", ""), StepStart{2, 1}, answer(2, 1, "x", llm.Text{Text: "done"}), StepEnd{2, 1}, ended(2))
	for cut := range l.Len() + 1 {
		events := l.Events(0)[:cut:cut]
		repaired, err := New(plainHeader, Options{Seed: append(events, Repair(events)...)})
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		open := map[string]bool{}
		for _, m := range repaired.Messages() {
			for _, b := range m.Content {
				switch b := b.(type) {
				case llm.ToolCall:
					open[b.ID] = true
				case llm.ToolResult:
					if !open[b.ToolCallID] {
						t.Errorf("cut at %d: an answer to %q, which does not wait for one", cut, b.ToolCallID)
					}
					delete(open, b.ToolCallID)
				default:
					if len(open) > 0 {
						t.Errorf("cut at %d: %v have no answer before %q", cut, open, m.ID)
					}
				}
			}
		}
		if len(open) > 0 {
			t.Errorf("cut at %d: %v have no answer", cut, open)
		}
		turn, still := repaired.Turn()
		if still {
			t.Errorf("cut at %d: turn %d is open", cut, turn)
		}
	}
}
