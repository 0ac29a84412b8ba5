package sim

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/dsh-go/dsh-workflow/llm"
)

// playback is one request being answered, by the goroutine that ranges over it.
type playback struct {
	ctx   context.Context
	model *Model
	yield func(llm.Chunk, error) bool
	stall time.Duration // the longest silence that the request tolerates
	left  bool          // the reader broke out
}

var errLeft = errors.New("the reader left")

func (p *playback) run(req llm.Request) error {
	talk := understand(req)
	step, key, err := p.model.step(req, &talk)
	if err != nil {
		return err
	}
	attempt := hashOf(req.SessionID, key)
	tried := p.model.attempt(attempt)
	p.model.cfg.Faults.draw(&step, talk.seed(p.model.cfg.Seed), tried)

	err = p.play(req, &talk, step, tried)
	if p.left || p.ctx.Err() != nil {
		return err // says nothing about the request
	}
	if err != nil {
		p.model.failed(attempt, tried+1)
	}
	return err
}

func (p *playback) play(req llm.Request, talk *conversation, step Step, tried int) error {
	if err := p.wait(p.model.cfg.Latency + ms(step.DelayMs)); err != nil {
		return err
	}
	if f := step.Fail; f != nil && Fails(f.Times, tried) {
		return f.failure()
	}
	drops := step.Drop != "" && Fails(step.Times, tried)
	if drops && step.Drop == DropStart {
		return fault(llm.CodeTransport, "connection cut before the response")
	}
	if err := step.unreadable(); err != nil {
		return err
	}
	if err := p.wait(p.model.cfg.TTFT); err != nil {
		return err
	}
	size := measure(req)
	cached := p.model.prefixes.Cached(size)
	p.model.prefixes.Store(size)

	capture := ""
	if talk.capture >= 0 {
		capture = req.Tools[talk.capture].Name
	}
	calls := step.Calls(capture, fmt.Sprintf("call_%012x", size.sum()&(1<<48-1)))
	if step.EmptyChoices {
		calls, step.Answer = nil, Answer{Usage: step.Usage, Finish: step.Finish}
	}
	if err := p.content(&step, calls, drops); err != nil {
		return err
	}
	usage := llm.Usage{InputTokens: size.Tokens() - cached, CacheReadTokens: cached, OutputTokens: OutputTokens(&step.Answer, calls), ReasoningTokens: Tokens(utf8.RuneCountInString(step.Thinking()))}
	if err := p.emit(llm.UsageReport{Usage: overlay(usage, step.Usage)}); err != nil {
		return err
	}
	reason, err := step.ending(calls)
	if err != nil {
		return err
	}
	return p.emit(llm.Finish{Reason: reason, Served: req.Config.Model, RequestID: fmt.Sprintf("sim-%016x", size.sum())})
}

// content streams what the model says, and what goes wrong meanwhile.
func (p *playback) content(step *Step, calls []llm.ToolCall, drops bool) error {
	for range step.Keepalives { // life, so the silence starts anew with each
		if err := p.wait(ms(step.KeepaliveMs)); err != nil {
			return err
		}
	}
	events := chunks(&step.Answer, calls)
	stallAfter := 2
	if step.StallAfter != nil {
		stallAfter = *step.StallAfter
	}
	stallAfter = min(stallAfter, len(events))
	for i := 0; i <= len(events); i++ {
		if drops && i == (len(events)+1)/2 {
			return fault(llm.CodeTransport, "connection cut in the middle of the answer")
		}
		if i == stallAfter && step.StallMs != 0 {
			if err := p.wait(ms(step.StallMs)); err != nil {
				return err
			}
		}
		if i == len(events) {
			break
		}
		pace := ms(step.PaceMs) + time.Duration(Tokens(chars(events[i])))*p.model.cfg.PerToken
		if err := p.wait(pace); err != nil {
			return err
		}
		if err := p.emit(events[i]); err != nil {
			return err
		}
	}
	return step.broken()
}

func (p *playback) emit(c llm.Chunk) error {
	if p.ctx.Err() != nil {
		return p.aborted()
	}
	if !p.yield(c, nil) {
		p.left = true
		return errLeft
	}
	return nil
}

// wait passes time in silence; too much of it ends the request.
func (p *playback) wait(d time.Duration) error {
	if p.ctx.Err() != nil {
		return p.aborted()
	}
	if d == 0 {
		return nil
	}
	endless := d < 0
	if silent := endless || d > p.stall; silent {
		d = p.stall
		if !p.sleep(d) {
			return p.aborted()
		}
		return fault(llm.CodeTimeout, "no byte for %s", d)
	}
	if !p.sleep(d) {
		return p.aborted()
	}
	return nil
}

func (p *playback) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.ctx.Done():
		return false
	}
}

func (p *playback) aborted() error {
	err := fault(llm.CodeAborted, "request cancelled")
	err.Err = context.Cause(p.ctx)
	return err
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// chunks cuts an answer into events. Each part is a block with its own index.
func chunks(a *Answer, calls []llm.ToolCall) []llm.Chunk {
	var out []llm.Chunk
	index := 0
	if thinking := a.Thinking(); thinking != "" {
		for _, piece := range Pieces(thinking) {
			out = append(out, llm.ReasoningDelta{Index: index, Text: piece})
		}
		index++
	}
	if a.Text != "" {
		for _, piece := range Pieces(a.Text) {
			out = append(out, llm.TextDelta{Index: index, Text: piece})
		}
		index++
	}
	for _, c := range calls {
		out = append(out, llm.ToolCallDelta{Index: index, ID: c.ID, Name: c.Name})
		out = append(out, llm.ToolCallDelta{Index: index, Arguments: c.Arguments})
		index++
	}
	return out
}

// pieceChars is how much text one event carries.
const pieceChars = 16

// Pieces cuts a text into what the events of a stream carry, 16 characters each.
func Pieces(text string) []string {
	var out []string
	for text != "" {
		end, n := 0, 0
		for end < len(text) && n < pieceChars {
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
			n++
		}
		out, text = append(out, text[:end]), text[end:]
	}
	return out
}

func chars(c llm.Chunk) int {
	switch c := c.(type) {
	case llm.TextDelta:
		return utf8.RuneCountInString(c.Text)
	case llm.ReasoningDelta:
		return utf8.RuneCountInString(c.Text)
	case llm.ToolCallDelta:
		return utf8.RuneCountInString(c.Name) + utf8.RuneCountInString(c.Arguments)
	case llm.UsageReport, llm.Finish:
	}
	return 0
}

// OutputTokens counts an answer: text, reasoning, names and arguments of calls.
func OutputTokens(a *Answer, calls []llm.ToolCall) int {
	n := utf8.RuneCountInString(a.Text) + utf8.RuneCountInString(a.Thinking())
	for _, c := range calls {
		n += utf8.RuneCountInString(c.Name) + utf8.RuneCountInString(c.Arguments)
	}
	return max(1, Tokens(n))
}
