package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/dsh-go/dsh-workflow/internal/plainjson"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// sent is what a loop gave to a model.
type sent struct {
	request llm.Request
	wire    string
}

func bytesOf(t testing.TB, r llm.Request) string {
	t.Helper()
	text, err := plainjson.Marshal(struct {
		H EpochHeader
		M []llm.Message
	}{EpochHeader{r.Config, r.System, r.Tools}, r.Messages})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// loop plays random turns on a log, in the order that the package asks for, and
// notes every request.
type loop struct {
	t     *testing.T
	r     *rapid.T
	l     *Log
	n     int
	sent  []sent
	asked bool
	path  string // empty for a log in memory
}

func (p *loop) add(d Data, sources ...Seq) Seq {
	seq, err := p.l.Append(d, sources...)
	if err != nil {
		p.r.Fatalf("%T: %v", d, err)
	}
	return seq
}

func (p *loop) id() string {
	p.n++
	return fmt.Sprint("id", p.n)
}

func (p *loop) chance(percent int, what string) bool {
	return rapid.IntRange(0, 99).Draw(p.r, what) < percent
}

func (p *loop) turn(turn int) {
	p.add(TurnStart{turn})
	p.add(user(p.id(), rapid.String().Draw(p.r, "text")))
	for step := 1; ; step++ {
		if p.chance(20, "compact") {
			p.compact()
		}
		if !p.step(turn, step) {
			break
		}
	}
	p.add(TurnEnd{turn, EndReason{Kind: EndCompleted}})
}

func (p *loop) compact() {
	nodes := p.l.Surface()
	if len(nodes) < 3 {
		return
	}
	end := rapid.IntRange(0, len(nodes)-2).Draw(p.r, "end")
	var sources []Seq
	for _, node := range nodes[:end+1] {
		sources = append(sources, node.Seq)
	}
	if _, err := p.l.Replace(user(p.id(), "summary"), Range{nodes[0].Seq, nodes[end].Seq}, sources...); err != nil {
		p.r.Fatal(err)
	}
}

func (p *loop) step(turn, step int) (more bool) {
	history := p.l.Messages()
	p.add(StepStart{turn, step})
	var chunks []Seq
	for try := 1; ; try++ {
		p.request(history)
		chunks = nil
		for range rapid.IntRange(0, 3).Draw(p.r, "chunks") {
			chunks = append(chunks, p.add(AssistantChunk{turn, step, llm.TextDelta{Text: rapid.String().Draw(p.r, "delta")}}))
		}
		if !p.chance(25, "fails") {
			break
		}
		p.add(Retry{Turn: turn, Step: step, Attempt: try, DelayMS: 1})
		p.add(RetryStarted{turn, step, try})
	}
	call := p.id()
	more = p.chance(50, "calls")
	if !more {
		p.add(answer(turn, step, p.id(), llm.Text{Text: "done"}), chunks...)
	} else {
		p.add(answer(turn, step, p.id(), llm.ToolCall{ID: call, Name: "t", Arguments: rapid.String().Draw(p.r, "args")}), chunks...)
		seq := p.add(toolCall(turn, step, call))
		p.add(result(turn, step, call, rapid.String().Draw(p.r, "result")), seq)
		if p.chance(30, "context") {
			p.add(user(p.id(), "context"))
		}
	}
	p.add(StepEnd{turn, step})
	return more
}

// request records the header and notes what is sent.
func (p *loop) request(history []llm.Message) {
	h := EpochHeader{Config: llm.Config{Provider: "p", Model: "m"}}
	h.System = rapid.SampledFrom([]string{"", "<s>", "s\xff"}).Draw(p.r, "system")
	if p.chance(50, "tools") {
		h.Tools = []llm.ToolSpec{{Name: "t", Parameters: json.RawMessage(`{"type": "object", "x": "<"}`)}}
	}
	if err := p.l.RecordHeader(h, !p.asked); err != nil {
		p.r.Fatal(err)
	}
	p.asked = true
	h, _ = p.l.RequestHeader()
	request := llm.Request{Config: h.Config, System: h.System, Tools: h.Tools, Messages: history}
	p.sent = append(p.sent, sent{request, bytesOf(p.t, request)})
}

// Every request, retries and a second process included, is built again, byte for
// byte. Every 25th log goes through a file.
// proves: A52
func TestEveryRequestRebuilds(t *testing.T) {
	dir, run := t.TempDir(), 0
	rapid.Check(t, func(r *rapid.T) {
		run++
		p := &loop{t: t, r: r}
		if run%25 == 1 {
			p.path = filepath.Join(dir, fmt.Sprint(run), "s.jsonl")
		}
		p.open()
		turns := rapid.IntRange(1, 4).Draw(r, "turns")
		resumeAt := rapid.IntRange(0, turns).Draw(r, "resume")
		for turn := 1; turn <= turns; turn++ {
			p.turn(turn)
			if turn == resumeAt {
				p.resume()
			}
		}
		if err := p.l.Close(); err != nil {
			r.Fatal(err)
		}
		events := p.l.Events(0)
		if p.path != "" {
			var err error
			if _, events, err = Load(p.path); err != nil {
				r.Fatal(err)
			}
			if d := cmp.Diff(p.l.Events(0), events); d != "" {
				r.Fatal("the file differs from the log:", d)
			}
		}
		p.check(events)
	})
}

func (p *loop) open() {
	o := Options{}
	if p.path != "" {
		sink, err := OpenFile(p.path, plainHeader)
		if err != nil {
			p.r.Fatal(err)
		}
		o.Sink = sink
	}
	l, err := New(plainHeader, o)
	if err != nil {
		p.r.Fatal(err)
	}
	p.l = l
}

func (p *loop) resume() {
	if err := p.l.Close(); err != nil {
		p.r.Fatal(err)
	}
	header, o := plainHeader, Options{Seed: p.l.Events(0)}
	if p.path != "" {
		sink, stored, events, err := ResumeFile(p.path)
		if err != nil {
			p.r.Fatal(err)
		}
		header, o = stored, Options{Sink: sink, Seed: events}
	}
	l, err := New(header, o)
	if err != nil {
		p.r.Fatal(err)
	}
	p.l, p.asked = l, false
}

func (p *loop) check(events []Event) {
	attempts := Attempts(events)
	if len(attempts) != len(p.sent) {
		p.r.Fatalf("%d attempts in the log, %d were made", len(attempts), len(p.sent))
	}
	for i, a := range attempts {
		got, err := Rebuild(events, a)
		if err != nil {
			p.r.Fatalf("request %d: %v", i, err)
		}
		if d := cmp.Diff(p.sent[i].wire, bytesOf(p.t, got)); d != "" {
			p.r.Fatalf("request %d (%+v): %s", i, a, d)
		}
	}
}

func TestRebuildRefusals(t *testing.T) {
	l := open(t)
	feed(t, l, TurnStart{1}, user("a", ""), StepStart{1, 1}, AssistantChunk{1, 1, llm.TextDelta{}})
	for _, test := range []struct {
		at   Attempt
		kind Code
	}{
		{Attempt{Step: 2}, CodeCorrupt}, {Attempt{Step: 1}, CodeInvariant}, {Attempt{Step: -1}, CodeInvariant},
		{Attempt{Step: 9}, CodeInvariant}, {Attempt{Step: 2, Try: 1}, CodeInvariant},
	} {
		_, err := Rebuild(l.Events(0), test.at)
		var why *Error
		if !errors.As(err, &why) || why.Kind != test.kind {
			t.Errorf("%+v: %v", test.at, err)
		}
	}
}

// A header that comes after the first chunk belongs to the next attempt.
func TestRebuildKnowsTheHeaderOfEachAttempt(t *testing.T) {
	l := open(t)
	feed(t, l, TurnStart{1}, user("a", ""), StepStart{1, 1},
		RequestHeader{Header: epoch("one")}, AssistantChunk{1, 1, llm.TextDelta{}},
		Retry{Turn: 1, Step: 1, Attempt: 1}, RetryStarted{1, 1, 1}, RequestHeader{Header: epoch("two")},
		Retry{Turn: 1, Step: 1, Attempt: 2}, RetryStarted{1, 1, 2},
		RequestHeader{Header: epoch("three")}, answer(1, 1, "b"), user("c", ""), StepEnd{1, 1})
	for try, want := range []string{"one", "two", "three"} {
		got, err := Rebuild(l.Events(0), Attempt{Step: 2, Try: try})
		if err != nil || got.System != want || len(got.Messages) != 1 {
			t.Errorf("attempt %d: %q, %d messages, %v", try, got.System, len(got.Messages), err)
		}
	}
}
