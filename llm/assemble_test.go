package llm

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func assemble(chunks ...Chunk) *Assembler {
	a := &Assembler{}
	for _, c := range chunks {
		a.Add(c)
	}
	return a
}

// proves: A301
func TestAssemblerOrdersByIndex(t *testing.T) {
	a := assemble(
		ToolCallDelta{Index: 5, Name: "grep", Arguments: `{"a`},
		TextDelta{3, "he"}, ReasoningDelta{1, "hm"}, ToolCallDelta{Index: 4, ID: "x", Name: "read"},
		TextDelta{3, "llo"}, ToolCallDelta{Index: 5, Arguments: `":1}`}, ToolCallDelta{Index: 4, ID: "other", Name: "other", Arguments: "{}"},
		TextDelta{5, "of another kind"}, TextDelta{0, ""},
		UsageReport{Usage{InputTokens: 1}}, UsageReport{Usage{InputTokens: 2}},
		Finish{Reason: FinishToolCalls, Served: "m"},
		TextDelta{3, " late"}, Finish{Reason: FinishStop}, UsageReport{Usage{InputTokens: 3}},
	)
	want := []Block{Reasoning{"hm"}, Text{"hello"}, ToolCall{"x", "read", "{}"}, ToolCall{"call-5", "grep", `{"a":1}`}}
	if diff := cmp.Diff(want, a.Blocks()); diff != "" {
		t.Error(diff)
	}
	if a.Finish() != (Finish{Reason: FinishToolCalls, Served: "m"}) {
		t.Error(a.Finish())
	}
	if u, ok := a.Usage(); !ok || u.InputTokens != 2 {
		t.Error(u, ok)
	}
}

// proves: A302
func TestMaxTokensDropsCalls(t *testing.T) {
	a := assemble(TextDelta{0, "a"}, ToolCallDelta{Index: 1, ID: "x", Name: "write", Arguments: `{"p":"`}, Finish{Reason: FinishMaxTokens})
	if diff := cmp.Diff([]Block{Text{"a"}}, a.Blocks()); diff != "" {
		t.Error(diff)
	}
}

// proves: A303
func TestInterruptedBlocks(t *testing.T) {
	a := assemble(ReasoningDelta{0, "r"}, TextDelta{1, " \n"}, ToolCallDelta{Index: 2, ID: "x", Name: "write", Arguments: `{}`}, TextDelta{3, "t"})
	if diff := cmp.Diff([]Block{Reasoning{"r"}, Text{"t"}}, a.InterruptedBlocks()); diff != "" {
		t.Error(diff)
	}
	if a.Finish().Reason != FinishStop {
		t.Error(a.Finish())
	}
	if _, ok := a.Usage(); ok {
		t.Error("usage out of nothing")
	}
	if n := len((&Assembler{}).Blocks()); n != 0 {
		t.Error(n)
	}
}
