package inprocess_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/prompt"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/inprocess"
	"github.com/dsh-go/dsh-workflow/tool"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// reply plays one answer of the model.
type reply func(ctx context.Context, yield func(llm.Chunk, error) bool)

// model is a scripted llm.Model. Each session plays the same replies from the
// start; the last one is played again when there are no more.
type model struct {
	replies []reply

	mu       sync.Mutex
	requests []llm.Request
	played   map[string]int
}

func newModel(replies ...reply) *model { return &model{replies: replies, played: map[string]int{}} }

func (m *model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		m.mu.Lock()
		m.requests = append(m.requests, req)
		n := min(m.played[req.SessionID], len(m.replies)-1)
		m.played[req.SessionID]++
		m.mu.Unlock()
		m.replies[n](ctx, yield)
	}
}

// sent returns the requests so far.
func (m *model) sent() []llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]llm.Request(nil), m.requests...)
}

func play(chunks ...llm.Chunk) reply {
	return func(_ context.Context, yield func(llm.Chunk, error) bool) {
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
		}
	}
}

var spent = llm.UsageReport{Usage: llm.Usage{InputTokens: 10, OutputTokens: 3}}

func says(text string) reply {
	return play(llm.TextDelta{Text: text}, spent, llm.Finish{Reason: llm.FinishStop})
}

// calls answers with tool calls, their arguments in two parts.
func calls(all ...llm.ToolCall) reply {
	var chunks []llm.Chunk
	for i, c := range all {
		half := len(c.Arguments) / 2
		chunks = append(chunks,
			llm.ToolCallDelta{Index: i, ID: c.ID, Name: c.Name, Arguments: c.Arguments[:half]},
			llm.ToolCallDelta{Index: i, Arguments: c.Arguments[half:]})
	}
	return play(append(chunks, spent, llm.Finish{Reason: llm.FinishToolCalls})...)
}

// reports answers with a call of the tool for the structured result.
func reports(arguments string) reply {
	return calls(llm.ToolCall{ID: "s", Name: "structured_output", Arguments: arguments})
}

func fails(code llm.Code, before ...llm.Chunk) reply {
	return func(_ context.Context, yield func(llm.Chunk, error) bool) {
		for _, c := range before {
			if !yield(c, nil) {
				return
			}
		}
		yield(nil, &llm.Error{Kind: code, Message: "scripted " + string(code)})
	}
}

// hangs says something and is then silent until ctx ends.
func hangs(text string) reply {
	return func(ctx context.Context, yield func(llm.Chunk, error) bool) {
		if text != "" && !yield(llm.TextDelta{Text: text}, nil) {
			return
		}
		<-ctx.Done()
		yield(nil, &llm.Error{Kind: llm.CodeAborted, Message: "aborted", Err: context.Cause(ctx)})
	}
}

// rig is a provider with what it was made of.
type rig struct {
	t        *testing.T
	model    *model
	provider subagent.Provider
	dir      string // of session logs
	cwd      string
}

var route = llm.Config{Provider: "p", Model: "m"}

// newRig makes a provider over replies; change may alter its configuration.
func newRig(t *testing.T, change func(*inprocess.Config), replies ...reply) *rig {
	t.Helper()
	r := &rig{t: t, model: newModel(replies...), dir: filepath.Join(t.TempDir(), "sessions"), cwd: t.TempDir()}
	c := inprocess.Config{
		Resolve: inprocess.Fixed(r.model, route),
		Retry:   llm.Retry{Max: -1},
	}
	if change != nil {
		change(&c)
	}
	r.provider = inprocess.Spawn(c)
	return r
}

// filesOf gives all children the same instruction files.
func filesOf(c prompt.InstructionsConfig) func(inprocess.Site) *prompt.Instructions {
	files := prompt.NewInstructions(c)
	return func(inprocess.Site) *prompt.Instructions { return files }
}

func (r *rig) request() subagent.Request {
	return subagent.Request{
		Call:   "run/1",
		Label:  "audit",
		Prompt: "do the work",
		Lineage: subagent.Lineage{
			Run: "run", Parent: "parent-session", Root: r.cwd, Cwd: r.cwd, Sessions: r.dir, Trusted: true, Guided: true,
		},
	}
}

const personSchema = `{"type":"object","properties":{"name":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},"age":{"type":"integer"}},"required":["name"],"additionalProperties":false}`

func (r *rig) structured() subagent.Request {
	req := r.request()
	req.Schema = json.RawMessage(personSchema)
	return req
}

func (r *rig) start(req subagent.Request) subagent.Child {
	r.t.Helper()
	c, err := r.provider.Start(r.t.Context(), req)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if err := c.Close(); err != nil {
			r.t.Errorf("close: %v", err)
		}
	})
	return c
}

// run starts a child, waits for its result and closes it. Every request that
// was sent must be what its log says.
func (r *rig) run(req subagent.Request) (subagent.Result, *session.Log) {
	r.t.Helper()
	c := r.start(req)
	result, err := c.Wait(r.t.Context())
	if err != nil {
		r.t.Fatalf("wait: %v", err)
	}
	if err := c.Close(); err != nil {
		r.t.Fatalf("close: %v", err)
	}
	log := r.log(c.ID())
	r.checkRequests(c.ID(), log)
	return result, log
}

// log reads a child's session back from its file.
func (r *rig) log(id string) *session.Log {
	r.t.Helper()
	sink, header, events, err := session.ResumeFile(filepath.Join(r.dir, id+".jsonl"))
	if err != nil {
		r.t.Fatal(err)
	}
	if err := sink.Close(); err != nil {
		r.t.Fatal(err)
	}
	log, err := session.New(header, session.Options{Seed: events})
	if err != nil {
		r.t.Fatal(err)
	}
	return log
}

// checkRequests is the request theorem: the log alone makes every request of the
// session again.
func (r *rig) checkRequests(id string, log *session.Log) {
	r.t.Helper()
	var sent []llm.Request
	for _, req := range r.model.sent() {
		if req.SessionID == id {
			req.SessionID, req.Stall = "", 0
			sent = append(sent, req)
		}
	}
	events := log.Events(0)
	attempts := session.Attempts(events)
	if len(attempts) < len(sent) {
		r.t.Fatalf("%d requests, but %d in the log", len(sent), len(attempts))
	}
	for i, req := range sent {
		want, err := session.Rebuild(events, attempts[i])
		if err != nil {
			r.t.Fatal(err)
		}
		if diff := cmp.Diff(want, req, cmpopts.EquateEmpty()); diff != "" {
			r.t.Errorf("request %d is not what the log says (-log +sent):\n%s", i, diff)
		}
	}
}

// story prints a log in short, without inbox, chunks and steps.
func story(log *session.Log) string {
	var words []string
	for _, e := range log.Events(0) {
		switch d := e.Data.(type) {
		case session.TurnStart:
			words = append(words, "turn")
		case session.TurnEnd:
			words = append(words, "end:"+d.Reason.Kind)
		case session.Descriptor:
			words = append(words, "descriptor")
		case session.UserMessage:
			words = append(words, d.Message.Source.Kind+":"+textOf(d.Message.Content))
		case session.AssistantMessage:
			words = append(words, "model:"+textOf(d.Message.Content))
		case session.ToolResult:
			w := "ok"
			if d.Error != nil {
				w = d.Error.Code
			}
			words = append(words, "result:"+w)
		case session.Opaque:
			words = append(words, d.Type)
		}
	}
	return strings.Join(words, " ")
}

func textOf(blocks []llm.Block) string {
	var b strings.Builder
	for _, block := range blocks {
		switch block := block.(type) {
		case llm.Text:
			b.WriteString(strings.ReplaceAll(block.Text, " ", "_"))
		case llm.ToolCall:
			fmt.Fprintf(&b, "[%s]", block.Name)
		case llm.ToolResult:
			b.WriteString(textOf(block.Content))
		}
	}
	return b.String()
}

// toolResults lists the texts of all tool results of a log.
func toolResults(log *session.Log) []string {
	var out []string
	for _, e := range log.Events(0) {
		if r, ok := e.Data.(session.ToolResult); ok {
			for _, b := range r.Message.Content {
				if result, ok := b.(llm.ToolResult); ok {
					var text strings.Builder
					for _, part := range result.Content {
						if part, ok := part.(llm.Text); ok {
							text.WriteString(part.Text)
						}
					}
					out = append(out, text.String())
				}
			}
		}
	}
	return out
}

// withTools equips children with tools that count their calls.
func withTools(ran *counter, names ...string) func(*inprocess.Config) {
	return func(c *inprocess.Config) {
		c.Tools = func(context.Context, inprocess.Site) (*tool.Registry, error) {
			var tools []tool.Tool
			for _, name := range names {
				tools = append(tools, tool.Tool{
					Name: name, Description: name, Input: json.RawMessage(`{"type":"object"}`),
					Run: func(_ context.Context, call tool.Call) (tool.Result, error) {
						ran.add(call)
						return tool.Result{Content: tool.Text("ran " + call.Name)}, nil
					},
				})
			}
			return tool.NewRegistry(tools...)
		}
	}
}

// counter keeps the calls that ran.
type counter struct {
	mu    sync.Mutex
	calls []tool.Call
}

func (c *counter) add(call tool.Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, call)
}

func (c *counter) names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, call := range c.calls {
		out = append(out, call.Name)
	}
	return out
}
