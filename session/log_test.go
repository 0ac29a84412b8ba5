package session

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/plainjson"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/google/go-cmp/cmp"
)

var plainHeader = Header{ID: "s1", Cwd: "/work"}

// open returns a log in memory.
func open(t testing.TB) *Log {
	t.Helper()
	l, err := New(plainHeader, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// feed appends each payload and fails on a refusal.
func feed(t testing.TB, l *Log, all ...Data) Seq {
	t.Helper()
	last := Seq(-1)
	for _, d := range all {
		seq, err := l.Append(d)
		if err != nil {
			t.Fatalf("%T: %v", d, err)
		}
		last = seq
	}
	return last
}

// refused checks that nothing came of an append.
func refused(t *testing.T, l *Log, kind Code, text string, add func() (Seq, error)) {
	t.Helper()
	events, messages := l.Len(), l.Messages()
	_, err := add()
	var why *Error
	if !errors.As(err, &why) || why.Kind != kind || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v, want code %s and the text %q", err, kind, text)
	}
	if l.Len() != events || !cmp.Equal(messages, l.Messages()) {
		t.Errorf("a refused append left a trace")
	}
}

func user(id, text string) UserMessage {
	return UserMessage{Message: llm.Message{ID: id, Role: llm.RoleUser, Source: llm.Source{Kind: llm.SourceUser},
		Content: []llm.Block{llm.Text{Text: text}}}}
}

func answer(turn, step int, id string, content ...llm.Block) AssistantMessage {
	return AssistantMessage{Turn: turn, Step: step, Message: llm.Message{ID: id, Role: llm.RoleAssistant, Content: content,
		Source: llm.Source{Kind: llm.SourceModel, Provider: "p", Model: "m"}}}
}

func result(turn, step int, callID, text string) ToolResult {
	return ToolResult{Turn: turn, Step: step, Message: llm.Message{ID: "result-" + callID, Role: llm.RoleUser,
		Source:  llm.Source{Kind: llm.SourceTool, CallID: callID},
		Content: []llm.Block{llm.ToolResult{ToolCallID: callID, Content: []llm.Block{llm.Text{Text: text}}}}}}
}

func toolCall(turn, step int, id string) ToolCall {
	return ToolCall{Turn: turn, Step: step, CallID: id, Name: "read", Arguments: "{}"}
}

func epoch(system string) EpochHeader {
	return EpochHeader{Config: llm.Config{Provider: "p", Model: "m"}, System: system}
}

// proves: A1
func TestAppendNumbersWithoutGaps(t *testing.T) {
	l := open(t)
	for i, d := range []Data{TurnStart{1}, user("a", "x"), StepStart{1, 1}, StepEnd{1, 1}, TurnEnd{1, EndReason{Kind: EndCompleted}}} {
		if l.Len() != i {
			t.Errorf("length %d, want %d", l.Len(), i)
		}
		if seq := feed(t, l, d); seq != Seq(i) {
			t.Errorf("event %d got the number %d", i, seq)
		}
	}
	for i, e := range l.Events(0) {
		if e.Seq != Seq(i) {
			t.Errorf("event %d says %d", i, e.Seq)
		}
	}
}

func TestTimeIsWholeMilliseconds(t *testing.T) {
	now := time.Unix(100, 123_456_789)
	l, err := New(plainHeader, Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	feed(t, l, TurnStart{1})
	if got := l.Events(0)[0].Time; !got.Equal(time.UnixMilli(100_123)) {
		t.Errorf("got %v", got)
	}
}

// proves: A2
func TestDataThatIsNoJSONIsRefused(t *testing.T) {
	l := open(t)
	feed(t, l, TurnStart{1}, StepStart{1, 1})
	hot := math.NaN()
	header := RequestHeader{Header: epoch("")}
	header.Header.Config.Temperature = &hot
	for name, d := range map[string]Data{
		"request/header":  header,
		"todo/write":      Opaque{Type: "todo/write", Raw: json.RawMessage(`{"a":`)},
		"assistant/chunk": AssistantChunk{Turn: 1, Step: 1},
	} {
		want := `session event "` + name + `" carries non-JSON-serializable data`
		refused(t, l, CodeNotJSON, want, func() (Seq, error) { return l.Append(d) })
	}
	refused(t, l, CodeNotJSON, "without data", func() (Seq, error) { return l.Append(nil) })
}

// What the caller does with its value afterwards does not reach the log.
// proves: A4
func TestAppendDetaches(t *testing.T) {
	l := open(t)
	message := user("a", "before")
	message.Message.Source.Extra = map[string]json.RawMessage{"k": json.RawMessage(`"before"`)}
	raw := json.RawMessage(`{"k":"before"}`)
	stop := []string{"before"}
	tools := []llm.ToolSpec{{Name: "before", Parameters: json.RawMessage(`{"k":"before"}`)}}
	feed(t, l, TurnStart{1}, message, Opaque{Type: "todo/write", Raw: raw},
		RequestHeader{Header: EpochHeader{Config: llm.Config{Provider: "p", Model: "m", Stop: stop}, Tools: tools}})
	message.Message.Content[0] = llm.Text{Text: "after"}
	message.Message.Source.Extra["k"] = json.RawMessage(`"after"`)
	copy(raw[5:], `"AFTER"`)
	copy(tools[0].Parameters[5:], `"AFTER"`)
	stop[0], tools[0].Name = "after", "after"
	text, err := json.Marshal(l.Events(0))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.ToLower(string(text)), "after") {
		t.Errorf("the log has changed: %s", text)
	}
}

// The log holds at once what a reader of its file would see.
func TestAppendedTextReadsAsItsJSON(t *testing.T) {
	l := open(t)
	feed(t, l, TurnStart{1}, user("a", "<b>&\u2028\xff"), StepStart{1, 1}, AssistantChunk{1, 1, llm.TextDelta{Text: "a\xffb"}})
	if got := l.Messages()[0].Content[0]; got != (llm.Text{Text: "<b>&\u2028\ufffd"}) {
		t.Errorf("got %q", got)
	}
	if got := l.Events(3)[0].Data.(AssistantChunk).Chunk; got != (llm.TextDelta{Text: "a\ufffdb"}) {
		t.Errorf("got %q", got)
	}
}

// proves: A12
func TestEmptyAnswerStaysOnTheSurface(t *testing.T) {
	l := open(t)
	feed(t, l, TurnStart{1}, user("a", "x"), StepStart{1, 1}, answer(1, 1, "b"), user("c", "y"))
	if got := len(l.Messages()); got != 2 {
		t.Errorf("%d messages, want 2", got)
	}
	if got := len(l.Surface()); got != 3 {
		t.Errorf("%d surface events, want 3", got)
	}
}

func TestShapes(t *testing.T) {
	l := open(t)
	feed(t, l, TurnStart{1}, StepStart{1, 1}, toolCall(1, 1, "c1"))
	wrongRole := user("a", "x")
	wrongRole.Message.Role = llm.RoleAssistant
	noID := user("", "x")
	noSource := answer(1, 1, "a")
	noSource.Message.Source.Model = ""
	otherCall := result(1, 1, "c1", "x")
	otherCall.Message.Source.CallID = "c2"
	twoBlocks := result(1, 1, "c1", "x")
	twoBlocks.Message.Content = append(twoBlocks.Message.Content, llm.Text{Text: "more"})
	for name, d := range map[string]Data{
		"role": wrongRole, "id": noID, "source": noSource, "call": otherCall, "blocks": twoBlocks,
		"header": RequestHeader{Header: EpochHeader{Config: llm.Config{Model: "m"}}},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, l, CodeInvariant, "", func() (Seq, error) { return l.Append(d) })
		})
	}
}

func TestOpaqueCannotPoseAsTyped(t *testing.T) {
	l := open(t)
	for _, tag := range []string{"", tagTurnStart, tagUserMessage, tagEndSeed, tagHeader} {
		refused(t, l, CodeInvariant, "opaque", func() (Seq, error) { return l.Append(Opaque{Type: tag, Raw: json.RawMessage(`{}`)}) })
	}
	feed(t, l, Opaque{Type: "hook/invoked", Raw: json.RawMessage(`{"a":1}`)}, Opaque{Type: "ours/new", Raw: json.RawMessage(`{}`)})
	if events := l.Events(0); events[0].Ignorable || !events[1].Ignorable {
		t.Error("exactly the type that a reader may not know is ignorable")
	}
}

// proves: A22, A23
func TestHeaderRules(t *testing.T) {
	for want, h := range map[string]Header{
		`session header cwd must be an absolute path, got "work"`: {ID: "a", Cwd: "work"},
		"id must not be empty":                     {},
		"createdAt must not be negative":           {ID: "a", CreatedAt: -1},
		"delegationDepth must not be negative":     {ID: "a", DelegationDepth: -1},
		"seedLength must not be negative":          {ID: "a", SeedLength: -1},
		`origin must be "subagent" or absent`:      {ID: "a", Origin: "fork"},
		"written by a newer harness, upgrade":      {ID: "a", Version: 1},
		"older than the supported v0: there is no": {ID: "a", Version: -1},
	} {
		if _, err := New(h, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestRecordHeader(t *testing.T) {
	l := open(t)
	feed(t, l, TurnStart{1})
	tools := func(names ...string) EpochHeader {
		h := epoch("x")
		for _, name := range names {
			h.Tools = append(h.Tools, llm.ToolSpec{Name: name, Parameters: json.RawMessage(`{}`)})
		}
		return h
	}
	empty := epoch("")
	empty.Tools, empty.Config.Stop = []llm.ToolSpec{}, []string{}
	var reasons []string
	for _, step := range []struct {
		h     EpochHeader
		first bool
	}{
		{epoch(""), true}, {epoch(""), false}, {empty, false}, {epoch("x"), false}, {epoch("x"), true},
		{tools("a", "b"), false}, {tools("b", "a"), false}, {tools("b", "a"), false},
	} {
		before := l.Len()
		if err := l.RecordHeader(step.h, step.first); err != nil {
			t.Fatal(err)
		}
		for _, e := range l.Events(Seq(before)) {
			reasons = append(reasons, e.Data.(RequestHeader).Reason)
		}
		if got, ok := l.RequestHeader(); !ok || !got.Equal(step.h) {
			t.Errorf("the folded header is %+v, want %+v", got, step.h)
		}
	}
	if d := cmp.Diff([]string{ReasonInitial, ReasonChange, ReasonResume, ReasonChange, ReasonChange}, reasons); d != "" {
		t.Error(d)
	}
}

// proves: A34, A35, A44
func TestHeaderEquality(t *testing.T) {
	empty := epoch("")
	empty.Tools, empty.Config.Stop = []llm.ToolSpec{}, []string{}
	if !epoch("").Equal(empty) {
		t.Error("empty and absent differ")
	}
	text, err := plainjson.Marshal(RequestHeader{Header: empty.canonical()})
	if err != nil || strings.Contains(string(text), "tools") || strings.Contains(string(text), "system") || strings.Contains(string(text), "stop") {
		t.Errorf("empty members are written: %s %v", text, err)
	}
	ab := EpochHeader{Tools: []llm.ToolSpec{{Name: "a"}, {Name: "b"}}}
	ba := EpochHeader{Tools: []llm.ToolSpec{{Name: "b"}, {Name: "a"}}}
	if ab.Equal(ba) {
		t.Error("the order of tools does not count")
	}
	l := open(t)
	feed(t, l, TurnStart{1})
	for range 2 {
		if err := l.RecordHeader(epoch("x"), l.Len() == 1); err != nil {
			t.Fatal(err)
		}
	}
	if events := l.Events(1); len(events) != 1 || events[0].Data.(RequestHeader).Reason != ReasonInitial {
		t.Errorf("an unchanged second request was recorded: %v", events)
	}
}

// proves: A45
func TestAnotherLoopRecordsItsHeader(t *testing.T) {
	l := open(t)
	feed(t, l, TurnStart{1})
	if err := l.RecordHeader(epoch("x"), true); err != nil {
		t.Fatal(err)
	}
	feed(t, l, TurnEnd{1, EndReason{Kind: EndCompleted}})
	again, err := New(plainHeader, Options{Seed: l.Events(0)})
	if err != nil {
		t.Fatal(err)
	}
	feed(t, again, TurnStart{2})
	if err := again.RecordHeader(epoch("x"), true); err != nil {
		t.Fatal(err)
	}
	events := again.Events(0)
	if h, ok := events[len(events)-1].Data.(RequestHeader); !ok || h.Reason != ReasonResume {
		t.Errorf("got %+v", events[len(events)-1])
	}
}

func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := open(t)
		feed(t, l, TurnStart{1}, user("a", "x"))
		var seen []Seq
		done := make(chan struct{})
		go func() {
			defer close(done)
			for seq, e := range l.Follow(context.Background(), 1) {
				if e.Seq != seq {
					t.Errorf("event %d at %d", e.Seq, seq)
				}
				seen = append(seen, seq)
			}
		}()
		synctest.Wait()
		feed(t, l, user("b", "y"))
		synctest.Wait()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		<-done
		if d := cmp.Diff([]Seq{1, 2}, seen); d != "" {
			t.Error(d)
		}
		refused(t, l, CodeClosed, "closed", func() (Seq, error) { return l.Append(user("c", "z")) })
		if err := errors.Join(l.Close(), l.Flush(context.Background())); err != nil {
			t.Error(err)
		}
	})
}

func ended(turn int) TurnEnd { return TurnEnd{turn, EndReason{Kind: EndCompleted}} }

// proves: A19, A20, A21
func TestSeed(t *testing.T) {
	l := open(t)
	feed(t, l, TurnStart{1}, user("a", "x"), ended(1))
	events := l.Events(0)
	gap := append([]Event{}, events...)
	gap[2].Seq = 5
	want := "seed event at index 2 has seq 5 (expected 2); seed must be contiguous from 0"
	if _, err := New(plainHeader, Options{Seed: gap}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	noModel := append([]Event{}, events[:2]...)
	noModel = append(noModel, Event{Seq: 2, Data: RequestHeader{Header: EpochHeader{Config: llm.Config{Model: "m"}}}})
	if _, err := New(plainHeader, Options{Seed: noModel}); err == nil || !strings.HasPrefix(err.Error(), "invalid seed event at index 2: ") {
		t.Errorf("got %v", err)
	}
	for _, test := range []struct {
		seed []Event
		want int
	}{{nil, 0}, {[]Event{}, 1}, {events, 4}, {append(events[:3:3], Event{Seq: 3, Data: EndSeed{}}), 4}} {
		grown, err := New(plainHeader, Options{Seed: test.seed})
		if err != nil {
			t.Fatal(err)
		}
		if grown.Len() != test.want {
			t.Errorf("seed of %d: %d events, want %d", len(test.seed), grown.Len(), test.want)
		}
		if test.seed != nil {
			if _, ok := grown.Events(0)[grown.Len()-1].Data.(EndSeed); !ok {
				t.Error("the seed is not closed")
			}
		}
	}
}

func TestSeedIsCopied(t *testing.T) {
	l := open(t)
	feed(t, l, TurnStart{1}, user("a", "x"), StepStart{1, 1})
	if _, err := l.Append(answer(1, 1, "b", llm.Text{Text: "y"}), 1); err != nil {
		t.Fatal(err)
	}
	seed := append([]Event{}, l.Events(0)...)
	grown, err := New(plainHeader, Options{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	seed[1], seed[3].Sources[0] = Event{}, 77
	if grown.Events(1)[0].Data == nil || grown.Events(3)[0].Sources[0] != 1 {
		t.Error("the seed is shared")
	}
}
