package sim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/dsh-go/dsh-workflow/llm"
)

// The clock of the regular expressions in schemas ends some time after the last match.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

func user(text string) llm.Message {
	return llm.Message{Role: llm.RoleUser, Content: []llm.Block{llm.Text{Text: text}}, Source: llm.Source{Kind: llm.SourceUser}}
}

func ask(text string) llm.Request {
	return llm.Request{Config: llm.Config{Model: "sim"}, Messages: []llm.Message{user(text)}}
}

// answer reads a whole answer.
func answer(t *testing.T, m *Model, req llm.Request) (*llm.Assembler, *llm.Error) {
	t.Helper()
	return answerIn(t.Context(), m, req)
}

func answerIn(ctx context.Context, m *Model, req llm.Request) (*llm.Assembler, *llm.Error) {
	asm := new(llm.Assembler)
	for chunk, err := range m.Stream(ctx, req) {
		if err != nil {
			var failure *llm.Error
			errors.As(err, &failure)
			return asm, failure
		}
		asm.Add(chunk)
	}
	return asm, nil
}

func textIn(asm *llm.Assembler) string {
	var out string
	for _, b := range asm.Blocks() {
		if t, ok := b.(llm.Text); ok {
			out += t.Text
		}
	}
	return out
}

func TestUnscriptedTextSaysThatItIsSimulated(t *testing.T) {
	asm, err := answer(t, New(Config{}), ask("Review the parser for off-by-one mistakes and tell me what you find in it, please"))
	if err != nil {
		t.Fatal(err)
	}
	got := textIn(asm)
	for _, want := range []string{"simulated", "Review the parser for off-by-one mistakes"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

func TestAnAnswerIsReadOnce(t *testing.T) {
	stream := New(Config{}).Stream(t.Context(), ask(`@@mock ["once"]`))
	var ends []string
	for range 2 {
		for chunk, err := range stream {
			if _, finished := chunk.(llm.Finish); finished || err != nil {
				ends = append(ends, fmt.Sprint(err))
			}
		}
	}
	if diff := cmp.Diff([]string{"<nil>", "simulated model: the answer was already read"}, ends); diff != "" {
		t.Error(diff)
	}
}

func TestInstructionsAreNoPromptAndNoScript(t *testing.T) {
	req := ask("the real prompt")
	file := user("Our tests write @@mock [\"from the file\"] into prompts.")
	file.Source.Kind = llm.SourceInstructions
	req.Messages = []llm.Message{file, req.Messages[0], file}
	asm, err := answer(t, New(Config{}), req)
	if err != nil {
		t.Fatal(err)
	}
	if got := textIn(asm); !strings.Contains(got, "the real prompt") || strings.Contains(got, "from the file") {
		t.Error(got)
	}
}

func TestTheSameRequestGetsTheSameAnswer(t *testing.T) {
	req := ask("what is the answer?")
	req.Tools = []llm.ToolSpec{{Name: CaptureName, Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer"}},"required":["a","n"]}`)}}
	first, err := answer(t, New(Config{}), req)
	if err != nil {
		t.Fatal(err)
	}
	// Names of sessions and messages are no part of a request.
	req.SessionID, req.Messages[0].ID = "another", "another"
	second, err := answer(t, New(Config{}), req)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first.Blocks(), second.Blocks()); diff != "" {
		t.Error(diff)
	}
	other, err := answer(t, New(Config{Seed: 1}), req)
	if err != nil {
		t.Fatal(err)
	}
	if cmp.Equal(first.Blocks(), other.Blocks()) {
		t.Error("another seed, the same answer")
	}
}

func TestAnAcceptedValueEndsTheTurn(t *testing.T) {
	m := New(Config{})
	req := ask("give me a value")
	req.Tools = []llm.ToolSpec{{Name: CaptureName, Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`)}}
	asm, err := answer(t, m, req)
	if err != nil {
		t.Fatal(err)
	}
	call, ok := asm.Blocks()[0].(llm.ToolCall)
	if !ok {
		t.Fatalf("%#v", asm.Blocks())
	}
	for _, rejected := range []bool{true, false} {
		next := req
		next.Messages = []llm.Message{req.Messages[0], {Role: llm.RoleAssistant, Content: asm.Blocks()},
			{Role: llm.RoleUser, Source: llm.Source{Kind: llm.SourceTool}, Content: []llm.Block{llm.ToolResult{ToolCallID: call.ID, IsError: rejected}}}}
		then, err := answer(t, m, next)
		if err != nil {
			t.Fatal(err)
		}
		again, called := then.Blocks()[0].(llm.ToolCall)
		if called != rejected {
			t.Errorf("rejected %t, called again %t", rejected, called)
		}
		if called && again.ID == call.ID {
			t.Error("two calls of a conversation have the same id", call.ID)
		}
	}
}

func TestTimePassesAsConfigured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Config{Latency: time.Second, TTFT: 500 * time.Millisecond, PerToken: 10 * time.Millisecond})
		begun := time.Now()
		var first time.Duration
		for _, err := range m.Stream(t.Context(), ask(`@@mock [{"text":"`+strings.Repeat("four", 100)+`","delayMs":2000}]`)) {
			if err != nil {
				t.Fatal(err)
			}
			if first == 0 {
				first = time.Since(begun)
			}
		}
		if want := 3500*time.Millisecond + 4*10*time.Millisecond; first != want {
			t.Errorf("first chunk after %s, want %s", first, want)
		}
		if got, want := time.Since(begun), 3500*time.Millisecond+100*10*time.Millisecond; got != want {
			t.Errorf("the answer took %s, want %s", got, want)
		}
	})
}

func TestSilence(t *testing.T) {
	for _, c := range []struct {
		name, step string
		code       llm.Code
		took       time.Duration
	}{
		{"for ever", `{"text":"so","stallMs":-1}`, llm.CodeTimeout, 60 * time.Second},
		{"before the headers", `{"text":"so","delayMs":61000}`, llm.CodeTimeout, 60 * time.Second},
		{"just short enough", `{"text":"so","stallMs":60000}`, "", 60 * time.Second},
		{"comments are life", `{"text":"so","keepalives":10,"keepaliveMs":50000}`, "", 500 * time.Second},
		{"slow but alive", `{"reasoning":"` + strings.Repeat("r", 32) + `","text":"so","paceMs":59000}`, "", 177 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				req := ask("@@mock [" + c.step + "]")
				req.Stall = time.Minute
				begun := time.Now()
				_, err := answer(t, New(Config{}), req)
				if got := codeOf(err); got != c.code {
					t.Errorf("error %q, want %q", got, c.code)
				}
				if took := time.Since(begun); took != c.took {
					t.Errorf("took %s, want %s", took, c.took)
				}
			})
		})
	}
}

func codeOf(err *llm.Error) llm.Code {
	if err == nil {
		return ""
	}
	return err.Kind
}

func TestCancelDuringAnyWait(t *testing.T) {
	cause := errors.New("enough")
	for _, step := range []string{`{"delayMs":9000}`, `{"text":"so","stallMs":-1}`, `{"text":"so","keepalives":9,"keepaliveMs":9000}`, `{"text":"a long text of many words","paceMs":9000}`} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			time.AfterFunc(time.Second, func() { cancel(cause) })
			begun := time.Now()
			_, err := answerIn(ctx, New(Config{}), ask("@@mock ["+step+"]"))
			if codeOf(err) != llm.CodeAborted || !errors.Is(err, cause) {
				t.Errorf("%s: %v", step, err)
			}
			if took := time.Since(begun); took != time.Second {
				t.Errorf("%s: took %s", step, took)
			}
		})
	}
}

func TestScriptedFaultsEndAfterTheirTimes(t *testing.T) {
	m := New(Config{})
	req := ask(`@@mock [{"fail":{"status":503,"times":2},"text":"third time"}]`)
	sibling := req
	sibling.SessionID = "another conversation with its own attempts"
	for i := range 4 {
		for _, r := range []llm.Request{req, sibling} {
			asm, err := answer(t, m, r)
			if failed := codeOf(err) == llm.CodeServer; failed != (i < 2) {
				t.Fatalf("attempt %d: %v", i, err)
			}
			if i >= 2 && textIn(asm) != "third time" {
				t.Error(asm.Blocks())
			}
		}
	}
}

func TestFaultsDoNotDependOnTheOrderOfArrival(t *testing.T) {
	cfg := Config{Faults: Faults{Fail: 0.2, Stall: 0.1, Drop: 0.1}}
	const n = 400
	outcomes := func(ctx context.Context, order func(i int) int, atOnce bool) []string {
		m, out := New(cfg), make([]string, n)
		var group sync.WaitGroup
		for i := range n {
			k := order(i)
			one := func() {
				req := ask(fmt.Sprintf("question %d", k))
				req.Stall = time.Second
				for range 3 {
					_, err := answerIn(ctx, m, req)
					out[k] += string(codeOf(err)) + ";"
				}
			}
			if atOnce {
				group.Go(one)
			} else {
				one()
			}
		}
		group.Wait()
		return out
	}
	synctest.Test(t, func(t *testing.T) {
		forward := outcomes(t.Context(), func(i int) int { return i }, false)
		if diff := cmp.Diff(forward, outcomes(t.Context(), func(i int) int { return n - 1 - i }, false)); diff != "" {
			t.Error("backward:", diff)
		}
		if diff := cmp.Diff(forward, outcomes(t.Context(), func(i int) int { return i }, true)); diff != "" {
			t.Error("at once:", diff)
		}
		counts := map[string]int{}
		recovered := 0
		for _, o := range forward {
			first, others, _ := strings.Cut(o, ";")
			counts[first]++
			if first != "" && strings.HasPrefix(others, ";") {
				recovered++
			}
		}
		if recovered < 50 {
			t.Errorf("only %d requests were answered when they were tried again", recovered)
		}
		refused := counts[string(llm.CodeServer)] + counts[string(llm.CodeRateLimit)]
		if refused < 50 || refused > 110 || counts[string(llm.CodeTimeout)] < 20 || counts[string(llm.CodeTransport)] < 20 || counts[""] < 200 {
			t.Errorf("rates are off: %v", counts)
		}
	})
}

func TestSiblingsShareAPrefix(t *testing.T) {
	m := New(Config{})
	req := func(prompt string) llm.Request {
		r := ask(prompt)
		r.System = strings.Repeat("a fixed section of the prompt; ", 100)
		return r
	}
	usage := func(prompt string) llm.Usage {
		asm, err := answer(t, m, req(prompt))
		if err != nil {
			t.Fatal(err)
		}
		u, _ := asm.Usage()
		return u
	}
	first, second := usage("one"), usage("two")
	if first.CacheReadTokens != 0 {
		t.Errorf("an empty cache served %+v", first)
	}
	if want := 3100 / 256 * 64; second.CacheReadTokens != want {
		t.Errorf("a sibling read %d tokens from the cache, want %d: %+v", second.CacheReadTokens, want, second)
	}
	if total := second.InputTokens + second.CacheReadTokens; total != first.InputTokens {
		t.Errorf("the counters overlap: %+v and %+v", first, second)
	}
}

func TestAPrefixIsStoredWhenTheResponseBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Config{TTFT: time.Second})
		req := ask(strings.Repeat("w", 1000))
		cached := func() int {
			asm, err := answerIn(t.Context(), m, req)
			if err != nil {
				t.Error(err)
			}
			u, _ := asm.Usage()
			return u.CacheReadTokens
		}
		var group sync.WaitGroup
		for _, wait := range []time.Duration{0, 500 * time.Millisecond} {
			group.Go(func() {
				time.Sleep(wait)
				if got := cached(); wait == 0 && got != 0 {
					t.Error("the first request was cached", got)
				}
			})
		}
		group.Wait()
		if cached() == 0 {
			t.Error("not stored")
		}
	})
}

func TestAThousandConversationsLeaveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Config{Latency: time.Second, PerToken: time.Millisecond})
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var group sync.WaitGroup
		for i := range 1000 {
			group.Go(func() {
				req := ask(fmt.Sprintf("conversation %d %s", i, strings.Repeat("x", 4000)))
				if _, err := answerIn(t.Context(), m, req); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 3<<20 {
			t.Errorf("%d KiB are left of 1000 conversations of 4 KiB", grown>>10)
		}
		runtime.KeepAlive(m)
	})
}
