package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// texts names the messages of a history.
func texts(messages []llm.Message) []string {
	ids := []string{}
	for _, m := range messages {
		ids = append(ids, m.ID)
	}
	return ids
}

// proves: A13
func TestReplaceTakesTheWindow(t *testing.T) {
	l := open(t)
	feed(t, l, user("a", ""), user("b", ""), user("c", ""), user("d", ""))
	if _, err := l.Replace(user("s", "sum"), Range{1, 2}, 1, 2); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a", "s", "d"}, texts(l.Messages())); d != "" {
		t.Error(d)
	}
	// The replacing event is a node like any other, at the place of the window.
	if _, err := l.Replace(user("s2", "sum"), Range{0, 4}, 0, 4, 1); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"s2", "d"}, texts(l.Messages())); d != "" {
		t.Error(d)
	}
}

// proves: A14, A15
func TestReplaceThatDoesNotFit(t *testing.T) {
	l := open(t)
	feed(t, l, user("a", ""), user("b", ""), user("c", ""), TurnStart{1})
	if _, err := l.Replace(user("s", ""), Range{1, 1}, 1); err != nil {
		t.Fatal(err)
	}
	for text, test := range map[string]struct {
		window  Range
		sources []Seq
	}{
		"surface replace: start seq 1 not found in surface":          {Range{1, 2}, []Seq{1, 2}},
		"surface replace: end seq 3 not found in surface":            {Range{0, 3}, []Seq{0}},
		"surface replace: start seq 2 comes after end seq 0":         {Range{2, 0}, []Seq{0, 2}},
		"surface replace: shadowed event 4 is not among the sources": {Range{0, 2}, []Seq{0, 1, 2}},
		"sourceEventSeqs must not contain duplicates":                {Range{0, 0}, []Seq{0, 0}},
		"sourceEventSeqs must be earlier events, got 5 for event 5":  {Range{0, 0}, []Seq{0, 5}},
		"sourceEventSeqs must be earlier events, got -1 for event 5": {Range{0, 0}, []Seq{0, -1}},
	} {
		refused(t, l, CodeSurface, text, func() (Seq, error) { return l.Replace(user("x", ""), test.window, test.sources...) })
	}
	refused(t, l, CodeSurface, "not a surface event", func() (Seq, error) { return l.Replace(TurnStart{2}, Range{0, 0}) })
	refused(t, l, CodeSurface, "not allowed on turn/start", func() (Seq, error) { return l.Append(TurnStart{2}, 0) })
}

// proves: A16
func TestAnswerMayCiteNothing(t *testing.T) {
	l := open(t)
	feed(t, l, TurnStart{1}, StepStart{1, 1}, answer(1, 1, "a", llm.Text{Text: "x"}))
	if _, err := l.Append(answer(1, 1, "b"), []Seq{}...); err != nil {
		t.Error(err)
	}
	refused(t, l, CodeSurface, "must not be empty", func() (Seq, error) { return l.Append(user("b", ""), []Seq{}...) })
	refused(t, l, CodeSurface, "duplicates", func() (Seq, error) { return l.Append(user("b", ""), 2, 2) })
	refused(t, l, CodeSurface, "earlier", func() (Seq, error) { return l.Append(user("b", ""), 4) })
}

// proves: A17
func TestResultIsReplacedInItsContentOnly(t *testing.T) {
	l := open(t)
	first := result(1, 1, "c1", "long")
	first.Meta = json.RawMessage(`{"a":1}`)
	feed(t, l, TurnStart{1}, user("u", ""), StepStart{1, 1}, toolCall(1, 1, "c1"), toolCall(1, 1, "c2"), first, result(1, 1, "c2", "x"))
	other := func(change func(*ToolResult)) ToolResult {
		d := result(1, 1, "c1", "short")
		d.Meta = first.Meta
		change(&d)
		return d
	}
	replace := func(d ToolResult, window Range, sources ...Seq) func() (Seq, error) {
		return func() (Seq, error) { return l.Replace(d, window, sources...) }
	}
	same := func(*ToolResult) {}
	refused(t, l, CodeSurface, "only with different content", replace(other(func(d *ToolResult) { d.Meta = nil }), Range{5, 5}, 5))
	refused(t, l, CodeSurface, "only with different content", replace(other(func(d *ToolResult) { d.Error = &ToolError{Code: "x"} }), Range{5, 5}, 5))
	refused(t, l, CodeSurface, "only with different content", replace(other(func(d *ToolResult) { d.Message.ID = "x" }), Range{5, 5}, 5))
	refused(t, l, CodeSurface, "exactly one tool/result, not 2", replace(other(same), Range{5, 6}, 5, 6))
	refused(t, l, CodeSurface, "not user/message", replace(other(same), Range{1, 1}, 1))
	if _, err := l.Replace(other(same), Range{5, 5}, 5); err != nil {
		t.Fatal(err)
	}
	if got := l.Messages()[1].Content[0].(llm.ToolResult).Content[0]; got != (llm.Text{Text: "short"}) {
		t.Errorf("got %v", got)
	}
}

// proves: A9, A5
func TestHeldHistoryDoesNotGrow(t *testing.T) {
	l := open(t)
	feed(t, l, user("a", ""), user("b", ""))
	held, twin := l.Messages(), l.Messages()
	twin[0].ID = "changed"
	_ = append(held, llm.Message{ID: "mine"})
	feed(t, l, user("c", ""))
	if d := cmp.Diff([]string{"a", "b"}, texts(held)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"a", "b", "c"}, texts(l.Messages())); d != "" {
		t.Error(d)
	}
}

// derived is a second, simple way to the messages of a log.
func derived(events []Event) []llm.Message {
	var nodes []Event
	for _, e := range events {
		if !onSurface(e.Data) {
			continue
		}
		if e.Replace == nil {
			nodes = append(nodes, e)
			continue
		}
		var next []Event
		inside := false
		for _, node := range nodes {
			if node.Seq == e.Replace.Start {
				inside = true
				next = append(next, e)
			}
			if !inside {
				next = append(next, node)
			}
			if node.Seq == e.Replace.End {
				inside = false
			}
		}
		nodes = next
	}
	messages := []llm.Message{}
	for _, node := range nodes {
		switch d := node.Data.(type) {
		case UserMessage:
			messages = append(messages, d.Message)
		case ToolResult:
			messages = append(messages, d.Message)
		case AssistantMessage:
			if len(d.Message.Content) > 0 {
				messages = append(messages, d.Message)
			}
		}
	}
	return messages
}

// proves: A10, A11
func TestMessagesEqualDerivationFromScratch(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		l := open(t)
		feed(t, l, TurnStart{1}, StepStart{1, 1})
		for i := range rapid.IntRange(1, 60).Draw(r, "events") {
			before := l.Messages()
			silent := false
			var err error
			switch rapid.IntRange(0, 5).Draw(r, "kind") {
			case 0:
				_, err = l.Append(user(fmt.Sprint("u", i), "x"))
			case 1:
				content := []llm.Block{llm.Text{Text: "x"}}
				_, err = l.Append(answer(1, 1, fmt.Sprint("a", i), content[:rapid.IntRange(0, 1).Draw(r, "blocks")]...))
			case 2:
				silent = true
				_, err = l.Append(AssistantChunk{1, 1, llm.TextDelta{Text: "x"}})
			case 3:
				silent = true
				_, err = l.Append(Opaque{Type: "hook/result", Raw: json.RawMessage(`{}`)})
			default:
				nodes := l.Surface()
				if len(nodes) == 0 {
					continue
				}
				start := rapid.IntRange(0, len(nodes)-1).Draw(r, "start")
				end := rapid.IntRange(start, len(nodes)-1).Draw(r, "end")
				var sources []Seq
				for _, node := range nodes[start : end+1] {
					sources = append(sources, node.Seq)
				}
				_, err = l.Replace(user(fmt.Sprint("s", i), "x"), Range{nodes[start].Seq, nodes[end].Seq}, sources...)
			}
			if err != nil {
				r.Fatal(err)
			}
			if silent && !slices.Equal(texts(before), texts(l.Messages())) {
				r.Fatal("an event that is only logged has changed the history")
			}
			if !slices.Equal(texts(derived(l.Events(0))), texts(l.Messages())) {
				r.Fatalf("after event %d: %v", l.Len()-1, texts(l.Messages()))
			}
		}
		if d := cmp.Diff(derived(l.Events(0)), append([]llm.Message{}, l.Messages()...)); d != "" {
			r.Fatal(d)
		}
	})
}
