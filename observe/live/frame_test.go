package live

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/workflow"
)

var update = flag.Bool("update", false, "write golden files")

// at is a moment of the runs below, in seconds from their start.
func at(s float64) time.Time { return time.UnixMilli(int64(1e6 + s*1000)) }

// stage is a run in the making.
type stage struct {
	view *observe.View
	n    int
}

func newStage(name string, atOnce int, phases ...string) *stage {
	s := &stage{view: observe.NewView()}
	s.add(0, workflow.RunStarted{Name: name, AtOnce: atOnce, Phases: phases})
	return s
}

func (s *stage) add(when float64, facts ...workflow.Fact) *stage {
	for _, f := range facts {
		s.n++
		s.view.Apply(workflow.Record{N: s.n, Time: at(when), Fact: f})
	}
	return s
}

func queued(seq int, label, phase string) workflow.Fact {
	q := workflow.AgentQueued{Seq: workflow.Seq(seq), Label: label}
	if phase != "-" {
		q.Phase = &phase
	}
	return q
}

func started(seq int) workflow.Fact {
	return workflow.AgentStarted{Seq: workflow.Seq(seq), Child: fmt.Sprint("c", seq)}
}

func ended(seq int, outcome subagent.Outcome, code, message string) workflow.Fact {
	e := workflow.AgentEnded{Seq: workflow.Seq(seq), Outcome: outcome, Usage: llm.Usage{InputTokens: 500, CacheReadTokens: 1500, OutputTokens: 120}}
	if code != "" {
		e.Error = &subagent.Failure{Code: code, Message: message}
	}
	return e
}

// half is a run in which agents stand in every state.
func half() *observe.View {
	s := newStage("review-changes", 4, "Scope", "Review", "Verify", "Report")
	s.add(0.1, queued(1, "scope", "Scope"), started(1)).add(1.4, ended(1, subagent.Completed, "", ""))
	s.add(1.5, queued(2, "review correctness of everything that has changed since the last release", "Review"), queued(3, "日本語のラベルはとても長いです", "Review"),
		queued(4, "review \x1b[31msecurity\x1b[0m\nand more 👩‍👩‍👧 ❤️", "Review"), queued(5, "verify", "Verify"), queued(6, "stray", "-"))
	s.add(1.6, started(2), started(3), started(4), started(6))
	s.add(9, ended(3, subagent.Failed, "SERVER", "the model answered 500: try later"), ended(6, subagent.Cancelled, "CANCELLED", "stop"))
	s.add(9.5, workflow.AgentRetried{Seq: 2, Attempt: 2, Code: "TIMEOUT", Message: "silent"})
	s.view.See(2, session.Event{Data: session.Retry{Attempt: 1, DelayMS: 5000, Failure: session.Failure{Code: "RATE_LIMITED", Message: "429 slow down"}}})
	s.view.See(4, session.Event{Data: session.ToolCall{Name: "read", Arguments: `{"file_path":"src/main.go"}`}})
	return s.view
}

// thousand is a run of a thousand agents, sixteen of them at work.
func thousand() *observe.View {
	s := newStage("big", 16, "Find", "Check")
	for i := 1; i <= 1000; i++ {
		s.add(1, queued(i, fmt.Sprintf("file %04d.go", i), map[bool]string{true: "Find", false: "Check"}[i <= 600]))
	}
	for i := 1; i <= 700; i++ {
		s.add(2, started(i))
		switch {
		case i%100 == 50:
			s.add(3, ended(i, subagent.Failed, "SERVER", "boom"))
		case i <= 684:
			s.add(3, ended(i, subagent.Completed, "", ""))
		}
	}
	return s.view
}

func ran() *observe.View {
	s := newStage("done", 2)
	s.add(1, queued(1, "one", "-"), started(1)).add(75, ended(1, subagent.Completed, "", ""))
	return s.add(76, workflow.RunEnded{Status: workflow.StatusCompleted}).view
}

// priced is a run whose agents have a price.
func priced() *observe.View {
	s := newStage("cheap", 2).add(1, queued(1, "one", "-"), started(1))
	e := ended(1, subagent.Completed, "", "").(workflow.AgentEnded)
	e.CostUSD = new(0.125)
	return s.add(2, e).view
}

// none is a run without agents that has ended.
func none() *observe.View {
	return newStage("empty", 2, "Later").add(1, workflow.RunEnded{Status: workflow.StatusCompleted}).view
}

// proves: W248
func TestFrames(t *testing.T) {
	question := []string{"25 agents have been admitted, and the script asks for more.", "Go on? [y/N]"}
	for name, c := range map[string]struct {
		view *observe.View
		p    Picture
	}{
		"half":     {half(), Picture{Height: 24}},
		"low":      {half(), Picture{Height: 8}},
		"question": {half(), Picture{Height: 24, Question: question}},
		"thousand": {thousand(), Picture{Height: 30}},
		"ran":      {ran(), Picture{Height: 24}},
		"none":     {none(), Picture{Height: 24}},
		"short":    {half(), Picture{Height: 24, Short: true}},
		"colour":   {half(), Picture{Height: 24, Color: true}},
		"priced":   {priced(), Picture{Height: 24}},
		"before":   {observe.NewView(), Picture{}},
	} {
		var b strings.Builder
		for _, w := range []int{20, 40, 80, 120} {
			c.p.Width, c.p.Now = w, at(12.7)
			fmt.Fprintf(&b, "== %d columns\n%s\n", w, strings.Join(Frame(c.view, c.p), "\n"))
		}
		golden(t, name, b.String())
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s:\n%s", name, d)
	}
}

// check holds what every frame keeps to.
func check(t interface{ Fatalf(string, ...any) }, lines []string, p Picture) {
	if len(lines) == 0 && !p.Short || len(lines) > max(1, p.Height-1) {
		t.Fatalf("%d lines on a terminal of %d", len(lines), p.Height)
	}
	for _, l := range lines {
		if w := width(l); w > p.Width {
			t.Fatalf("%d columns in %d: %q", w, p.Width, l)
		}
		for _, r := range l {
			if unicode.IsControl(r) || r == '\u202e' {
				t.Fatalf("control character in %q", l)
			}
		}
	}
}

var nasty = []string{"日本語テキスト", "👩‍👩‍👧 ❤️🇩🇪", "\x1b[31mred\x1b[0m\x1b]0;t\x07", "\u202eabc", "", "a\tb\nc\rd", "e\u0301\u0301\u0301", "\xff\xfe", "\u200b", strings.Repeat("長", 300)}

// TestAnyFrameFits draws any sequence of records in any size: each line fits, and
// nothing in it can steer the terminal.
func TestAnyFrameFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom(nasty))
		fact := rapid.Custom(func(t *rapid.T) workflow.Fact {
			seq, s := rapid.IntRange(1, 40).Draw(t, "seq"), text.Draw(t, "text")
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				return workflow.AgentQueued{Seq: workflow.Seq(seq), Label: s}
			case 1:
				return queued(seq, s, text.Draw(t, "phase"))
			case 2:
				return started(seq)
			case 3:
				return ended(seq, rapid.SampledFrom([]subagent.Outcome{subagent.Completed, subagent.Failed, subagent.Cancelled}).Draw(t, "outcome"), s, s)
			case 4:
				return workflow.AgentRefused{Seq: workflow.Seq(seq), Code: s, Message: s}
			}
			return workflow.RunEnded{Status: workflow.Status(s)}
		})
		s := newStage(text.Draw(t, "name"), 4, rapid.SliceOfN(text, 0, 5).Draw(t, "declared")...)
		for _, f := range rapid.SliceOfN(fact, 0, 80).Draw(t, "facts") {
			s.add(rapid.Float64Range(0, 1e6).Draw(t, "when"), f)
			doing := session.ToolCall{Name: text.Draw(t, "tool"), Arguments: text.Draw(t, "arguments")}
			s.view.See(workflow.Seq(rapid.IntRange(1, 40).Draw(t, "who")), session.Event{Data: doing})
		}
		p := Picture{
			Width: rapid.IntRange(1, 200).Draw(t, "width"), Height: rapid.IntRange(1, 60).Draw(t, "height"), Now: at(12),
			Question: rapid.SliceOfN(text, 0, 3).Draw(t, "question"), Short: rapid.Bool().Draw(t, "short"),
		}
		check(t, Frame(s.view, p), p)
		for _, l := range wrap(observe.OneLine(text.Draw(t, "log"), 500), p.Width) {
			if width(l) > p.Width {
				t.Fatalf("%d columns in %d: %q", width(l), p.Width, l)
			}
		}
	})
}

// TestTallyOfACollapsedRun sees that no agent of a thousand is lost from sight:
// what has no line stands in a count.
func TestTallyOfACollapsedRun(t *testing.T) {
	text := strings.Join(Frame(thousand(), Picture{Width: 100, Height: 30, Now: at(5)}), "\n")
	if n := strings.Count(text, "\n    ● "); n != 16 {
		t.Errorf("%d agents that run have a line, want 16:\n%s", n, text)
	}
	for _, want := range []string{"6 failed, 594 done", "1 failed, 16 running, 300 queued, 83 done", "7 failed, 16 running, 300 queued, 677 done"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// BenchmarkFrame draws a thousand agents as often as a screen may: the figure is
// the time of one picture.
func BenchmarkFrame(b *testing.B) {
	v := thousand()
	for _, color := range []bool{false, true} {
		b.Run(fmt.Sprintf("color=%v", color), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Frame(v, Picture{Width: 120, Height: 50, Now: at(12), Color: color})
			}
		})
	}
}
