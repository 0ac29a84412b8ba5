package sim

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func conversationOf(parts ...string) []Turn {
	var out []Turn
	for _, p := range parts {
		role, text, _ := strings.Cut(p, ": ")
		out = append(out, Turn{Role: role, Text: text})
	}
	return out
}

func TestFindPlan(t *testing.T) {
	for _, c := range []struct {
		name  string
		turns []Turn
		want  string // the text of the step that is due, "-" without a script
	}{
		{"none", conversationOf("user: hello"), "-"},
		{"first step", conversationOf(`user: do @@mock [{"text":"a"},{"text":"b"}]`), "a"},
		{"second step", conversationOf(`user: @@mock ["a","b"]`, "assistant: ", "tool: "), "b"},
		{"after the last", conversationOf(`user: @@mock ["a"]`, "assistant: ", "user: and?"), "done"},
		{"alias", conversationOf(`user: @@sim ["a"]`), "a"},
		{"prose behind it", conversationOf("user: @@mock [\"a\"] and so on ]\nmore"), "a"},
		{"over several lines", conversationOf("user: @@mock [\n \"a\",\n \"b\"\n]"), "a"},
		{"the newest wins", conversationOf(`user: @@mock ["a"]`, "assistant: ", `user: @@mock ["new"]`), "new"},
		{"not from tools", conversationOf(`tool: @@mock ["a"]`), "-"},
		{"not from the model", conversationOf(`assistant: @@mock ["a"]`), "-"},
		{"the word alone", conversationOf(`user: what is @@mock, or @@simple [x]?`), "-"},
		{"a quoted notation before it", conversationOf(`user: write @@mock [STEP, …] as in @@mock ["a"]`), "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan, err := FindPlan(c.turns)
			if err != nil {
				t.Fatal(err)
			}
			got := "-"
			if plan != nil {
				got = plan.Step().Text
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestAWrongScriptIsAnError(t *testing.T) {
	for _, script := range []string{`[{"txet":"a"}]`, `[{"text":]`, `[{"text":"a"`, `[{"drop":"end"}]`, `[{"fail":{"status":99}}]`, `[1]`, `[{"tools":[{"nmae":"x"}]}]`} {
		plan, err := FindPlan([]Turn{{Role: "user", Text: "@@mock " + script}})
		var fault *ScriptError
		if !errors.As(err, &fault) {
			t.Errorf("%s: plan %v, error %v", script, plan, err)
		}
	}
}

func TestStepKeepsWhatNullAndAbsentMean(t *testing.T) {
	var absent, null Step
	for raw, s := range map[string]*Step{`{}`: &absent, `{"finish":null,"usage":null,"capture":null,"reasoning":"","id":""}`: &null} {
		if err := json.Unmarshal([]byte(raw), s); err != nil {
			t.Fatal(err)
		}
	}
	if absent.Finish != nil || absent.Usage != nil || absent.Capture != nil || absent.Reasoning != nil || absent.ID != nil {
		t.Errorf("absent: %+v", absent)
	}
	if string(null.Finish) != "null" || string(null.Usage) != "null" || string(null.Capture) != "null" || null.Reasoning == nil || null.ID == nil {
		t.Errorf("null: %+v", null)
	}
}

func TestCalls(t *testing.T) {
	var s Step
	if err := json.Unmarshal([]byte(`{"tools":[{"name":"a","args":{"x":1}},{"name":"b","rawArgs":"{\"x"},{"name":"c","id":""},{"name":"d","id":"given"}],"capture":[1]}`), &s); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range s.Calls("submit_result", "call") {
		got = append(got, c.ID+" "+c.Name+" "+c.Arguments)
	}
	want := []string{`call_0 a {"x":1}`, `call_1 b {"x`, ` c {}`, `given d {}`, `call_4 submit_result [1]`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPiecesLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		pieces := Pieces(text)
		if strings.Join(pieces, "") != text {
			t.Fatalf("%q", pieces)
		}
		for _, p := range pieces {
			if n := utf8.RuneCountInString(p); n == 0 || n > pieceChars {
				t.Fatalf("a piece of %d characters", n)
			}
		}
	})
}

func TestRecentIsBoundedAndKeepsTheNewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := recent[uint64]{limit: rapid.IntRange(1, 8).Draw(t, "limit")}
		var order []uint64
		for _, key := range rapid.SliceOf(rapid.Uint64Range(0, 30)).Draw(t, "keys") {
			r.put(key, key)
			order = append(order, key)
			if len(r.young) > r.limit || len(r.old) > r.limit {
				t.Fatal("too many:", len(r.young), len(r.old))
			}
		}
		for _, key := range order[max(0, len(order)-r.limit):] {
			if _, ok := r.find(key); !ok {
				t.Fatalf("%d of the newest %d is lost", key, r.limit)
			}
		}
	})
}

func TestMeterCountsTheSameHoweverItIsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 2000, -1).Draw(t, "text")
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		var whole, halves Meter
		whole.WriteString(text)
		halves.WriteString(text[:at])
		halves.WriteString(text[at:])
		if whole.Tokens() != Tokens(utf8.RuneCountInString(text)) {
			t.Fatal("tokens", whole.Tokens())
		}
		if whole.sum() != halves.sum() {
			t.Fatal("sums differ")
		}
		if diff := cmp.Diff(whole.prefix(), halves.prefix()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzFindPlan(f *testing.F) {
	for _, seed := range []string{`@@mock ["a"]`, `@@mock [{"tool":"bash","args":{}},{"capture":null}]`, `@@@@sim[ @@mock [[]]`, `@@mock [{"fail":{"times":-1}}`, "@@mock\r\n\t[null]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := FindPlan([]Turn{{Role: "user", Text: text}})
		if (plan != nil) && (err != nil) {
			t.Fatal("both")
		}
		if plan != nil {
			step := plan.Step()
			step.Calls("", "x")
		}
	})
}
