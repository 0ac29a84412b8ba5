package observe

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// records numbers facts as a journal does.
func records(facts ...workflow.Fact) []workflow.Record {
	out := make([]workflow.Record, len(facts))
	for i, f := range facts {
		out[i] = workflow.Record{N: i + 1, Time: time.UnixMilli(int64(1000 + i)), Fact: f}
	}
	return out
}

func fold(rs []workflow.Record) *View {
	v := NewView()
	for _, r := range rs {
		v.Apply(r)
	}
	return v
}

// same compares what two views show.
func same(a, b *View) string {
	return cmp.Diff(a, b, cmp.AllowUnexported(View{}, Agent{}), cmpopts.IgnoreFields(View{}, "early", "loose"), cmpopts.EquateEmpty())
}

// proves: W244, W248
func TestGroups(t *testing.T) {
	v := fold(records(
		workflow.RunStarted{Name: "n", Phases: []string{"Verify", "Review"}},
		workflow.AgentQueued{Seq: 1, Label: "none"},
		workflow.AgentQueued{Seq: 2, Label: "review", Phase: new("Review")},
		workflow.AgentQueued{Seq: 3, Label: "empty", Phase: new("")},
		workflow.AgentQueued{Seq: 4, Label: "blank", Phase: new("Review ")},
		workflow.AgentQueued{Seq: 5, Label: "verify", Phase: new("Verify")},
		workflow.AgentQueued{Seq: 6, Label: "review too", Phase: new("Review")},
	))
	type group struct {
		Title string
		Named bool
		Seqs  []workflow.Seq
	}
	var got []group
	for _, g := range v.Groups {
		is := group{Title: g.Title, Named: g.Named}
		for _, a := range g.Agents {
			is.Seqs = append(is.Seqs, a.Seq)
		}
		got = append(got, is)
	}
	want := []group{
		{"", false, []workflow.Seq{1}}, {"Review", true, []workflow.Seq{2, 6}}, {"", true, []workflow.Seq{3}},
		{"Review ", true, []workflow.Seq{4}}, {"Verify", true, []workflow.Seq{5}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	none := fold(records(workflow.RunStarted{Name: "n"}, workflow.RunEnded{Status: workflow.StatusCompleted}))
	if none.Status != workflow.StatusCompleted || none.Name != "n" || len(none.Order) != 0 {
		t.Errorf("a run without agents: %+v", none)
	}
}

// aRun draws the records of a run that may have any odd thing in it.
func aRun(t *rapid.T) []workflow.Record {
	facts := []workflow.Fact{workflow.RunStarted{Name: rapid.String().Draw(t, "name"), Phases: rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "phases"), AtOnce: 4}}
	return records(append(facts, rapid.SliceOfN(rapid.Custom(aFact), 0, 60).Draw(t, "facts")...)...)
}

func aFact(t *rapid.T) workflow.Fact {
	seq := workflow.Seq(rapid.IntRange(1, 12).Draw(t, "seq"))
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"日本語テキスト", "👩‍👩‍👧 ❤️", "\x1b[31mred\x1b[0m", "\u202eabc", "", "a\tb\nc"})).Draw(t, "text")
	switch rapid.IntRange(0, 10).Draw(t, "kind") {
	case 0:
		return workflow.PhaseEntered{Title: text}
	case 1, 2:
		return workflow.AgentQueued{Seq: seq, Label: text}
	case 3:
		return workflow.AgentQueued{Seq: seq, Label: text, Phase: &text}
	case 4, 5:
		return workflow.AgentStarted{Seq: seq, Child: text}
	case 6:
		return workflow.AgentRetried{Seq: seq, Attempt: 2, Code: text, Message: text}
	case 7, 8:
		outcome := rapid.SampledFrom([]subagent.Outcome{subagent.Completed, subagent.Failed, subagent.Cancelled}).Draw(t, "outcome")
		return workflow.AgentEnded{Seq: seq, Outcome: outcome, Error: &subagent.Failure{Code: text, Message: text}}
	case 9:
		return workflow.AgentRefused{Seq: seq - 1, Label: text, Code: text, Message: text}
	}
	return workflow.RunEnded{Status: workflow.StatusFailed}
}

// TestStretchesOfRecords gives a view its records in any stretches, the beginning
// last or somewhere in between, and compares it with a replay of the whole.
//
// proves: W245, W246
func TestStretchesOfRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := aRun(t)
		whole := fold(all)
		cut := rapid.IntRange(0, len(all)-1).Draw(t, "cut")
		v := NewView()
		for _, r := range all[cut:] {
			v.Apply(r)
		}
		if cut > 0 {
			if d := same(NewView(), v); d != "" {
				t.Fatalf("without the start it shows something:\n%s", d)
			}
			for i := cut - 1; i >= 0; i-- { // page by page, the oldest last
				v.Apply(all[i])
			}
		}
		if d := same(whole, v); d != "" {
			t.Fatal(d)
		}
		step := NewView()
		for i, r := range all {
			step.Apply(r)
			if d := same(fold(all[:i+1]), step); d != "" {
				t.Fatal(d)
			}
		}
	})
}
