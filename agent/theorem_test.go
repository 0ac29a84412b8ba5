package agent_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/tool"
)

// Whatever a model, its tools, the hooks and a user do: every request is what
// the log says, every answer cites its own chunks, and every call has its result.
// proves: A52
func TestEveryRequestIsInTheLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{t: t}
		w.rig = newRig(t, w.configure)
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			w.round()
		}
		w.rig.checkCitations()
		w.checkResults()
	})
}

// world draws what happens to one agent.
type world struct {
	t    *rapid.T
	rig  *rig
	text int // numbers all texts
}

func (w *world) chance(percent int, what string) bool {
	return rapid.IntRange(1, 100).Draw(w.t, what) <= percent
}

func (w *world) word() string {
	w.text++
	return fmt.Sprintf("w%d", w.text)
}

func (w *world) configure(c *agent.Config) {
	system := "first"
	c.MaxSteps = 6
	c.MaxParallel = rapid.IntRange(1, 3).Draw(w.t, "parallel")
	c.Retry = llm.Retry{Initial: time.Nanosecond, MaxDelay: time.Nanosecond, Max: 2}
	broken := shell("broken", true, func(context.Context, tool.Call) (tool.Result, error) { return tool.Result{}, errors.New("no") })
	conclude := shell("conclude", false, func(context.Context, tool.Call) (tool.Result, error) { return tool.Result{Concludes: true}, nil })
	reg, err := tool.NewRegistry(echo(true), broken, conclude)
	if err != nil {
		w.t.Fatal(err)
	}
	c.Tools = reg
	c.Prompt = func(context.Context) (string, error) {
		if w.chance(15, "prompt changes") {
			system = w.word()
		}
		if w.chance(3, "prompt fails") {
			return "", errors.New("prompt")
		}
		return system, nil
	}
	c.Hooks = agent.Hooks{PreStep: w.preStep, Stopping: w.stopping, Recover: func(context.Context, *llm.Error) (bool, error) {
		return w.chance(50, "recovers") && w.compact(), nil
	}}
}

func (w *world) preStep(_ context.Context, p agent.Proposal) ([]llm.Message, error) {
	if w.chance(20, "compacts") {
		w.compact()
	}
	switch {
	case w.chance(4, "blocks"):
		return nil, agent.ErrBlocked
	case p.Step == 1 && w.chance(20, "baseline"):
		return append([]llm.Message{say(w.word())}, p.Claimed...), nil
	}
	return p.Claimed, nil
}

func (w *world) stopping(context.Context, agent.Stop) ([]llm.Message, error) {
	if w.chance(15, "steers at the end") {
		return []llm.Message{say(w.word())}, nil
	}
	return nil, nil
}

// compact replaces a balanced beginning of the history by one message.
func (w *world) compact() bool {
	surface := w.rig.log.Surface()
	var cuts []int
	open := 0
	for i, e := range surface {
		switch d := e.Data.(type) {
		case session.AssistantMessage:
			for _, b := range d.Message.Content {
				if _, ok := b.(llm.ToolCall); ok {
					open++
				}
			}
		case session.ToolResult:
			open--
		}
		if open == 0 {
			cuts = append(cuts, i)
		}
	}
	if len(cuts) == 0 {
		return false
	}
	cut := rapid.SampledFrom(cuts).Draw(w.t, "cut")
	var shadowed []session.Seq
	for _, e := range surface[:cut+1] {
		shadowed = append(shadowed, e.Seq)
	}
	summary := session.UserMessage{Message: llm.Message{
		ID: w.word(), Role: llm.RoleUser, Content: tool.Text("summary " + w.word()), Source: llm.Source{Kind: llm.SourcePlugin, Plugin: "compact"},
	}}
	if _, err := w.rig.log.Replace(summary, session.Range{Start: shadowed[0], End: shadowed[cut]}, shadowed...); err != nil {
		w.t.Fatalf("compact: %v", err)
	}
	return true
}

// round queues some input and drives the agent, which may be cancelled.
func (w *world) round() {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	for range rapid.IntRange(1, 3).Draw(w.t, "prompts") {
		how := rapid.SampledFrom([]func(llm.Message) error{w.rig.Followup, w.rig.Steer, w.rig.Inject}).Draw(w.t, "how")
		if err := how(say(w.word())); err != nil {
			w.t.Fatal(err)
		}
	}
	stop := func() { cancel(&agent.Cancel{By: agent.ByUser, KeepInbox: w.chance(50, "keeps")}) }
	w.rig.model.replies = nil
	for range 40 {
		w.rig.model.replies = append(w.rig.model.replies, func(ctx context.Context, yield func(llm.Chunk, error) bool) {
			w.reply(stop)(ctx, yield)
		})
	}
	w.rig.run(ctx)
}

// reply draws one stream.
func (w *world) reply(stop func()) reply {
	if w.chance(10, "steers meanwhile") {
		w.rig.queue(w.rig.Steer, w.word())
	}
	text := llm.TextDelta{Text: w.word()}
	switch rapid.IntRange(0, 11).Draw(w.t, "reply") {
	case 0, 1, 2, 3:
		var batch []llm.ToolCall
		for i := range rapid.IntRange(1, 4).Draw(w.t, "calls") {
			name := rapid.SampledFrom([]string{"echo", "echo", "broken", "conclude", "unknown"}).Draw(w.t, "tool")
			batch = append(batch, call(fmt.Sprintf("c%d", i), name, rapid.SampledFrom([]string{"{}", "", `{"a":`, "null"}).Draw(w.t, "args")))
		}
		return calls(batch...)
	case 4:
		code := rapid.SampledFrom([]llm.Code{llm.CodeServer, llm.CodeAuth, llm.CodeContextWindow, llm.CodeMalformed, llm.CodeTimeout}).Draw(w.t, "code")
		return fails(failure(code), text)
	case 5:
		return play(llm.Finish{Reason: llm.FinishStop})
	case 6:
		return play(text, llm.ToolCallDelta{Index: 1, ID: "z", Name: "echo"}, llm.Finish{Reason: llm.FinishMaxTokens})
	case 7:
		return play(text) // no finish
	case 8:
		if w.chance(50, "cancels") {
			return hangs(stop, text, llm.ToolCallDelta{Index: 1, ID: "z", Name: "echo"})
		}
	}
	return says(text.Text)
}

// checkResults checks that each call of an answer that stands in the log has
// exactly one result, in the order of the calls.
func (w *world) checkResults() {
	var want, got []string
	for _, e := range w.rig.log.Events(0) {
		switch d := e.Data.(type) {
		case session.AssistantMessage:
			for _, b := range d.Message.Content {
				if c, ok := b.(llm.ToolCall); ok {
					want = append(want, c.ID)
				}
			}
		case session.ToolResult:
			got = append(got, d.Message.Source.CallID)
		}
	}
	if fmt.Sprint(want) != fmt.Sprint(got) {
		w.t.Errorf("calls %v, results %v\n%s", want, got, w.rig.events(0))
	}
}

// Input may come from any goroutine while the agent runs; none is lost and none
// is seen twice.
func TestInputFromManyGoroutines(t *testing.T) {
	const senders, each = 8, 20
	var replies []reply
	for range senders*each + 1 {
		replies = append(replies, says("ok"))
	}
	r := newRig(t, nil, replies...)
	r.queue(r.Followup, "start")
	var wg sync.WaitGroup
	for s := range senders {
		wg.Go(func() {
			how := []func(llm.Message) error{r.Followup, r.Steer}[s%2]
			for i := range each {
				if err := how(say(fmt.Sprintf("%d.%d", s, i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	r.run(context.Background())
	wg.Wait()
	r.run(context.Background())
	next := map[int]int{}
	for _, m := range r.log.Messages() {
		var s, i int
		if n, _ := fmt.Sscanf(text(m), "%d.%d", &s, &i); n != 2 {
			continue
		}
		if next[s] != i {
			t.Errorf("sender %d: message %d came when %d was due", s, i, next[s])
		}
		next[s]++
	}
	for s := range senders {
		if next[s] != each {
			t.Errorf("sender %d: %d of %d messages were seen", s, next[s], each)
		}
	}
}
