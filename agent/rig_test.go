package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/tool"
)

// tb is what the rig needs of a test, a benchmark or a property.
type tb interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Fatal(args ...any)
	Cleanup(f func())
}

// reply plays one stream of the model.
type reply func(ctx context.Context, yield func(llm.Chunk, error) bool)

// model is a scripted llm.Model: it plays its replies in order and keeps what it
// was asked.
type model struct {
	log *session.Log // to know where in the log each request was made

	mu       sync.Mutex
	replies  []reply
	requests []llm.Request
	at       []int // length of the log when the request came
}

func (m *model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		m.mu.Lock()
		m.requests = append(m.requests, req)
		m.at = append(m.at, m.log.Len())
		var next reply
		if len(m.replies) > 0 {
			next, m.replies = m.replies[0], m.replies[1:]
		}
		m.mu.Unlock()
		if next == nil {
			yield(nil, &llm.Error{Kind: llm.CodeInvalidRequest, Message: "the script is at its end"})
			return
		}
		next(ctx, yield)
	}
}

// play yields chunks until the consumer has enough.
func play(chunks ...llm.Chunk) reply {
	return func(_ context.Context, yield func(llm.Chunk, error) bool) {
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// says answers with text.
func says(text string) reply {
	return play(llm.TextDelta{Text: text}, usage(10, 2), llm.Finish{Reason: llm.FinishStop})
}

// calls answers with tool calls.
func calls(all ...llm.ToolCall) reply {
	var chunks []llm.Chunk
	for i, c := range all {
		chunks = append(chunks, llm.ToolCallDelta{Index: i, ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	return play(append(chunks, usage(20, 5), llm.Finish{Reason: llm.FinishToolCalls})...)
}

// fails yields chunks and then an error.
func fails(err error, chunks ...llm.Chunk) reply {
	return func(ctx context.Context, yield func(llm.Chunk, error) bool) {
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
		}
		yield(nil, err)
	}
}

// hangs yields chunks, runs then, and is silent until its context ends.
func hangs(then func(), chunks ...llm.Chunk) reply {
	return func(ctx context.Context, yield func(llm.Chunk, error) bool) {
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
		}
		then()
		<-ctx.Done()
		yield(nil, &llm.Error{Kind: llm.CodeAborted, Message: "aborted", Err: context.Cause(ctx)})
	}
}

// meanwhile runs f in the middle of a stream.
func meanwhile(f func(), r reply) reply {
	return func(ctx context.Context, yield func(llm.Chunk, error) bool) {
		f()
		r(ctx, yield)
	}
}

func usage(in, out int) llm.Chunk {
	return llm.UsageReport{Usage: llm.Usage{InputTokens: in, OutputTokens: out}}
}

// rig is an agent over a scripted model, a real log and a real registry.
type rig struct {
	*agent.Agent
	t     tb
	log   *session.Log
	model *model
	cfg   agent.Config
}

// newRig makes one. change may edit the configuration; it may be nil.
func newRig(t tb, change func(*agent.Config), replies ...reply) *rig {
	t.Helper()
	log, err := session.New(session.Header{ID: "s", Cwd: "/w"}, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return rigOver(t, log, change, replies...)
}

func rigOver(t tb, log *session.Log, change func(*agent.Config), replies ...reply) *rig {
	t.Helper()
	m := &model{log: log, replies: replies}
	ids := 0
	var mu sync.Mutex
	cfg := agent.Config{
		Session: log, Model: m,
		Route:  llm.Config{Provider: "p", Model: "m"},
		Prompt: func(context.Context) (string, error) { return "system text", nil },
		NewID: func() string {
			mu.Lock()
			defer mu.Unlock()
			ids++
			return fmt.Sprintf("%d-%d", log.Len(), ids)
		},
	}
	if change != nil {
		change(&cfg)
	}
	a, err := agent.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Agent: a, t: t, log: log, model: m, cfg: cfg}
	t.Cleanup(r.checkTheorem)
	return r
}

// checkTheorem rebuilds every request that the model got from the log alone.
func (r *rig) checkTheorem() {
	r.t.Helper()
	for i, got := range r.model.requests {
		want, err := session.Rebuild(r.log.Events(0), r.attempt(r.model.at[i]))
		if err != nil {
			r.t.Errorf("request %d cannot be rebuilt: %v", i, err)
			continue
		}
		got.SessionID, got.Stall = "", 0
		want.SessionID, want.Stall = "", 0
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			r.t.Errorf("request %d is not what the log says (-log +sent):\n%s", i, diff)
		}
	}
}

// attempt names the request that was made when the log had so many events.
func (r *rig) attempt(length int) session.Attempt {
	all := session.Attempts(r.log.Events(0)[:length])
	return all[len(all)-1]
}

// run drives the agent and checks that the log is balanced afterwards.
func (r *rig) run(ctx context.Context) agent.Outcome {
	r.t.Helper()
	out, err := r.Run(ctx)
	if err != nil {
		r.t.Fatalf("run: %v", err)
	}
	if turn, open := r.log.Turn(); open {
		r.t.Fatalf("turn %d is open after Run", turn)
	}
	return out
}

// prompt queues a message and drives the agent.
func (r *rig) prompt(text string) agent.Outcome {
	r.t.Helper()
	r.queue(r.Followup, text)
	return r.run(context.Background())
}

// queue hands a message to one of the inbox methods.
func (r *rig) queue(how func(llm.Message) error, text string) {
	r.t.Helper()
	if err := how(say(text)); err != nil {
		r.t.Fatal(err)
	}
}

// say makes input.
func say(text string) llm.Message { return llm.Message{Content: tool.Text(text)} }

// events prints the log, one event a word, from the given number on.
func (r *rig) events(from int) string {
	var words []string
	for _, e := range r.log.Events(session.Seq(from)) {
		words = append(words, word(e.Data))
	}
	return strings.Join(words, " ")
}

// only prints the words of the whole log that begin with one of the given ones.
func (r *rig) only(prefixes string) string {
	var kept []string
	for _, w := range strings.Fields(r.events(0)) {
		for _, prefix := range strings.Fields(prefixes) {
			if strings.HasPrefix(w, prefix) {
				kept = append(kept, w)
				break
			}
		}
	}
	return strings.Join(kept, " ")
}

func word(d session.Data) string {
	switch d := d.(type) {
	case session.TurnStart:
		return fmt.Sprintf("turn%d", d.Turn)
	case session.TurnEnd:
		s := "end:" + d.Reason.Kind
		if d.Reason.Cause != "" {
			s += "(" + d.Reason.Cause + ")"
		}
		if d.Reason.Error != nil {
			s += "(" + d.Reason.Error.Code + ")"
		}
		return s
	case session.StepStart:
		return fmt.Sprintf("step%d", d.Step)
	case session.StepEnd:
		return "/step"
	case session.UserMessage:
		return "user:" + text(d.Message)
	case session.AssistantChunk:
		return "."
	case session.AssistantMessage:
		if d.Interrupted {
			return "cut:" + text(d.Message)
		}
		return "model:" + text(d.Message)
	case session.ToolCall:
		return "call:" + d.CallID
	case session.ToolResult:
		s := "result:" + text(d.Message)
		if d.Error != nil {
			s += "(" + d.Error.Code + ")"
		}
		return s
	case session.RequestHeader:
		return "header:" + d.Reason
	case session.InboxSpliced:
		s := fmt.Sprintf("%s+%d-%d", strings.TrimPrefix(d.Target, "next-"), len(d.Inserted), d.Removed)
		if d.Outcome != "" {
			s += "!"
		}
		return s
	case session.Retry:
		return fmt.Sprintf("retry%d:%s", d.Attempt, d.Failure.Code)
	case session.RetryStarted:
		return fmt.Sprintf("again%d", d.Attempt)
	case session.EndSeed:
		return "seed"
	}
	return fmt.Sprintf("%T", d)
}

// text prints what a message holds; spaces become underscores.
func text(m llm.Message) string {
	var parts []string
	for _, b := range m.Content {
		switch b := b.(type) {
		case llm.Text:
			parts = append(parts, b.Text)
		case llm.Reasoning:
			parts = append(parts, "("+b.Text+")")
		case llm.ToolCall:
			parts = append(parts, "["+b.ID+"]")
		case llm.ToolResult:
			parts = append(parts, b.ToolCallID+"="+text(llm.Message{Content: b.Content}))
		}
	}
	return strings.ReplaceAll(strings.Join(parts, ""), " ", "_")
}

// history prints the messages of one request.
func (r *rig) history(i int) string {
	r.t.Helper()
	if i >= len(r.model.requests) {
		r.t.Fatalf("the model got %d requests, not %d", len(r.model.requests), i+1)
	}
	var words []string
	for _, m := range r.model.requests[i].Messages {
		words = append(words, text(m))
	}
	return strings.Join(words, " ")
}

// same fails the test unless both texts are equal.
func same(t tb, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

// registry makes a real registry.
func registry(t tb, tools ...tool.Tool) *tool.Registry {
	t.Helper()
	reg, err := tool.NewRegistry(tools...)
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

// shell is a tool with an open schema; parallel says whether it may run beside
// others.
func shell(name string, parallel bool, run func(ctx context.Context, c tool.Call) (tool.Result, error)) tool.Tool {
	t := tool.Tool{Name: name, Description: name, Input: json.RawMessage(`{"type":"object"}`), Run: run}
	if parallel {
		t.Parallel = func(json.RawMessage) bool { return true }
	}
	return t
}

// echo answers with its arguments.
func echo(parallel bool) tool.Tool {
	return shell("echo", parallel, func(_ context.Context, c tool.Call) (tool.Result, error) {
		return tool.Result{Content: tool.Text(string(c.Arguments))}, nil
	})
}

func call(id, name, args string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: name, Arguments: args}
}
