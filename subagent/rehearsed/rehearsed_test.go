package rehearsed

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
)

// scripted does what the suite asks for.
func scripted() subagent.Provider {
	return subagenttest.NewScriptedFunc("", func(req subagent.Request) subagenttest.Script {
		switch req.Prompt {
		case subagenttest.PromptHang:
			return subagenttest.Script{Delay: time.Hour}
		case subagenttest.PromptFail:
			again := subagenttest.Script{Outcome: subagent.Failed}
			return subagenttest.Script{Outcome: subagent.Failed, Then: &again}
		case subagenttest.PromptValue:
			if req.Schema != nil {
				return subagenttest.Script{Value: json.RawMessage(subagenttest.Value)}
			}
		}
		return subagenttest.Script{Reply: subagenttest.Reply}
	})
}

// Without a share that fails it is as good a provider as the one inside.
func TestConformance(t *testing.T) {
	subagenttest.Run(t, func(*testing.T) subagent.Provider { return Wrap(scripted(), Share{}, nil) })
}

// A share is met exactly, up to one, from the first call on.
func TestShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Share{Fraction: rapid.Float64Range(0, 1).Draw(t, "fraction"), Seed: rapid.Uint64().Draw(t, "seed")}
		n, picked := rapid.IntRange(1, 300).Draw(t, "n"), 0
		for seq := 1; seq <= n; seq++ {
			if s.Picks(seq) {
				picked++
			}
			if want := float64(seq) * s.Fraction; float64(picked) < want-1.001 || float64(picked) > want+1.001 {
				t.Fatalf("%d of %d fail, want about %g", picked, seq, want)
			}
		}
	})
	first := func(seed uint64) (out []int) {
		for seq := 1; seq <= 40; seq++ {
			if (Share{Fraction: 0.1, Seed: seed}).Picks(seq) {
				out = append(out, seq)
			}
		}
		return out
	}
	if d := cmp.Diff(first(1), first(1)); d != "" {
		t.Error(d)
	}
	if cmp.Equal(first(1), first(2)) || cmp.Equal(first(1), first(3)) {
		t.Error("seeds make no difference")
	}
}

func TestFailing(t *testing.T) {
	p := Wrap(scripted(), Share{Fraction: 1}, nil)
	child, err := p.Start(t.Context(), subagent.Request{Call: "wf_x/3", Label: "c", Prompt: "größe", Worktree: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := child.Wait(context.Background())
	if err != nil || r.Outcome != subagent.Failed || r.Failure == nil || r.Failure.Code != "SERVER" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err = p.Start(t.Context(), subagent.Request{Call: "wf_x/1", Prompt: "x", Schema: json.RawMessage(`{}`)}); err != nil {
		t.Fatal(err)
	}
	want := []Asked{{Seq: 1, Chars: 1, Schema: true}, {Seq: 3, Label: "c", Chars: 5, Worktree: true}}
	if d := cmp.Diff(want, p.Asked()); d != "" {
		t.Error(d)
	}
}

// Nobody answers before the script waits, then the earliest call does; the next
// one waits for the script again.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns()
		p := Wrap(scripted(), Share{}, turns)
		var answered []int
		for _, seq := range []int{3, 1, 2} {
			c, err := p.Start(t.Context(), subagent.Request{
				Call: subagent.CallID(fmt.Sprintf("r/%d", seq)), Prompt: subagenttest.PromptReply, Lineage: subagent.Lineage{Run: "r"},
			})
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				if _, err := c.Wait(t.Context()); err != nil {
					t.Error(err)
				}
				answered = append(answered, seq)
			}()
		}
		for n := range 4 {
			synctest.Wait()
			if len(answered) != n {
				t.Fatalf("%v answered after the script waited %d times", answered, n)
			}
			turns.Waiting("other", true)
			turns.Waiting("r", false)
		}
		if d := cmp.Diff([]int{1, 2, 3}, answered); d != "" {
			t.Error(d)
		}
		// Without a script nobody waits for a turn.
		turns.Waiting("gone", true)
		for _, seq := range []int{1, 2} {
			c, err := p.Start(t.Context(), subagent.Request{
				Call: subagent.CallID(fmt.Sprintf("gone/%d", seq)), Prompt: subagenttest.PromptReply, Lineage: subagent.Lineage{Run: "gone"},
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Wait(t.Context()); err != nil {
				t.Error(err)
			}
		}
		// The script waits already: whoever comes now answers at once, unless it is
		// cancelled and needs no turn.
		ctx, cancel := context.WithCancel(t.Context())
		c, err := p.Start(ctx, subagent.Request{Call: "q/1", Prompt: subagenttest.PromptHang, Lineage: subagent.Lineage{Run: "q"}})
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := c.Wait(ctx); err == nil {
			t.Error("a wait under an ended context gave a result")
		}
		c, err = p.Start(t.Context(), subagent.Request{Call: "r/4", Prompt: subagenttest.PromptReply, Lineage: subagent.Lineage{Run: "r"}})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := c.Wait(t.Context()); err != nil || r.Outcome != subagent.Completed {
			t.Errorf("%+v, %v", r, err)
		}
	})
}
